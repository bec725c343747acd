//! Sequence numbers and epochs wrap around at 2^64, which no run lives to see.
//! Here they begin two below: every stripe wraps at its first add, the epoch at
//! the second drain.

use interval_stat::runtime::Loom;
use models::explore::loom::explore_on;
use models::guarantees::Guarantee;
use models::model::{Model, Search};
use models::observed::Observed;
use models::reliability::Thrown;
use models::scenario::Scenario;
use models::statistic::Statistic;
use models::twisted::{NearWrap, Twisted};

/// The step over the edge is in an add, in a drain, and in both of two writers.
#[test]
fn the_guarantees_hold_across_it() {
    let scenarios = [
        (Scenario::together(1, 3, 3), Some(3)),
        (Scenario::together(2, 1, 1), Some(3)),
        (Scenario::HandOver { drains: 2 }, Some(3)),
    ];
    let mut executions = 0;
    for (scenario, preemptions) in scenarios {
        let model = Model {
            statistic: Statistic::ConcurrentMutableStat,
            scenario,
            search: Search::Loom { preemptions },
        };
        let outcome = explore_on::<Twisted<Observed<Loom>, NearWrap>>(&model, preemptions).outcome;
        println!("{}", outcome.line());
        outcome.meets(&model).unwrap();
        assert!(outcome.exhaustive && outcome.holds(Guarantee::G5));
        executions += outcome.executions;
    }
    Thrown::new(
        "wrap-around of sequence numbers and epoch",
        executions,
        "loom executions",
    )
    .say();
}
