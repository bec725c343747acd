//! Runs every native model of the catalogue, and histories of random shape.

use std::process::ExitCode;

use models::catalogue;
use models::guarantees::Guarantee;
use models::model::{Model, Search};
use models::scenario::Scenario;
use models::statistic::Statistic;
use models::verdicts::CameOut;
use proptest::prelude::*;

#[test]
fn native_threads_keep_the_guarantees() {
    let came_out = CameOut::default();
    for model in catalogue::threads() {
        let recorded = came_out.record(&model);
        recorded.unwrap_or_else(|missing| panic!("{}: {missing}", model.id()));
    }
    assert_eq!(came_out.conclude(&["threads"]), ExitCode::SUCCESS);
}

proptest! {
    #[test]
    fn histories_of_any_shape_keep_the_guarantees(
        writers in 1_usize..=5,
        adds in 1_usize..=12,
        drainers in 1_usize..=3,
        drains in 1_usize..=6,
        statistic in prop::sample::select(vec![
            Statistic::MutableStatExact,
            Statistic::ConcurrentMutableStat,
            Statistic::Recorder,
        ]),
    ) {
        let model = Model {
            statistic,
            scenario: Scenario::Together { writers, adds, drainers, drains },
            search: Search::Threads { runs: 20 },
        };
        let outcome = model.explore().outcome;
        for &guarantee in Guarantee::OF_OPERATIONS {
            prop_assert!(outcome.holds(guarantee), "{}", outcome.line());
        }
    }
}
