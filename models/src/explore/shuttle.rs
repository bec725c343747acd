//! A sample of the executions, by shuttle.

use std::path::{Path, PathBuf};

use ::shuttle::scheduler::{
    PctScheduler, RandomScheduler, ReplayScheduler, Scheduler as Schedules, UrwRandomScheduler,
};
use ::shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use interval_stat::runtime::Shuttle;

use super::{Exploration, Extent};
use crate::engine::Engine;
use crate::model::{Model, Scheduler, Search};
use crate::observed::Observed;
use crate::store_buffers::StoreBuffers;

/// The version that the results, and recorded schedules, hold for.
pub const TOOL: &str = "shuttle 0.9.10";

/// Every run draws the same schedules.
const SEED: u64 = 9377;

/// Runs `schedules` executions drawn by the scheduler.
///
/// A failure leaves its schedule as a file in [`schedule_folder`].
pub fn explore(model: &Model, scheduler: Scheduler, schedules: usize) -> Exploration {
    match scheduler {
        Scheduler::Random => run(
            model,
            RandomScheduler::new_from_seed(SEED, schedules),
            schedules,
        ),
        Scheduler::Pct { depth } => run(
            model,
            PctScheduler::new_from_seed(SEED, depth, schedules),
            schedules,
        ),
        Scheduler::Urw => run(
            model,
            UrwRandomScheduler::new_from_seed(SEED, schedules),
            schedules,
        ),
    }
}

/// Runs `schedules` random executions with the store buffers of x86.
pub fn explore_buffered(model: &Model, schedules: usize) -> Exploration {
    let scheduler = RandomScheduler::new_from_seed(SEED, schedules);
    run_on::<StoreBuffers>(model, scheduler, schedules)
}

/// Runs the one execution that a recorded schedule describes.
///
/// # Errors
///
/// If the file cannot be read.
pub fn replay(model: &Model, schedule: &Path) -> std::io::Result<Exploration> {
    let scheduler = ReplayScheduler::new_from_file(schedule)?;
    Ok(match model.search {
        Search::StoreBuffers { .. } => run_on::<StoreBuffers>(model, scheduler, 1),
        _ => run(model, scheduler, 1),
    })
}

/// Where the schedule of a failure of `model` is left.
pub fn schedule_folder(model: &Model) -> PathBuf {
    crate::results::folder().join("schedules").join(model.id())
}

fn run(model: &Model, scheduler: impl Schedules + 'static, schedules: usize) -> Exploration {
    run_on::<Shuttle>(model, scheduler, schedules)
}

fn run_on<E: Engine>(
    model: &Model,
    scheduler: impl Schedules + 'static,
    schedules: usize,
) -> Exploration {
    super::explore::<E, Observed<E>>(model, TOOL, |execution| {
        let folder = schedule_folder(model);
        std::fs::create_dir_all(&folder).expect("the results folder can be written");
        let mut config = Config::new();
        config.failure_persistence = FailurePersistence::File(Some(folder));
        config.max_steps = MaxSteps::FailAfter(1_000_000);
        config.max_time = None;
        config.silence_warnings = true;
        let ran = Runner::new(scheduler, config).run(execution);
        assert_eq!(
            ran, schedules,
            "shuttle stopped before it had run every schedule"
        );
        Extent { exhaustive: false }
    })
}
