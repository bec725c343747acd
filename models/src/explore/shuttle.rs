//! A sample of the executions, by shuttle.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ::shuttle::scheduler::{
    PctScheduler, RandomScheduler, Schedule, Scheduler as Schedules, Task, TaskId,
    UrwRandomScheduler,
};
use ::shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use interval_stat::runtime::{Runtime, Shuttle};
use serde::{Deserialize, Serialize};

use super::bounded::DepthFirst;
use super::{Exploration, Extent};
use crate::engine::Engine;
use crate::model::{Model, Scheduler, Search};
use crate::mutant::{self, Mutant};
use crate::observed::Observed;
use crate::store_buffers::StoreBuffers;

/// The version that the results, and recorded schedules, hold for.
pub const TOOL: &str = "shuttle 0.9.10";

/// Every run draws the same schedules.
const SEED: u64 = 9377;

/// Runs `schedules` executions drawn by the scheduler.
///
/// A failure leaves its schedule in [`schedule_file`].
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
    run_on::<StoreBuffers>(model, scheduler, sample_of(schedules))
}

/// Runs `schedules` random executions with the primitives of `R`, which are `E`'s in
/// some wrapping.
pub fn explore_on<E: Engine, R: Runtime>(model: &Model, schedules: usize) -> Exploration {
    let scheduler = RandomScheduler::new_from_seed(SEED, schedules);
    run_wrapped::<E, R>(model, scheduler, sample_of(schedules))
}

/// Runs every execution with at most so many preemptions.
pub fn explore_bounded(model: &Model, preemptions: usize) -> Exploration {
    run_on::<Shuttle>(model, DepthFirst::new(preemptions), |_| Extent {
        exhaustive: true,
    })
}

/// The schedule of an execution that failed, with all that it takes to run it
/// again. It is good for the same version of shuttle and the same code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// Shuttle and its version.
    pub tool: String,
    /// What was run.
    pub model: Model,
    /// The mutant that was installed.
    pub mutant: Option<Mutant>,
    /// The thread that went on, decision by decision.
    pub schedule: Vec<usize>,
}

impl Recording {
    /// Reads a file that a failure left.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is no recording, or is one of another version.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let recording: Self = serde_json::from_str(&text).map_err(|error| {
            format!(
                "{} is no schedule that a failing model left: {error}",
                file.display()
            )
        })?;
        if recording.tool == TOOL {
            Ok(recording)
        } else {
            Err(format!(
                "{} was recorded by {}, and this is {TOOL}",
                file.display(),
                recording.tool
            ))
        }
    }

    /// Runs the execution again, with the mutant if there was one.
    pub fn replay(&self) -> Exploration {
        let follow = || Follow {
            schedule: self.schedule.clone(),
            made: 0,
            began: false,
        };
        let run = || match self.model.search {
            Search::StoreBuffers { .. } => {
                run_on::<StoreBuffers>(&self.model, follow(), sample_of(1))
            }
            _ => run_on::<Shuttle>(&self.model, follow(), sample_of(1)),
        };
        match self.mutant {
            Some(mutant) => mutant::with(mutant, run),
            None => run(),
        }
    }

    fn leave(model: &Model, schedule: Vec<usize>) {
        let recording = Self {
            tool: TOOL.to_owned(),
            model: model.clone(),
            mutant: mutant::installed(),
            schedule,
        };
        let file = schedule_file(model);
        let text = serde_json::to_string(&recording).expect("it is plain data");
        let folder = file.parent().expect("it lies in a folder");
        std::fs::create_dir_all(folder).expect("the results folder can be written");
        std::fs::write(file, text).expect("the results folder can be written");
    }
}

/// Where the schedule of a failure of `model` is left.
pub fn schedule_file(model: &Model) -> PathBuf {
    let file = format!("{}.json", model.id());
    crate::results::folder().join("schedules").join(file)
}

fn run(model: &Model, scheduler: impl Schedules + 'static, schedules: usize) -> Exploration {
    run_on::<Shuttle>(model, scheduler, sample_of(schedules))
}

/// What so many executions are, if that is how many ran.
fn sample_of(schedules: usize) -> impl FnOnce(usize) -> Extent {
    move |ran| {
        assert_eq!(
            ran, schedules,
            "shuttle stopped before it had run every schedule"
        );
        Extent { exhaustive: false }
    }
}

fn run_on<E: Engine>(
    model: &Model,
    scheduler: impl Schedules + 'static,
    extent: impl FnOnce(usize) -> Extent,
) -> Exploration {
    run_wrapped::<E, Observed<E>>(model, scheduler, extent)
}

fn run_wrapped<E: Engine, R: Runtime>(
    model: &Model,
    scheduler: impl Schedules + 'static,
    extent: impl FnOnce(usize) -> Extent,
) -> Exploration {
    let schedule = Arc::new(Mutex::new(Vec::new()));
    let scheduler = Recorded {
        scheduler,
        schedule: Arc::clone(&schedule),
    };
    let exploration = super::explore::<E, R>(model, TOOL, |execution| {
        let mut config = Config::new();
        // Shuttle would leave it in the folder of the first model that runs.
        config.failure_persistence = FailurePersistence::None;
        config.max_steps = MaxSteps::FailAfter(1_000_000);
        config.max_time = None;
        config.silence_warnings = true;
        extent(Runner::new(scheduler, config).run(execution))
    });
    if exploration.outcome.failure.is_some() {
        let schedule = schedule.lock().unwrap_or_else(PoisonError::into_inner);
        Recording::leave(model, schedule.clone());
    }
    exploration
}

/// Keeps the decisions of the execution under way.
struct Recorded<S> {
    scheduler: S,
    schedule: Arc<Mutex<Vec<usize>>>,
}

impl<S: Schedules> Schedules for Recorded<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        let execution = self.scheduler.new_execution()?;
        let mut schedule = self.schedule.lock().unwrap_or_else(PoisonError::into_inner);
        schedule.clear();
        Some(execution)
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let next = self.scheduler.next_task(runnable, current, is_yielding)?;
        let mut schedule = self.schedule.lock().unwrap_or_else(PoisonError::into_inner);
        schedule.push(next.into());
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.scheduler.next_u64()
    }
}

/// Follows a schedule once. Where code that was changed leaves it, any thread
/// but one that waits goes on.
struct Follow {
    schedule: Vec<usize>,
    made: usize,
    began: bool,
}

impl Schedules for Follow {
    fn new_execution(&mut self) -> Option<Schedule> {
        (!std::mem::replace(&mut self.began, true)).then(|| Schedule::new(0))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let given = self.schedule.get(self.made).copied().map(TaskId::from);
        self.made += 1;
        let is_able = |wanted: &TaskId| runnable.iter().any(|task| task.id() == *wanted);
        let other = runnable.iter().map(|task| task.id());
        let mut other = other.filter(|&task| !(is_yielding && Some(task) == current));
        given.filter(is_able).or_else(|| other.next()).or(current)
    }

    fn next_u64(&mut self) -> u64 {
        unreachable!("no model draws random numbers")
    }
}
