//! Limits of loom that the models have to work around, each pinned by a test
//! that fails when a version of loom lifts it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use interval_stat::runtime::{Atomic, Loom, Runtime};
use loom::sync::atomic::AtomicU64;
use loom::thread;
use std::sync::atomic::Ordering::SeqCst;

/// A word as the two ways to load it make it.
trait Word: Send + Sync + 'static {
    fn new(value: u64) -> Self;
    fn load(&self) -> u64;
    fn store(&self, value: u64);
    fn increment(&self, held: u64) -> bool;
}

impl Word for AtomicU64 {
    fn new(value: u64) -> Self {
        Self::new(value)
    }

    fn load(&self) -> u64 {
        self.load(SeqCst)
    }

    fn store(&self, value: u64) {
        self.store(value, SeqCst);
    }

    fn increment(&self, held: u64) -> bool {
        self.compare_exchange(held, held + 1, SeqCst, SeqCst)
            .is_ok()
    }
}

/// The word of the runtime that the models use.
struct Modelled(<Loom as Runtime>::Atomic);

impl Word for Modelled {
    fn new(value: u64) -> Self {
        Self(Atomic::new("word", value))
    }

    fn load(&self) -> u64 {
        self.0.load(SeqCst)
    }

    fn store(&self, value: u64) {
        self.0.store(value, SeqCst);
    }

    fn increment(&self, held: u64) -> bool {
        self.0
            .compare_exchange(held, held + 1, SeqCst, SeqCst)
            .is_ok()
    }
}

/// What a thread can read that then resets the word, while another one
/// increments it once.
fn read_before_reset<W: Word>() -> BTreeSet<u64> {
    let read = Arc::new(Mutex::new(BTreeSet::new()));
    let gathered = Arc::clone(&read);
    loom::model(move || {
        let word = Arc::new(W::new(0));
        let incremented = Arc::clone(&word);
        let thread = thread::spawn(move || {
            let held = incremented.load();
            incremented.increment(held);
        });
        let held = word.load();
        word.store(0);
        thread.join().unwrap();
        gathered.lock().unwrap().insert(held);
    });
    let read = read.lock().unwrap();
    read.clone()
}

/// Loom never runs the increment first, although nothing forbids it: a thread's
/// own load hides the accesses before it from the search.
#[test]
fn a_load_hides_earlier_accesses_from_the_search() {
    assert_eq!(read_before_reset::<AtomicU64>(), BTreeSet::from([0]));
}

#[test]
fn a_sequentially_consistent_load_of_the_runtime_hides_nothing() {
    assert_eq!(read_before_reset::<Modelled>(), BTreeSet::from([0, 1]));
}

/// Whether two threads that each store to one word and then load the other may
/// both read what the words were made with.
fn both_read_old<W: Word>() -> bool {
    let both = Arc::new(Mutex::new(false));
    let seen = Arc::clone(&both);
    loom::model(move || {
        let words = Arc::new((W::new(0), W::new(0)));
        let others = Arc::clone(&words);
        let thread = thread::spawn(move || {
            others.1.store(1);
            others.0.load()
        });
        words.0.store(1);
        let here = words.1.load();
        let there = thread.join().unwrap();
        *seen.lock().unwrap() |= (here, there) == (0, 0);
    });
    let both = both.lock().unwrap();
    *both
}

/// The outcome that sequential consistency forbids.
#[test]
fn a_sequentially_consistent_load_may_be_stale() {
    assert!(both_read_old::<AtomicU64>());
}

#[test]
fn a_sequentially_consistent_load_of_the_runtime_is_not_stale() {
    assert!(!both_read_old::<Modelled>());
}
