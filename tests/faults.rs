//! What goes wrong around the statistic costs no sample but the one in hand.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, LazyLock};
use std::thread;

use interval_stat::{Accumulator, Interval, Moments, Striped};

mod thrown;
use thrown::thrown;

/// Counts samples, and panics at those and while told to.
struct Faulty {
    samples: u64,
    merge_fails: Arc<AtomicBool>,
    clone_fails: Arc<AtomicBool>,
}

impl Clone for Faulty {
    fn clone(&self) -> Self {
        let fails = self.clone_fails.load(SeqCst);
        assert!(!fails, "clone fails, as the test told it");
        Self {
            samples: self.samples,
            merge_fails: Arc::clone(&self.merge_fails),
            clone_fails: Arc::clone(&self.clone_fails),
        }
    }
}

/// The sample at which `record` panics.
const POISON: i64 = i64::MIN;

impl Faulty {
    fn new() -> Self {
        Self {
            samples: 0,
            merge_fails: Arc::default(),
            clone_fails: Arc::default(),
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

#[test]
fn a_thread_that_panics_between_adds_leaves_what_it_added() {
    let samples: Arc<Striped<Moments>> = Arc::new(Striped::new(Moments::EMPTY, ()));
    for _ in 0..3 {
        let samples = Arc::clone(&samples);
        let thread = thread::spawn(move || {
            let mut recorder = samples.recorder();
            recorder.add(1);
            samples.add(2);
            panic!("as told");
        });
        assert!(thread.join().is_err());
    }
    samples.recorder().add(4);
    assert_eq!(samples.drain().sum(), 3 * 3 + 4);
}

/// Counts samples; one that is negative adds another one to the same statistic
/// while it is recorded.
#[derive(Clone)]
struct Reentrant(u64);

static REENTRANT: LazyLock<Striped<Reentrant>> = LazyLock::new(|| Striped::new(Reentrant(0), ()));

impl Accumulator for Reentrant {
    fn record(&mut self, sample: i64) {
        if sample < 0 {
            REENTRANT.add(1);
        }
        self.0 += 1;
    }
    fn merge(&mut self, other: &Self) {
        self.0 += other.0;
    }
    fn clear(&mut self) {
        self.0 = 0;
    }
}

/// Which is what a signal handler does that adds in the middle of an add.
#[test]
fn an_add_in_the_middle_of_an_add_of_the_same_thread_is_refused() {
    REENTRANT.add(1);
    assert!(panics(|| REENTRANT.add(-1)));
    REENTRANT.add(1);
    assert_eq!(REENTRANT.drain().0, 2);
}

#[test]
fn a_clone_that_panics_reaches_the_first_add_and_harms_no_later_one() {
    let faulty = Faulty::new();
    let fails = Arc::clone(&faulty.clone_fails);
    let samples: Striped<Faulty> = Striped::new(faulty, ());
    fails.store(true, SeqCst);
    assert!(panics(|| samples.add(1)));
    assert!(panics(|| drop(samples.recorder())));
    fails.store(false, SeqCst);
    samples.add(2);
    samples.recorder().add(3);
    assert_eq!(samples.drain().samples, 2);
}

/// Counts samples; every tenth call of `record` panics, and every third one of
/// `merge`, until it is told to stop that.
#[derive(Clone)]
struct Flaky {
    samples: u64,
    faults: &'static Faults,
}

#[derive(Default)]
struct Faults {
    record: Fault,
    merge: Fault,
    stopped: AtomicBool,
}

#[derive(Default)]
struct Fault {
    calls: AtomicU64,
    panics: AtomicU64,
}

impl Faults {
    fn may_panic(&self, fault: &Fault, every: u64) {
        let call = fault.calls.fetch_add(1, SeqCst);
        if call % every == 0 && !self.stopped.load(SeqCst) {
            fault.panics.fetch_add(1, SeqCst);
            // Without a word: there are many.
            resume_unwind(Box::new(()));
        }
    }
}

impl Accumulator for Flaky {
    fn record(&mut self, _: i64) {
        self.faults.may_panic(&self.faults.record, 10);
        self.samples += 1;
    }
    fn merge(&mut self, other: &Self) {
        self.faults.may_panic(&self.faults.merge, 3);
        self.samples += other.samples;
    }
    fn clear(&mut self) {
        self.samples = 0;
    }
}

#[test]
fn panics_of_writers_and_drains_beside_each_other_lose_nothing() {
    /// Panics of `merge`; those of `record` are many more.
    const MERGES: u64 = 100;
    static FAULTS: LazyLock<Faults> = LazyLock::new(Faults::default);
    let empty = Flaky {
        samples: 0,
        faults: &FAULTS,
    };
    let samples: Striped<Flaky> = Striped::new(empty, ());
    let over = AtomicBool::new(false);
    let drain = || catch_unwind(AssertUnwindSafe(|| samples.drain().samples)).unwrap_or(0);
    let (added, mut drained) = thread::scope(|threads| {
        let drainer = threads.spawn(|| {
            let mut drained = 0;
            while !over.load(SeqCst) {
                drained += drain();
            }
            drained
        });
        let write = || {
            let mut added = 0;
            while FAULTS.merge.panics.load(SeqCst) < MERGES {
                added += u64::from(!panics(|| samples.add(1)));
            }
            added
        };
        let writers = [(); 2].map(|()| threads.spawn(write));
        let added: u64 = writers.map(|writer| writer.join().unwrap()).iter().sum();
        over.store(true, SeqCst);
        (added, drainer.join().unwrap())
    });
    FAULTS.stopped.store(true, SeqCst);
    // One for what drains had taken, one for what they had left.
    drained += drain() + drain();
    let [record, merge] = [&FAULTS.record, &FAULTS.merge].map(|fault| fault.panics.load(SeqCst));
    let panics = record + merge;
    thrown(
        "panics in record and merge",
        panics,
        "panics",
        added,
        drained,
    );
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

/// A thread on which another user of the `thread_local` crate was before: what that
/// crate destroys first, takes the thread's number with it.
fn beside_another_user(add_before: bool) -> i128 {
    let samples: Arc<Striped<Moments>> = Arc::new(Striped::new(Moments::EMPTY, ()));
    let first = Arc::clone(&samples);
    thread::spawn(move || first.add(2)).join().expect("it ends");
    let for_thread = Arc::clone(&samples);
    let ended = thread::spawn(move || {
        LAST_WORDS.set(Some(LastWords(Arc::clone(&for_thread))));
        let other = thread_local::ThreadLocal::new();
        other.get_or(|| ());
        if add_before {
            for_thread.add(2);
        }
    });
    ended.join().expect("no destructor panics");
    samples.drain().sum()
}

#[test]
fn a_last_add_counts_beside_another_user_of_the_thread_local_crate() {
    assert_eq!(beside_another_user(true), 2 + 2 + 40);
    assert_eq!(beside_another_user(false), 2 + 40);
}
