//! A sample of the executions, by shuttle.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::shuttle::scheduler::{
    PctScheduler, RandomScheduler, Schedule, Scheduler as Schedules, Task, TaskId,
    UrwRandomScheduler,
};
use ::shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use interval_stat::runtime::{Runtime, Shuttle};
use serde::{Deserialize, Serialize};

use super::bounded::DepthFirst;
use super::{Exploration, Extent, quiet};
use crate::engine::Engine;
use crate::model::{Model, Scheduler, Search};
use crate::mutant::{self, Mutant};
use crate::observed::Observed;
use crate::store_buffers::{self, StoreBuffers};

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

/// The decisions of an execution that failed, with all that it takes to run it
/// again. It is good for the same version of shuttle and the same code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// Shuttle and its version.
    pub tool: String,
    /// What was run.
    pub model: Model,
    /// The mutant that was installed.
    pub mutant: Option<Mutant>,
    /// What was decided.
    #[serde(flatten)]
    pub decisions: Decisions,
}

/// All that an execution depends on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Decisions {
    /// The thread that went on, one time after the other.
    pub schedule: Vec<usize>,
    /// The random numbers that were drawn: when the store buffers reach memory.
    pub draws: Vec<u64>,
}

/// An execution that was run again.
#[derive(Debug)]
pub struct Replay {
    /// What came out.
    pub exploration: Exploration,
    /// Where it was another one than recorded, in words.
    pub left: Option<String>,
}

impl Recording {
    /// Reads a file that a failure left.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is no recording, is one of another version, or cannot be
    /// run.
    pub fn read(file: &Path) -> Result<Self, String> {
        let name = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {name}: {error}"))?;
        let recording: Self = serde_json::from_str(&text)
            .map_err(|error| format!("{name} is no schedule that a failing model left: {error}"))?;
        let checked = recording.check();
        checked.map_err(|why| format!("{name} cannot be replayed: {why}"))?;
        Ok(recording)
    }

    fn check(&self) -> Result<(), String> {
        if self.tool != TOOL {
            return Err(format!(
                "it was recorded by {:?}, and this is {TOOL}",
                self.tool
            ));
        }
        if let Search::Loom { .. } | Search::Threads { .. } = self.model.search {
            let engine = self.model.search.engine();
            return Err(format!("its engine is {engine}, which leaves no schedule"));
        }
        let scenario = &self.model.scenario;
        let sized = scenario.check_size();
        sized.map_err(|why| format!("its program has {why}"))?;
        let threads = scenario.threads();
        let schedule = &self.decisions.schedule;
        match schedule.iter().position(|&thread| thread >= threads) {
            Some(at) => Err(format!(
                "decision {} is thread {}, and the threads of its program are 0 to {}",
                at + 1,
                schedule[at],
                threads - 1
            )),
            None => Ok(()),
        }
    }

    /// Runs the execution again, with the mutant if there was one. What the program
    /// does is in the exploration; it leaves no recording.
    ///
    /// # Errors
    ///
    /// If shuttle, or what follows the schedule, fails itself.
    pub fn replay(&self) -> Result<Replay, String> {
        let followed = Arc::new(Mutex::new(Followed::default()));
        let follow = Follow {
            decisions: self.decisions.clone(),
            followed: Arc::clone(&followed),
            began: false,
        };
        let one = |_| Extent { exhaustive: false };
        let run = || match self.model.search {
            Search::StoreBuffers { .. } => {
                search::<StoreBuffers, Observed<StoreBuffers>>(&self.model, follow, one)
            }
            _ => search::<Shuttle, Observed<Shuttle>>(&self.model, follow, one),
        };
        let (exploration, panicked_in) = quiet::watching(|| match self.mutant {
            Some(mutant) => mutant::with(mutant, run),
            None => run(),
        });
        let failure = exploration.outcome.failure.as_deref();
        if let (Some(failure), Some(file)) = (failure, panicked_in) {
            if is_of_the_tool(failure, &file) {
                return Err(format!("not the model failed, but its tool: {failure}"));
            }
        }
        let left = lock(&followed).left(&self.decisions);
        Ok(Replay { exploration, left })
    }

    fn leave(model: &Model, decisions: Decisions) {
        let recording = Self {
            tool: TOOL.to_owned(),
            model: model.clone(),
            mutant: mutant::installed(),
            decisions,
        };
        let file = schedule_file(model);
        let text = serde_json::to_string(&recording).expect("it is plain data");
        let folder = file.parent().expect("it lies in a folder");
        std::fs::create_dir_all(folder).expect("the results folder can be written");
        std::fs::write(file, text).expect("the results folder can be written");
    }
}

/// Whether a panic is the fault of shuttle, of what it stands on, or of this module,
/// and not what shuttle says of a program.
fn is_of_the_tool(failure: &str, file: &str) -> bool {
    const OF_PROGRAMS: [&str; 2] = ["deadlock", "exceeded max_steps"];
    let parts = Path::new(file).components();
    let mut parts = parts.filter_map(|part| part.as_os_str().to_str());
    let is_tool = |part: &str| {
        ["shuttle", "corosensei"]
            .iter()
            .any(|tool| part.starts_with(tool))
    };
    // Those of the library's runtime of that name are the program's: src/runtime/shuttle.rs.
    let in_tool = !file.starts_with("src") && parts.any(is_tool);
    in_tool && !OF_PROGRAMS.iter().any(|of| failure.starts_with(of))
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
    let decisions = Arc::new(Mutex::new(Decisions::default()));
    let scheduler = Recorded {
        scheduler,
        decisions: Arc::clone(&decisions),
    };
    let exploration = search::<E, R>(model, scheduler, extent);
    if exploration.outcome.failure.is_some() {
        Recording::leave(model, lock(&decisions).clone());
    }
    exploration
}

/// Runs the executions that the scheduler has.
fn search<E: Engine, R: Runtime>(
    model: &Model,
    scheduler: impl Schedules + 'static,
    extent: impl FnOnce(usize) -> Extent,
) -> Exploration {
    store_buffers::forget();
    super::explore::<E, R>(model, TOOL, |execution| {
        let mut config = Config::new();
        // Shuttle would leave it in the folder of the first model that runs.
        config.failure_persistence = FailurePersistence::None;
        config.max_steps = MaxSteps::FailAfter(1_000_000);
        config.max_time = None;
        config.silence_warnings = true;
        extent(Runner::new(scheduler, config).run(execution))
    })
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the decisions of the execution under way.
struct Recorded<S> {
    scheduler: S,
    decisions: Arc<Mutex<Decisions>>,
}

impl<S: Schedules> Schedules for Recorded<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        let execution = self.scheduler.new_execution()?;
        let mut decisions = lock(&self.decisions);
        decisions.schedule.clear();
        decisions.draws.clear();
        Some(execution)
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let next = self.scheduler.next_task(runnable, current, is_yielding)?;
        lock(&self.decisions).schedule.push(next.into());
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        let drawn = self.scheduler.next_u64();
        lock(&self.decisions).draws.push(drawn);
        drawn
    }
}

/// Makes the same decisions once more. Where that cannot be, as the code or the
/// mutant is another one, it says so, the next thread in turn goes on, and what is
/// drawn is 0.
struct Follow {
    decisions: Decisions,
    followed: Arc<Mutex<Followed>>,
    began: bool,
}

/// How far the decisions were followed.
#[derive(Default)]
struct Followed {
    decisions: usize,
    draws: usize,
    left: Option<String>,
}

impl Followed {
    /// Says where the decisions were left; the first place counts.
    fn leave(&mut self, why: &str) {
        let at = format!("after {} decisions, {why}", self.decisions);
        self.left.get_or_insert(at);
    }

    /// Where they were left, also by ending early.
    fn left(&self, decisions: &Decisions) -> Option<String> {
        let (schedule, draws) = (decisions.schedule.len(), decisions.draws.len());
        let ended = || {
            (self.decisions < schedule || self.draws < draws).then(|| {
                format!(
                    "after {} decisions of {schedule} and {} random numbers of {draws}, the \
                     execution ended",
                    self.decisions, self.draws
                )
            })
        };
        self.left.clone().or_else(ended)
    }
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
        let mut followed = lock(&self.followed);
        let given = self.decisions.schedule.get(followed.decisions).copied();
        let able = || runnable.iter().map(|task| task.id());
        let next = match given.map(TaskId::from) {
            Some(given) if able().any(|task| task == given) => given,
            _ => {
                followed.leave(&match given {
                    Some(thread) => format!("thread {thread} cannot go on as recorded"),
                    None => "nothing more is recorded, and the execution goes on".to_owned(),
                });
                // In turn, so that no thread that waits keeps others from going on.
                let others = able().filter(|&task| !(is_yielding && Some(task) == current));
                let behind = others.clone().find(|&task| Some(task) > current);
                behind.or_else(|| others.min()).or(current)?
            }
        };
        followed.decisions += 1;
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        let mut followed = lock(&self.followed);
        let given = self.decisions.draws.get(followed.draws).copied();
        if given.is_none() {
            followed.leave("a random number is drawn that is not recorded");
        }
        followed.draws += 1;
        given.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn a_panic_of_shuttle_is_not_one_of_the_program() {
        // There is no execution that it could be a step of.
        let (_, file) = quiet::watching(|| catch_unwind(::shuttle::thread::yield_now));
        let file = file.expect("it panics");
        assert!(is_of_the_tool("not set", &file), "{file}");
        assert!(is_of_the_tool("a fault of ours", file!()));
        let deadlock = "deadlock! blocked tasks: [main-thread (task 0)]";
        assert!(!is_of_the_tool(deadlock, &file));
        for of_the_program in ["src/runtime/shuttle.rs", "models/src/observed.rs"] {
            assert!(!is_of_the_tool(
                "two threads are in one cell",
                of_the_program
            ));
        }
    }
}
