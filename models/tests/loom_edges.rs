//! No plain access is ordered by the fences alone: see `models::edges`.

use std::sync::Arc;
use std::sync::Mutex;

use interval_stat::runtime::Loom;
use models::edges::{Race, race};
use models::explore::run;
use models::mutant::{self, Mutant};
use models::observed::Observed;
use models::scenario::Scenario;
use models::statistic::Statistic;

/// The first race over all executions, and how many there were.
fn explored(scenario: Scenario) -> (Option<Race>, usize) {
    let found = Arc::new(Mutex::new((None, 0)));
    let gathered = Arc::clone(&found);
    loom::model::Builder::new().check(move || {
        let history = run::<Loom, Observed<Loom>>(Statistic::Recorder, &scenario);
        let mut found = gathered.lock().unwrap();
        found.1 += 1;
        found.0 = found.0.take().or(race(&history.events));
    });
    std::mem::take(&mut *found.lock().unwrap())
}

#[test]
fn release_and_acquire_order_every_plain_access() {
    for scenario in [
        Scenario::together(1, 2, 1),
        Scenario::together(1, 1, 2),
        Scenario::together(1, 2, 2),
    ] {
        let (race, executions) = explored(scenario);
        println!("{}: {executions} executions", scenario.name());
        assert_eq!(race, None, "{}", scenario.name());
    }
}

/// The edges see a race on their own, before loom reports it: in an execution
/// whose accesses the fences happen to order.
#[test]
fn the_edges_see_what_a_relaxed_store_leaves_out() {
    let found = Arc::new(Mutex::new(false));
    let gathered = Arc::clone(&found);
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        mutant::with(Mutant::EpochRelaxed, || {
            loom::model::Builder::new().check(move || {
                let scenario = Scenario::together(1, 1, 2);
                let history = run::<Loom, Observed<Loom>>(Statistic::Recorder, &scenario);
                *gathered.lock().unwrap() |= race(&history.events).is_some();
            });
        });
    }));
    assert!(ended.is_err(), "loom rejects it too");
    assert!(*found.lock().unwrap());
}
