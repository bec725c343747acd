//! What the outcome tables must show.

use std::collections::BTreeSet;

use models::batch::Batch;
use models::outcome_table::{Grade, OutcomeTable, scenarios, tabulate};
use models::statistic::Statistic;

fn intervals(table: &OutcomeTable) -> BTreeSet<Vec<Option<Batch>>> {
    table.rows.iter().map(|row| row.intervals.clone()).collect()
}

/// What can be reported without a lock is what can be reported with one.
#[test]
fn the_striped_statistic_reports_what_the_locked_one_can() {
    for (scenario, preemptions) in scenarios() {
        let locked = tabulate(Statistic::MutableStat, scenario, preemptions);
        let striped = tabulate(Statistic::ConcurrentMutableStat, scenario, preemptions);
        assert_eq!(locked.executions(Grade::Forbidden), 0, "{locked}");
        assert_eq!(striped.executions(Grade::Forbidden), 0, "{striped}");
        assert_eq!(intervals(&locked), intervals(&striped), "{locked}{striped}");
    }
}

#[test]
fn the_merged_algorithm_has_forbidden_results_in_every_scenario() {
    for (scenario, preemptions) in scenarios() {
        for specimen in [Statistic::MergedJdk8, Statistic::MergedJdk9] {
            let table = tabulate(specimen, scenario, preemptions);
            assert!(table.executions(Grade::Forbidden) > 0, "{table}");
        }
    }
}
