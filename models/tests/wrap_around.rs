//! Sequence numbers and epochs wrap around at 2^64, which no run lives to see.
//! Here they begin two below: every stripe wraps at its first add, the epoch at
//! the second drain.

use interval_stat::runtime::{Loom, Shuttle};
use models::engine::Engine;
use models::explore::{Exploration, loom, shuttle};
use models::guarantees::Guarantee;
use models::model::{Model, Scheduler, Search};
use models::observed::Observed;
use models::reliability::Thrown;
use models::scenario::Scenario;
use models::statistic::Statistic;
use models::store_buffers::StoreBuffers;
use models::twisted::{NearWrap, Twisted};

/// The step over the edge is in an add, in a drain, and in both of two writers.
const SCENARIOS: [Scenario; 3] = [
    Scenario::together(1, 3, 3),
    Scenario::together(2, 1, 1),
    Scenario::HandOver { drains: 2 },
];

/// Schedules of each scenario that are drawn.
const SCHEDULES: usize = 20_000;

type Near<E> = Twisted<Observed<E>, NearWrap>;

/// In this order: shuttle leaves a panic hook, and loom ends its threads by panics.
#[test]
fn the_guarantees_hold_across_it() {
    by_loom();
    by_shuttle();
    with_store_buffers();
}

fn by_loom() {
    let search = Search::Loom {
        preemptions: Some(3),
    };
    hold(search, "loom executions", |model| {
        let exploration = loom::explore_on::<Near<Loom>>(model, Some(3));
        assert!(exploration.outcome.exhaustive);
        exploration
    });
}

fn by_shuttle() {
    let search = Search::Shuttle {
        scheduler: Scheduler::Random,
        schedules: SCHEDULES,
    };
    hold(search, "shuttle schedules", drawn::<Shuttle>);
}

fn with_store_buffers() {
    let search = Search::StoreBuffers {
        schedules: SCHEDULES,
    };
    hold(
        search,
        "schedules with store buffers",
        drawn::<StoreBuffers>,
    );
}

fn drawn<E: Engine>(model: &Model) -> Exploration {
    shuttle::explore_on::<E, Near<E>>(model, SCHEDULES)
}

fn hold(search: Search, unit: &str, explore: impl Fn(&Model) -> Exploration) {
    let mut executions = 0;
    for scenario in SCENARIOS {
        let model = Model {
            statistic: Statistic::ConcurrentMutableStat,
            scenario,
            search: search.clone(),
        };
        let outcome = explore(&model).outcome;
        println!("{}", outcome.line());
        outcome.meets(&model).unwrap();
        assert!(outcome.holds(Guarantee::G5));
        executions += outcome.executions;
    }
    let what = "wrap-around of sequence numbers and epoch";
    Thrown::new(what, executions, unit).say();
}
