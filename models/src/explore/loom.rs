//! All executions within a preemption bound, by loom.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ::loom::model::Builder;
use interval_stat::runtime::{Loom, Runtime};

use super::{Exploration, Extent, Program};
use crate::counterexample::fault::Fault;
use crate::engine::{Engine, message};
use crate::history::History;
use crate::model::Model;
use crate::observed::Observed;
use crate::statistic::Statistic;
use crate::trace;

/// The version that the results hold for.
pub const TOOL: &str = "loom 0.7.3";

/// More switches between threads than any execution here has; loom panics
/// beyond.
const MAX_SWITCHES: usize = 10_000;

/// Explores every execution with at most so many preemptions, or every one.
///
/// No limit cuts it off, so a search that returns was exhaustive.
pub fn explore(model: &Model, preemptions: Option<usize>) -> Exploration {
    explore_on::<Observed<Loom>>(model, preemptions)
}

/// As [`explore`], with the primitives of `R`, which are loom's in some wrapping.
pub fn explore_on<R: Runtime>(model: &Model, preemptions: Option<usize>) -> Exploration {
    super::explore::<Loom, R>(model, TOOL, |execution| {
        unlimited(preemptions).check(execution);
        Extent { exhaustive: true }
    })
}

/// Calls `visit` with every execution of the program that has at most so many
/// preemptions.
pub fn for_each(
    statistic: Statistic,
    program: &impl Program,
    preemptions: Option<usize>,
    visit: impl Fn(&History) + Send + Sync + 'static,
) {
    let program = program.clone();
    unlimited(preemptions).check(move || {
        visit(&super::run::<Loom, Observed<Loom>>(statistic, &program));
    });
}

/// The first failure of the program with at most so many preemptions: loom's
/// message, and the execution up to there.
pub fn failure(
    statistic: Statistic,
    program: &impl Program,
    preemptions: usize,
) -> Option<(String, History)> {
    let program = program.clone();
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let execution = move || {
            let history = super::run::<Loom, Observed<Loom>>(statistic, &program);
            if let Some(fault) = Fault::Broken(statistic.keeps()).of(&history) {
                trace::resume(history.events);
                panic!("{fault}");
            }
        };
        unlimited(Some(preemptions)).check(execution);
    }));
    let panic = ended.err()?;
    let history = History::new(trace::take(), Loom::SEQUENTIAL);
    Some((message(&*panic), history))
}

/// With every limit off at which loom would stop in silence, whatever the
/// environment says.
fn unlimited(preemptions: Option<usize>) -> Builder {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_branches = MAX_SWITCHES;
    builder.max_permutations = None;
    builder.max_duration = None;
    builder.checkpoint_file = None;
    builder
}
