//! A model: a statistic, a scenario, and how its executions are searched.

use serde::{Deserialize, Serialize};

use crate::explore::{self, Exploration};
use crate::guarantees::Guarantee;
use crate::scenario::Scenario;
use crate::statistic::Statistic;
use crate::witness::Witness;

/// What is run, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// The statistic.
    pub statistic: Statistic,
    /// The program.
    pub scenario: Scenario,
    /// The choice of executions.
    pub search: Search,
}

/// How executions are chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Search {
    /// Every execution with at most so many preemptions, or every one, by loom.
    Loom {
        /// The bound.
        preemptions: Option<usize>,
    },
    /// Native threads, so often.
    Threads {
        /// The number of runs.
        runs: usize,
    },
    /// A number of schedules with the store buffers of x86, by shuttle.
    StoreBuffers {
        /// How many.
        schedules: usize,
    },
    /// Every schedule with at most so many preemptions, sequentially consistent,
    /// on shuttle's primitives.
    Bounded {
        /// The bound.
        preemptions: usize,
    },
    /// A number of schedules, by shuttle.
    Shuttle {
        /// What draws them.
        scheduler: Scheduler,
        /// How many.
        schedules: usize,
    },
}

/// What draws schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheduler {
    /// At each step any thread with the same probability.
    Random,
    /// Random priorities that change at a few random steps: finds faults that
    /// take up to `depth` ordering constraints with a known probability.
    Pct {
        /// The number of constraints.
        depth: usize,
    },
    /// Uniform random walk: threads weighted by the steps they have left.
    Urw,
}

impl Search {
    /// The name of the engine that makes it.
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Loom { .. } => "loom",
            Self::StoreBuffers { .. } => "store buffers",
            Self::Shuttle { .. } | Self::Bounded { .. } => "shuttle",
            Self::Threads { .. } => "threads",
        }
    }

    /// What it can judge. The steps inside an operation show only to the
    /// engines that observe them.
    pub fn checks(&self) -> &'static [Guarantee] {
        match self {
            Self::Loom { .. } | Self::Shuttle { .. } | Self::Bounded { .. } => {
                &Guarantee::OF_HISTORIES
            }
            Self::StoreBuffers { .. } => Guarantee::OF_ADDS,
            Self::Threads { .. } => Guarantee::OF_OPERATIONS,
        }
    }

    /// Its name in results.
    pub fn name(&self) -> String {
        match self {
            Self::Threads { .. } => "as scheduled".to_owned(),
            Self::StoreBuffers { .. } => "random, x86-TSO".to_owned(),
            Self::Loom { preemptions: None } => "no preemption bound".to_owned(),
            Self::Loom {
                preemptions: Some(bound),
            } => format!("at most {bound} preemptions"),
            Self::Bounded { preemptions } => {
                format!("every schedule, at most {preemptions} preemptions")
            }
            Self::Shuttle {
                scheduler: Scheduler::Random,
                ..
            } => "random".to_owned(),
            Self::Shuttle {
                scheduler: Scheduler::Pct { depth },
                ..
            } => format!("PCT depth {depth}"),
            Self::Shuttle {
                scheduler: Scheduler::Urw,
                ..
            } => "URW".to_owned(),
        }
    }
}

impl Model {
    /// A name without spaces, for files and the command line.
    pub fn id(&self) -> String {
        let text = format!(
            "{}-{}-{}-{}",
            self.search.engine(),
            self.statistic.name(),
            self.scenario.name(),
            self.search.name()
        );
        let words = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-").to_lowercase()
    }

    /// The interesting states that it must reach: those of the statistic, if its
    /// engine drives the threads there. What native threads reach is up to the
    /// system; the outcome counts it.
    pub fn must_reach(&self) -> &'static [Witness] {
        match self.search {
            Search::Threads { .. } => &[],
            _ => self.statistic.reaches(),
        }
    }

    /// Runs it.
    ///
    /// # Panics
    ///
    /// If the feature of its engine is off.
    pub fn explore(&self) -> Exploration {
        explore::by_search(self)
    }
}
