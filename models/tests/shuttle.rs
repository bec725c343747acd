//! Samples every shuttle model of the catalogue, and shows on a mutant that a
//! failure can be replayed.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use models::explore::shuttle::{Recording, schedule_file};
use models::model::Search;
use models::mutant::{self, Mutant};
use models::verdicts::CameOut;
use models::{catalogue, results};

fn main() -> ExitCode {
    let models = catalogue::shuttle()
        .into_iter()
        .chain(catalogue::bounded())
        .chain(catalogue::store_buffers());
    let came_out = Arc::new(CameOut::default());
    let models = models.map(|model| {
        let came_out = Arc::clone(&came_out);
        Trial::test(model.id(), move || Ok(came_out.record(&model)?))
    });
    // One after the other: they leave the same file.
    let mutant = Trial::test(
        "a failure is shown, and leaves a schedule that replays it",
        || leaves_a_schedule().and_then(|()| shows_a_failure()),
    );
    let fence = Trial::test(
        "a heavy fence that reaches no other thread is found out",
        needs_heavy_fence,
    );
    let trials = models.chain([mutant, fence]).collect();
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    // Only all models together can be compared.
    if conclusion.has_failed() || conclusion.num_filtered_out > 0 || conclusion.num_passed == 0 {
        conclusion.exit();
    }
    came_out.conclude(&["shuttle", "store buffers"])
}

/// Shuttle must find the mutant that waits for nobody, leave the schedule that
/// shows it, and break the same guarantee when that schedule is run again. The
/// schedule run on the statistic without the mutant shows nothing.
fn leaves_a_schedule() -> Result<(), Failed> {
    let model = catalogue::sampled(Mutant::NoWait);
    let found = mutant::with(Mutant::NoWait, || model.explore().outcome);
    println!("{:?}: {}", Mutant::NoWait, found.line());
    let mut recording = Recording::read(&schedule_file(&model))?;
    let again = recording.replay().outcome;
    if found.failure.is_none() || again.failure != found.failure {
        return Err(format!("found {:?}, replayed {:?}", found.failure, again.failure).into());
    }
    recording.mutant = None;
    let without = recording.replay().outcome;
    match without.failure {
        None => Ok(()),
        Some(failure) => Err(format!("without the mutant: {failure}").into()),
    }
}

/// Whoever breaks the protocol gets to see how: the execution, the smallest one
/// with such a fault, and both as pictures.
fn shows_a_failure() -> Result<(), Failed> {
    let model = catalogue::sampled(Mutant::NoWait);
    let shown = mutant::with(Mutant::NoWait, || results::check(&model)).unwrap_err();
    println!("{shown}");
    for expected in [
        "two threads are in one cell",
        ">> │",
        "1 preemption, 15 steps, 1 samples",
        "cargo replay",
        "-smallest.svg",
    ] {
        if !shown.contains(expected) {
            return Err(format!("nothing says {expected:?} in\n{shown}").into());
        }
    }
    Ok(())
}

/// With the store buffers of x86, a drain whose fence stays local misses an add
/// in flight.
fn needs_heavy_fence() -> Result<(), Failed> {
    let mut model = catalogue::sampled(Mutant::HeavyFenceLocal);
    model.search = Search::StoreBuffers { schedules: 10_000 };
    let control = model.explore().outcome;
    control.meets(&model)?;
    let outcome = mutant::with(Mutant::HeavyFenceLocal, || model.explore().outcome);
    println!("{:?}: {}", Mutant::HeavyFenceLocal, outcome.line());
    match outcome.failure {
        Some(_) => Ok(()),
        None => Err("the mutant survived".into()),
    }
}
