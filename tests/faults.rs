//! What goes wrong around the statistic costs no sample but the one in hand.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use interval_stat::{Accumulator, Interval, Moments, Striped};

/// Counts samples, and panics at those and while told to.
#[derive(Clone)]
struct Faulty {
    samples: u64,
    merge_fails: Arc<AtomicBool>,
}

/// The sample at which `record` panics.
const POISON: i64 = i64::MIN;

impl Faulty {
    fn new() -> Self {
        Self {
            samples: 0,
            merge_fails: Arc::default(),
        }
    }
}

impl Accumulator for Faulty {
    fn record(&mut self, sample: i64) {
        assert_ne!(sample, POISON, "record fails, as the test told it");
        self.samples += 1;
    }
    fn merge(&mut self, other: &Self) {
        let fails = other.samples == 2 && self.merge_fails.load(SeqCst);
        assert!(!fails, "merge fails, as the test told it");
        self.samples += other.samples;
    }
    fn clear(&mut self) {
        self.samples = 0;
    }
}

fn panics(action: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(action)).is_err()
}

#[test]
fn a_record_that_panics_costs_its_sample_and_leaves_no_add_in_flight() {
    let samples: Striped<Faulty> = Striped::new(Faulty::new(), ());
    let mut recorder = samples.recorder();
    recorder.add(1);
    assert!(panics(|| recorder.add(POISON)));
    recorder.add(2);
    samples.add(3);
    assert!(panics(|| samples.add(POISON)));
    samples.add(4);
    assert_eq!(samples.drain().samples, 4);
}

#[test]
fn a_merge_that_panics_loses_nothing_and_the_error_reaches_who_drains() {
    let faulty = Faulty::new();
    let samples: Striped<Faulty> = Striped::new(faulty.clone(), ());
    // Three stripes, visited from the newest: 4 samples, then the 2 that do not
    // merge, then 1.
    let mut recorders = [samples.recorder(), samples.recorder(), samples.recorder()];
    for (recorder, count) in recorders.iter_mut().zip([1, 2, 4]) {
        (0..count).for_each(|sample| recorder.add(sample));
    }
    faulty.merge_fails.store(true, SeqCst);
    assert!(panics(|| drop(samples.drain())));
    faulty.merge_fails.store(false, SeqCst);

    recorders[0].add(0);
    let next = samples.drain().samples;
    let one_after = samples.drain().samples;
    assert_eq!((next, one_after), (4 + 1, 2 + 1));
    assert_eq!(samples.drain().samples, 0);
}

#[test]
fn a_gather_that_panics_leaves_the_drain_free_for_the_next() {
    let samples: Striped<Moments, u64> = Striped::new(Moments::EMPTY, 0);
    samples.add(1);
    assert!(panics(|| samples.drain_with(|_, _| panic!("as told"))));
    samples.add(2);
    assert_eq!(samples.drain().sum(), 2);
}

thread_local! {
    /// Made before the statistic's own thread-locals, and so destroyed after.
    static LAST_WORDS: Cell<Option<LastWords>> = const { Cell::new(None) };
}

/// Adds a sample when its thread's thread-locals are destroyed.
struct LastWords(Arc<Striped<Moments>>);

impl Drop for LastWords {
    fn drop(&mut self) {
        self.0.add(40);
    }
}

#[test]
fn an_add_from_a_thread_local_destructor_counts() {
    let samples: Arc<Striped<Moments>> = Arc::new(Striped::new(Moments::EMPTY, ()));
    for _ in 0..3 {
        let for_thread = Arc::clone(&samples);
        let ended = thread::spawn(move || {
            LAST_WORDS.set(Some(LastWords(Arc::clone(&for_thread))));
            for_thread.add(2);
        });
        ended.join().expect("no destructor panics");
    }
    let batch = samples.drain();
    assert_eq!((batch.count(), batch.sum()), (6, 3 * 42));
}

#[test]
fn a_first_add_from_a_thread_local_destructor_counts() {
    let samples: Arc<Striped<Moments>> = Arc::new(Striped::new(Moments::EMPTY, ()));
    let for_thread = Arc::clone(&samples);
    let ended = thread::spawn(move || LAST_WORDS.set(Some(LastWords(for_thread))));
    ended.join().expect("no destructor panics");
    assert_eq!(samples.drain().sum(), 40);
}
