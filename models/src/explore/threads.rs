//! Executions as native threads happen to make them.
//!
//! The statistic runs on the primitives that ship. Calls and returns are logged
//! under a lock, which orders the operations among themselves, but nothing
//! inside them.

use interval_stat::runtime::Std;

use super::{Exploration, Extent};
use crate::model::Model;

/// What the results hold for.
pub const TOOL: &str = "native threads";

/// Runs the scenario so often.
pub fn explore(model: &Model, runs: usize) -> Exploration {
    super::explore::<Std, Std>(model, TOOL, |execution| {
        (0..runs).for_each(|_| execution());
        Extent { exhaustive: false }
    })
}
