//! Samples every shuttle model of the catalogue, and shows on a mutant that a
//! failure can be replayed.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use models::explore::shuttle::{Recording, schedule_file};
use models::model::{Model, Search};
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

/// Shuttle must find the mutant that waits for nobody.
fn leaves_a_schedule() -> Result<(), Failed> {
    let recording = replays(Mutant::NoWait, &catalogue::sampled(Mutant::NoWait))?;
    let left = |change: fn(&mut Recording)| -> Result<String, Failed> {
        let mut recording = recording.clone();
        change(&mut recording);
        Ok(recording.replay()?.left.unwrap_or_default())
    };
    for (change, expected) in [
        (
            (|recording| recording.decisions.schedule.truncate(4)) as fn(&mut Recording),
            "after 4 decisions, nothing more is recorded",
        ),
        (
            |recording| recording.decisions.schedule.clear(),
            "after 0 decisions, nothing more is recorded",
        ),
        (
            // It has not begun by then.
            |recording| recording.decisions.schedule[0] = 1,
            "after 0 decisions, thread 1 cannot go on",
        ),
        (
            |recording| recording.decisions.schedule.push(0),
            "the execution ended",
        ),
    ] {
        let left = left(change)?;
        if !left.contains(expected) {
            return Err(format!("nothing says {expected:?} in {left:?}").into());
        }
    }
    Ok(())
}

/// The model must find the mutant, leave what shows it, and break the same guarantee
/// when that is run again, to the last decision and without a recording of its own.
/// The same decisions without the mutant show nothing.
fn replays(mutant: Mutant, model: &Model) -> Result<Recording, Failed> {
    let found = mutant::with(mutant, || model.explore().outcome);
    println!("{mutant:?}: {}", found.line());
    let file = schedule_file(model);
    let mut recording = Recording::read(&file)?;
    std::fs::remove_file(&file)?;
    let again = recording.replay()?;
    let failure = again.exploration.outcome.failure;
    if found.failure.is_none() || failure != found.failure {
        return Err(format!("found {:?}, replayed {failure:?}", found.failure).into());
    }
    if let Some(left) = again.left {
        return Err(format!("the replay is another execution: {left}").into());
    }
    if file.exists() {
        return Err(format!("the replay left {}", file.display()).into());
    }
    recording.mutant = None;
    let without = recording.replay()?.exploration.outcome;
    recording.mutant = Some(mutant);
    match without.failure {
        None => Ok(recording),
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
    let recording = replays(Mutant::HeavyFenceLocal, &model)?;
    if recording.decisions.draws.is_empty() {
        return Err("no random number is recorded".into());
    }
    Ok(())
}
