//! Samples every shuttle model of the catalogue, and shows on a mutant that a
//! failure can be replayed.

use libtest_mimic::{Arguments, Failed, Trial};
use models::explore::shuttle::{Recording, schedule_file};
use models::model::Search;
use models::mutant::{self, Mutant};
use models::{catalogue, results};

fn main() {
    let models = catalogue::shuttle()
        .into_iter()
        .chain(catalogue::store_buffers());
    let models = models.map(|model| Trial::test(model.id(), move || Ok(results::record(&model)?)));
    let mutant = Trial::test(
        "a failure leaves a schedule that replays it",
        leaves_a_schedule,
    );
    let fence = Trial::test(
        "a heavy fence that reaches no other thread is found out",
        needs_heavy_fence,
    );
    let shown = Trial::test("a failure is shown as a table", shows_a_failure);
    let trials = models.chain([mutant, shown, fence]).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
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
