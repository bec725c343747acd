//! Samples every shuttle model of the catalogue, and shows on a mutant that a
//! failure can be replayed.

use libtest_mimic::{Arguments, Failed, Trial};
use models::explore::shuttle::{replay, schedule_folder};
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
    let trials = models.chain([mutant, fence]).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Shuttle must find the mutant that waits for nobody, leave the schedule that
/// shows it, and break the same guarantee when that schedule is run again. The
/// schedule run on the statistic without the mutant shows nothing.
fn leaves_a_schedule() -> Result<(), Failed> {
    let model = catalogue::sampled(Mutant::NoWait);
    let folder = schedule_folder(&model);
    std::fs::remove_dir_all(&folder).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    let found = mutant::with(Mutant::NoWait, || model.explore().outcome);
    let schedules: Vec<_> = std::fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
    let [schedule] = schedules.as_slice() else {
        return Err(format!("not one schedule but {}", schedules.len()).into());
    };
    let again = mutant::with(Mutant::NoWait, || replay(&model, &schedule.path()))?.outcome;
    println!("{:?}: {}", Mutant::NoWait, found.line());
    println!(
        "replay it with: cargo replay --mutant no-wait {}",
        schedule.path().display()
    );
    if found.failure.is_none() || again.failure != found.failure {
        return Err(format!("found {:?}, replayed {:?}", found.failure, again.failure).into());
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
