//! Running the models.

use crate::plan::Effort;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A guarantee of a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "their names are given by `name`")]
pub enum Guarantee {
    G1,
    G2,
    G3,
    G4,
    G5,
    G6,
    G7,
    G8,
}

impl Guarantee {
    /// All, in order.
    pub const ALL: [Self; 8] = [
        Self::G1,
        Self::G2,
        Self::G3,
        Self::G4,
        Self::G5,
        Self::G6,
        Self::G7,
        Self::G8,
    ];

    /// Its name and what it says.
    #[must_use]
    pub fn wording(self) -> (&'static str, &'static str) {
        match self {
            Self::G1 => ("conserved", "the intervals add up to all that was added"),
            Self::G2 => (
                "extremes",
                "min and max over all intervals are those of the samples",
            ),
            Self::G3 => (
                "whole",
                "every interval sums up some set of samples exactly",
            ),
            Self::G4 => (
                "timely",
                "what was added before a drain is in it or an earlier one",
            ),
            Self::G5 => (
                "one cut",
                "adds and drains have one order, true to real time",
            ),
            Self::G6 => (
                "wait-free add",
                "an add takes a fixed number of steps, whatever others do",
            ),
            Self::G7 => (
                "drain progress",
                "a drain waits only for adds that had begun",
            ),
            Self::G8 => (
                "exact numbers",
                "mean and deviation are the nearest to the exact ones",
            ),
        }
    }
}

/// What a model says about a guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// No execution explored breaks it.
    Holds,
    /// Some execution explored breaks it.
    Violated,
}

/// What running a model showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRun {
    /// The tool and its version.
    pub tool: String,
    /// The statistic checked.
    pub statistic: String,
    /// The program that was run.
    pub scenario: String,
    /// How the executions were chosen: the bound, or the scheduler.
    pub search: String,
    /// Whether all executions within the bound were explored.
    pub exhaustive: bool,
    /// How many were.
    pub executions: u64,
    /// How long it took.
    pub seconds: f64,
    /// What it says.
    pub verdicts: BTreeMap<Guarantee, Verdict>,
    /// What stopped it early.
    pub failure: Option<String>,
}

impl ModelRun {
    /// What should not have happened.
    pub(crate) fn fault(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        let Self {
            tool,
            statistic,
            scenario,
            ..
        } = self;
        Some(format!("{tool}, {statistic}, {scenario}: {failure}"))
    }
}

/// A model that can be run.
pub trait Model {
    /// Its name, for progress displays.
    fn name(&self) -> String;

    /// About how long it takes, for progress displays.
    fn expected(&self) -> Duration;

    /// Runs it.
    fn run(&self) -> ModelRun;
}

/// The models that there is time for.
pub type Catalogue = fn(Effort) -> Vec<Box<dyn Model>>;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A model that says this about G1.
    pub(crate) fn run(statistic: &str, exhaustive: bool, verdict: Verdict) -> ModelRun {
        ModelRun {
            tool: "loom 0.7.3".to_owned(),
            statistic: statistic.to_owned(),
            scenario: "2 writers x 1 add x 1 drain".to_owned(),
            search: "no preemption bound".to_owned(),
            exhaustive,
            executions: 237_483,
            seconds: 11.04,
            verdicts: [(Guarantee::G1, verdict)].into(),
            failure: None,
        }
    }
}
