//! What a mutant is put to, engine by engine: the smallest model that can kill
//! first, and each next one only if the ones before it did not.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{Model, Scheduler, Search};
use crate::scenario::Scenario;
use crate::statistic::Statistic;
use crate::stress::{Form, Stress};

/// What can kill a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Every interleaving, and every stale read that the orderings permit.
    Loom,
    /// Sampled interleavings, every access sequentially consistent.
    Shuttle,
    /// Sampled interleavings with the store buffers of x86.
    StoreBuffers,
    /// Native threads under load, on the primitives that ship.
    Native,
    /// The same programs, small, interpreted by Miri with many seeds.
    Miri,
    /// The sequential properties of the accumulators.
    Proptest,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Loom,
        Self::Shuttle,
        Self::StoreBuffers,
        Self::Native,
        Self::Miri,
        Self::Proptest,
    ];

    /// Its name, in results and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loom => "loom",
            Self::Shuttle => "shuttle",
            Self::StoreBuffers => "store-buffers",
            Self::Native => "native",
            Self::Miri => "miri",
            Self::Proptest => "proptest",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A step of a ladder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rung {
    /// A model.
    Model(Model),
    /// A program for native threads, or Miri.
    Stress(Stress),
}

impl Rung {
    /// Its name in results.
    pub fn id(&self) -> String {
        match self {
            Self::Model(model) => model.id(),
            Self::Stress(stress) => stress.id(),
        }
    }
}

/// What a mutant is put to under `engine`, in this order. The properties of the
/// accumulators are tests of their own package and have no rung here.
pub fn ladder(engine: Engine) -> Vec<Rung> {
    match engine {
        Engine::Loom => loom(),
        Engine::Shuttle => shuttle(),
        Engine::StoreBuffers => store_buffers(),
        Engine::Native => stresses(2_000, 100),
        Engine::Miri => stresses(3, 1),
        Engine::Proptest => Vec::new(),
    }
}

const ONE_ADD_TWO_DRAINERS: Scenario = Scenario::Together {
    writers: 1,
    adds: 1,
    drainers: 2,
    drains: 1,
};

const TWO_DRAINERS: Scenario = Scenario::Together {
    writers: 1,
    adds: 2,
    drainers: 2,
    drains: 1,
};

fn model(statistic: Statistic, scenario: Scenario, search: Search) -> Rung {
    Rung::Model(Model {
        statistic,
        scenario,
        search,
    })
}

fn loom() -> Vec<Rung> {
    use Statistic::{ConcurrentMutableStat, MutableStatExact, Recorder};
    let rungs = [
        (Recorder, Scenario::together(1, 1, 1), None),
        (MutableStatExact, Scenario::together(1, 1, 1), None),
        (MutableStatExact, Scenario::together(1, 2, 1), None),
        (ConcurrentMutableStat, Scenario::together(1, 1, 1), None),
        (Recorder, Scenario::together(1, 2, 1), None),
        (Recorder, Scenario::together(1, 1, 2), None),
        (
            Recorder,
            Scenario::Relay {
                writers: 2,
                drains: 0,
            },
            None,
        ),
        (
            ConcurrentMutableStat,
            Scenario::Relay {
                writers: 2,
                drains: 0,
            },
            None,
        ),
        (
            Recorder,
            Scenario::Relay {
                writers: 3,
                drains: 0,
            },
            Some(2),
        ),
        (ConcurrentMutableStat, Scenario::together(2, 1, 1), Some(2)),
        (Recorder, ONE_ADD_TWO_DRAINERS, Some(4)),
        (Recorder, TWO_DRAINERS, Some(3)),
        (Recorder, Scenario::together(1, 3, 2), None),
    ];
    let rungs = rungs.map(|(statistic, scenario, preemptions)| {
        model(statistic, scenario, Search::Loom { preemptions })
    });
    rungs.to_vec()
}

fn shuttle() -> Vec<Rung> {
    let scenarios = [
        (Statistic::Recorder, Scenario::together(1, 2, 2)),
        (Statistic::Recorder, Scenario::together(2, 2, 1)),
        (Statistic::MutableStatExact, Scenario::together(2, 2, 2)),
        (
            Statistic::ConcurrentMutableStat,
            Scenario::Relay {
                writers: 3,
                drains: 1,
            },
        ),
        (Statistic::Recorder, TWO_DRAINERS),
        (
            Statistic::Recorder,
            Scenario::Watched {
                adds: 2,
                drains: 2,
                looks: 2,
            },
        ),
        (
            Statistic::ConcurrentMutableStat,
            Scenario::together(4, 4, 3),
        ),
    ];
    let rungs = scenarios.map(|(statistic, scenario)| {
        let search = Search::Shuttle {
            scheduler: Scheduler::Random,
            schedules: 2_000,
        };
        model(statistic, scenario, search)
    });
    rungs.to_vec()
}

fn store_buffers() -> Vec<Rung> {
    let scenarios = [
        Scenario::together(1, 2, 2),
        TWO_DRAINERS,
        Scenario::together(2, 3, 2),
    ];
    let rungs = scenarios.map(|scenario| {
        let search = Search::StoreBuffers { schedules: 2_000 };
        model(Statistic::Recorder, scenario, search)
    });
    rungs.to_vec()
}

fn stresses(adds: usize, rounds: usize) -> Vec<Rung> {
    Form::ALL
        .map(|form| Rung::Stress(Stress { form, adds, rounds }))
        .to_vec()
}
