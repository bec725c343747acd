//! Runs a scenario through an engine, execution by execution, and gathers what
//! came out.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use interval_stat::runtime::Runtime;

use crate::engine::{Engine, message};
use crate::guarantees::Guarantee;
use crate::history::History;
use crate::model::{Model, Search};
use crate::outcome::{Breach, Outcome, Tally};
use crate::statistic::Statistic;
use crate::subject::Subject;
use crate::trace;

#[cfg(feature = "shuttle")]
pub mod bounded;
#[cfg(feature = "loom")]
pub mod loom;
pub mod quiet;
#[cfg(feature = "shuttle")]
pub mod shuttle;
pub mod threads;

/// An outcome, with what shows how it came about.
#[derive(Debug)]
pub struct Exploration {
    /// What came out.
    pub outcome: Outcome,
    /// The first counterexample to each guarantee that was broken.
    pub breaches: BTreeMap<Guarantee, Breach>,
    /// What the execution had done that stopped the search, if one did.
    pub last: History,
}

/// How many executions an engine ran, and whether they were all there are.
pub(crate) struct Extent {
    pub(crate) exhaustive: bool,
}

/// Explores `model`, with the primitives of `R`, by `engine`, which calls the function it is given once an
/// execution.
///
/// The search stops at the first execution that breaks a guarantee which the
/// statistic keeps, by a panic in it, so that the engine can say how to get
/// there again.
pub(crate) fn explore<E: Engine, R: Runtime>(
    model: &Model,
    tool: &str,
    engine: impl FnOnce(Box<dyn Fn() + Send + Sync>) -> Extent,
) -> Exploration {
    let tally = Arc::new(Mutex::new(Tally::default()));
    let execution = {
        let (tally, model) = (Arc::clone(&tally), model.clone());
        Box::new(move || {
            let history = run::<E, R>(model.statistic, &model.scenario);
            let breach = lock(&tally).count(&history, &model);
            if let Some(breach) = breach {
                trace::resume(history.events);
                panic!("{breach}");
            }
        })
    };
    let began = Instant::now();
    let ended = catch_unwind(AssertUnwindSafe(|| engine(execution)));
    let seconds = began.elapsed().as_secs_f64();
    let tally = std::mem::take(&mut *lock(&tally));
    Exploration {
        outcome: Outcome {
            engine: E::NAME.to_owned(),
            tool: tool.to_owned(),
            statistic: model.statistic.name().to_owned(),
            scenario: model.scenario.name(),
            search: model.search.name(),
            exhaustive: ended.as_ref().is_ok_and(|extent| extent.exhaustive),
            executions: tally.executions,
            seconds,
            checked: model.search.checks().to_vec(),
            broken: tally.executions_by_guarantee(),
            add_steps: tally.add_steps,
            witnesses: tally.witnesses,
            failure: ended.err().map(|panic| message(&*panic)),
        },
        breaches: tally.breaches,
        last: History::new(trace::take(), E::SEQUENTIAL),
    }
}

/// A program: who calls what.
pub trait Program: Clone + Send + Sync + 'static {
    /// Runs it once, on the engine's primitives, and says what happened.
    fn run<S: Subject, E: Engine>(&self) -> History;
}

/// Runs the program once, with the threads of `E` and the primitives of `R`.
pub fn run<E: Engine, R: Runtime>(statistic: Statistic, program: &impl Program) -> History {
    use crate::specimen::{Combined, Jdk8, Jdk9, Merged, Phased};
    use crate::subject::{ByLookup, ByRecorder};
    use interval_stat::{ConcurrentMutableStat, Moments, MutableStat, PerformanceMetrics};
    match statistic {
        Statistic::MutableStat => program.run::<ByLookup<MutableStat<R>>, E>(),
        Statistic::MutableStatExact => program.run::<ByLookup<MutableStat<R, Moments>>, E>(),
        Statistic::ConcurrentMutableStat => program.run::<ByLookup<ConcurrentMutableStat<R>>, E>(),
        Statistic::Recorder => program.run::<ByRecorder<R>, E>(),
        Statistic::MergedJdk8 => program.run::<ByLookup<Merged<R, Jdk8>>, E>(),
        Statistic::MergedJdk9 => program.run::<ByLookup<Merged<R, Jdk9>>, E>(),
        Statistic::Combined => program.run::<ByLookup<Combined<R>>, E>(),
        Statistic::Phased => program.run::<ByLookup<Phased<R>>, E>(),
        Statistic::PerformanceMetrics => program.run::<PerformanceMetrics<R>, E>(),
    }
}

fn lock(tally: &Mutex<Tally>) -> std::sync::MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a model by the engine that its search names.
pub(crate) fn by_search(model: &Model) -> Exploration {
    match &model.search {
        Search::Threads { runs } => threads::explore(model, *runs),
        #[cfg(feature = "loom")]
        Search::Loom { preemptions } => loom::explore(model, *preemptions),
        #[cfg(feature = "shuttle")]
        Search::Shuttle {
            scheduler,
            schedules,
        } => shuttle::explore(model, *scheduler, *schedules),
        #[cfg(feature = "shuttle")]
        Search::Bounded { preemptions } => shuttle::explore_bounded(model, *preemptions),
        #[cfg(feature = "shuttle")]
        Search::StoreBuffers { schedules } => shuttle::explore_buffered(model, *schedules),
        #[cfg(not(all(feature = "loom", feature = "shuttle")))]
        other => panic!("{} needs the feature of its engine", other.name()),
    }
}
