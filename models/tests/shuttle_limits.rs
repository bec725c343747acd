//! Limits of shuttle that its models live with, each pinned by a test that fails
//! when a version of shuttle lifts it.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, Mutex};

use shuttle::scheduler::{DfsScheduler, RandomScheduler};
use shuttle::sync::atomic::AtomicU64;
use shuttle::{Config, MaxSteps, Runner, thread};

fn quiet() -> Config {
    let mut config = Config::new();
    config.silence_warnings = true;
    config
}

/// Two threads, each of which stores to one word and then loads the other.
fn store_then_load() -> (u64, u64) {
    let words = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let others = Arc::clone(&words);
    let thread = thread::spawn(move || {
        others.1.store(1, Relaxed);
        others.0.load(Relaxed)
    });
    words.0.store(1, Relaxed);
    let read = words.1.load(Relaxed);
    (read, thread.join().unwrap())
}

/// Relaxed accesses let both threads read 0; shuttle takes them for sequentially
/// consistent. So it must miss every mutant of an ordering, and says nothing on
/// orderings: loom, Miri and the store buffers do. When this fails, the rule for
/// shuttle in the ledger's expectations changes.
#[test]
fn every_access_is_sequentially_consistent() {
    let found = Arc::new(Mutex::new(BTreeSet::new()));
    let gathered = Arc::clone(&found);
    let scheduler = DfsScheduler::new(None, false);
    Runner::new(scheduler, quiet()).run(move || {
        gathered.lock().unwrap().insert(store_then_load());
    });
    let found = found.lock().unwrap();
    assert_eq!(*found, BTreeSet::from([(0, 1), (1, 0), (1, 1)]));
}

/// A weak compare-exchange may fail for no reason; in shuttle it does not. It
/// bounds the same claim as loom's.
#[test]
fn a_weak_compare_exchange_never_fails_for_no_reason() {
    Runner::new(RandomScheduler::new_from_seed(0, 1_000), quiet()).run(|| {
        let word = AtomicU64::new(0);
        assert!(word.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok());
    });
}

/// How many executions begin, and how many of them end.
fn begun_and_ended(
    config: Config,
    scheduler: impl shuttle::scheduler::Scheduler + 'static,
) -> (usize, usize) {
    let counts = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let counted = Arc::clone(&counts);
    Runner::new(scheduler, config).run(move || {
        counted.0.fetch_add(1, SeqCst);
        store_then_load();
        counted.1.fetch_add(1, SeqCst);
    });
    (counts.0.load(SeqCst), counts.1.load(SeqCst))
}

/// An execution that is longer than permitted can be dropped without a word. The
/// claim that rests on it: schedules counted are schedules run to their end,
/// because the models fail at that limit. When this fails, there is no such
/// silence.
#[test]
fn executions_can_be_dropped_in_silence() {
    let mut config = quiet();
    config.max_steps = MaxSteps::ContinueAfter(2);
    let (begun, ended) = begun_and_ended(config, RandomScheduler::new_from_seed(0, 10));
    assert_eq!((begun, ended), (10, 0));
}

/// Shuttle's depth-first search stops in silence if it has a limit. The models
/// that are called exhaustive have a scheduler of ours, without a limit
/// (`explore/bounded.rs`).
#[test]
fn a_limited_depth_first_search_stops_in_silence() {
    let limited = begun_and_ended(quiet(), DfsScheduler::new(Some(2), false)).0;
    let all = begun_and_ended(quiet(), DfsScheduler::new(None, false)).0;
    assert_eq!(limited, 2);
    assert!(all > 2, "there are {all} executions");
}
