//! All executions within a preemption bound, by loom.

use ::loom::model::Builder;
use interval_stat::runtime::Loom;

use super::{Exploration, Extent};
use crate::model::Model;
use crate::observed::Observed;

/// The version that the results hold for.
pub const TOOL: &str = "loom 0.7.3";

/// More switches between threads than any execution here has; loom panics
/// beyond.
const MAX_SWITCHES: usize = 10_000;

/// Explores every execution with at most so many preemptions, or every one.
///
/// Every limit at which loom would stop in silence is off, whatever the
/// environment says, so a search that returns was exhaustive.
pub fn explore(model: &Model, preemptions: Option<usize>) -> Exploration {
    super::explore::<Loom, Observed<Loom>>(model, TOOL, |execution| {
        let mut builder = Builder::new();
        builder.preemption_bound = preemptions;
        builder.max_branches = MAX_SWITCHES;
        builder.max_permutations = None;
        builder.max_duration = None;
        builder.checkpoint_file = None;
        builder.check(execution);
        Extent { exhaustive: true }
    })
}
