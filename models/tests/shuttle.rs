//! Samples every shuttle model of the catalogue, and shows on a mutant that a
//! failure can be replayed.

use libtest_mimic::{Arguments, Failed, Trial};
use models::explore::shuttle::{replay, schedule_folder};
use models::mutant::{self, Mutant};
use models::{catalogue, results};

fn main() {
    let models = catalogue::shuttle().into_iter();
    let models = models.map(|model| Trial::test(model.id(), move || Ok(results::record(&model)?)));
    let mutant = Trial::test(
        "a failure leaves a schedule that replays it",
        leaves_a_schedule,
    );
    libtest_mimic::run(&Arguments::from_args(), models.chain([mutant]).collect()).exit();
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
