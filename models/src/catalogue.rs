//! Every model that the tests and the report run.

use crate::model::{Model, Scheduler, Search};
use crate::mutant::Mutant;
use crate::scenario::Scenario;
use crate::statistic::Statistic;

/// All of them.
pub fn all() -> Vec<Model> {
    [loom(), shuttle(), bounded(), store_buffers(), threads()].concat()
}

/// What loom explores for each statistic.
pub fn loom() -> Vec<Model> {
    let shipped = [
        Statistic::MutableStat,
        Statistic::ConcurrentMutableStat,
        Statistic::Recorder,
    ];
    let shipped = explored(&shipped, &LOOM);
    shipped
        .chain(loom_performance_metrics())
        .chain(explored(&SPECIMENS, &LOOM_SPECIMENS))
        .collect()
}

fn explored(
    statistics: &[Statistic],
    scenarios: &'static [(Scenario, Option<usize>)],
) -> impl Iterator<Item = Model> {
    statistics.iter().flat_map(move |&statistic| {
        scenarios.iter().map(move |&(scenario, preemptions)| Model {
            statistic,
            scenario,
            search: Search::Loom { preemptions },
        })
    })
}

/// The same protocol over a larger accumulator: fewer models, since each
/// execution of them takes longer.
fn loom_performance_metrics() -> impl Iterator<Item = Model> {
    let two_drainers = Scenario::Together {
        writers: 1,
        adds: 2,
        drainers: 2,
        drains: 1,
    };
    let scenarios = [
        (Scenario::together(1, 2, 2), None),
        (Scenario::together(2, 1, 1), Some(3)),
        (Scenario::HandOver { drains: 1 }, None),
        (two_drainers, Some(3)),
        (Scenario::batches(1, 2, 1), Some(3)),
    ];
    scenarios.into_iter().map(|(scenario, preemptions)| Model {
        statistic: Statistic::PerformanceMetrics,
        scenario,
        search: Search::Loom { preemptions },
    })
}

const SPECIMENS: [Statistic; 4] = [
    Statistic::MergedJdk8,
    Statistic::MergedJdk9,
    Statistic::Combined,
    Statistic::Phased,
];

/// The smallest scenarios that show all that the specimens break: one sample;
/// the second add of a thread; two threads that collide; two drains at once.
const LOOM_SPECIMENS: [(Scenario, Option<usize>); 4] = [
    (Scenario::together(1, 1, 1), None),
    (Scenario::together(1, 2, 1), Some(3)),
    (Scenario::together(2, 1, 1), Some(3)),
    (
        Scenario::Watched {
            adds: 1,
            drains: 0,
            looks: 1,
        },
        Some(3),
    ),
];

/// The smallest loom model that kills the mutant; for
/// [`Mutant::HeavyFenceLocal`], which is none under loom, the scenario that the store
/// buffers need.
pub fn smallest(mutant: Mutant) -> Model {
    let scenario = match mutant {
        Mutant::OpeningStoreRelaxed => Scenario::together(1, 2, 1),
        Mutant::EpochRelaxed => Scenario::together(1, 1, 2),
        Mutant::NoWait | Mutant::HeavyFenceLocal => Scenario::together(1, 1, 1),
    };
    Model {
        statistic: Statistic::Recorder,
        scenario,
        search: Search::Loom { preemptions: None },
    }
}

/// A shuttle model that kills the mutant.
pub fn sampled(mutant: Mutant) -> Model {
    Model {
        search: Search::Shuttle {
            scheduler: Scheduler::Random,
            schedules: 10_000,
        },
        ..smallest(mutant)
    }
}

/// Scenarios and preemption bounds.
const LOOM: [(Scenario, Option<usize>); 11] = [
    (Scenario::Signal, None),
    (Scenario::together(1, 3, 2), None),
    (Scenario::together(2, 1, 1), None),
    (Scenario::together(1, 1, 1), None),
    (Scenario::HandOver { drains: 1 }, None),
    (Scenario::together(2, 2, 2), Some(3)),
    (Scenario::together(3, 1, 1), Some(3)),
    (
        Scenario::Together {
            writers: 1,
            adds: 2,
            drainers: 2,
            drains: 1,
        },
        Some(3),
    ),
    (
        Scenario::Watched {
            adds: 2,
            drains: 1,
            looks: 1,
        },
        Some(3),
    ),
    (Scenario::batches(1, 2, 2), None),
    (Scenario::batches(2, 1, 1), Some(3)),
];

/// What shuttle samples for each statistic.
pub fn shuttle() -> Vec<Model> {
    let shipped = [
        Statistic::MutableStatExact,
        Statistic::ConcurrentMutableStat,
        Statistic::Recorder,
    ];
    let models = shipped.into_iter().flat_map(|statistic| {
        SHUTTLE.iter().map(move |&(scheduler, schedules)| Model {
            statistic,
            scenario: Scenario::together(8, 8, 4),
            search: Search::Shuttle {
                scheduler,
                schedules,
            },
        })
    });
    let batches = shipped.into_iter().map(|statistic| Model {
        statistic,
        scenario: Scenario::batches(8, 4, 4),
        search: Search::Shuttle {
            scheduler: Scheduler::Random,
            schedules: 10_000,
        },
    });
    models
        .chain(batches)
        .chain(shuttle_specimens())
        .chain([shuttle_performance_metrics()])
        .collect()
}

/// Few samples: Hadoop's arithmetic cannot tell more apart.
fn shuttle_specimens() -> impl Iterator<Item = Model> {
    let watched = Scenario::Watched {
        adds: 1,
        drains: 0,
        looks: 1,
    };
    let scenarios = [
        (Scenario::together(2, 2, 2), Scheduler::Random),
        // At most three samples an interval: what is wrong with the standard
        // deviation of more shows in the other scenario.
        (Scenario::together(3, 1, 2), Scheduler::Random),
        (watched, Scheduler::Pct { depth: 3 }),
    ];
    SPECIMENS.into_iter().flat_map(move |statistic| {
        scenarios.map(|(scenario, scheduler)| Model {
            statistic,
            scenario,
            search: Search::Shuttle {
                scheduler,
                schedules: 5_000,
            },
        })
    })
}

fn shuttle_performance_metrics() -> Model {
    Model {
        statistic: Statistic::PerformanceMetrics,
        scenario: Scenario::together(8, 4, 4),
        search: Search::Shuttle {
            scheduler: Scheduler::Pct { depth: 3 },
            schedules: 2_000,
        },
    }
}

/// Schedulers and numbers of schedules.
const SHUTTLE: [(Scheduler, usize); 4] = [
    (Scheduler::Random, 30_000),
    (Scheduler::Pct { depth: 3 }, 30_000),
    (Scheduler::Pct { depth: 5 }, 30_000),
    (Scheduler::Urw, 30_000),
];

/// What shuttle's primitives explore within a preemption bound, without any
/// reduction: what loom's search leaves out, it does not.
pub fn bounded() -> Vec<Model> {
    let scenarios = [
        (Scenario::together(1, 1, 1), 8),
        (Scenario::together(1, 2, 2), 5),
        (Scenario::together(2, 1, 1), 3),
        (Scenario::together(2, 2, 1), 2),
        (Scenario::HandOver { drains: 1 }, 3),
    ];
    let statistics = [Statistic::ConcurrentMutableStat, Statistic::Recorder];
    let models = statistics.into_iter().flat_map(|statistic| {
        scenarios.map(|(scenario, preemptions)| Model {
            statistic,
            scenario,
            search: Search::Bounded { preemptions },
        })
    });
    models.collect()
}

/// What shuttle samples with the store buffers of x86.
pub fn store_buffers() -> Vec<Model> {
    let statistics = [Statistic::ConcurrentMutableStat, Statistic::Recorder];
    let scenarios = [Scenario::together(2, 3, 2), Scenario::together(8, 8, 4)];
    let models = statistics.into_iter().flat_map(|statistic| {
        scenarios.map(|scenario| Model {
            statistic,
            scenario,
            search: Search::StoreBuffers { schedules: 20_000 },
        })
    });
    models.collect()
}

/// What native threads run for each statistic.
pub fn threads() -> Vec<Model> {
    let statistics = [
        Statistic::MutableStatExact,
        Statistic::ConcurrentMutableStat,
        Statistic::Recorder,
        Statistic::PerformanceMetrics,
    ];
    let models = statistics.into_iter().map(|statistic| Model {
        statistic,
        scenario: Scenario::Together {
            writers: 4,
            adds: 16,
            drainers: 2,
            drains: 8,
        },
        search: Search::Threads { runs: 2_000 },
    });
    models.collect()
}
