//! Limits of loom that the models have to work around, each pinned by a test
//! that fails when a version of loom lifts it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use interval_stat::runtime::{Atomic, Loom, Runtime};
use loom::sync::atomic::{AtomicU64, fence};
use loom::thread;
use std::sync::atomic::Ordering::{self, AcqRel, Relaxed, SeqCst};

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

/// Runs `body` through loom and gathers what it answers over all executions.
fn outcomes<O: Ord + Send + 'static>(
    body: impl Fn() -> O + Send + Sync + 'static,
) -> (BTreeSet<O>, usize) {
    explored(&loom::model::Builder::new(), body)
}

/// As [`outcomes`], and how many executions there were.
fn explored<O: Ord + Send + 'static>(
    builder: &loom::model::Builder,
    body: impl Fn() -> O + Send + Sync + 'static,
) -> (BTreeSet<O>, usize) {
    let all = Arc::new(Mutex::new((BTreeSet::new(), 0)));
    let gathered = Arc::clone(&all);
    builder.check(move || {
        let answer = body();
        let mut all = gathered.lock().unwrap();
        all.0.insert(answer);
        all.1 += 1;
    });
    std::mem::take(&mut *all.lock().unwrap())
}

/// Two threads, each of which loads one word and then stores to the other.
fn load_then_store() -> (u64, u64) {
    let words = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let others = Arc::clone(&words);
    let thread = thread::spawn(move || {
        let read = others.1.load(Relaxed);
        others.0.store(1, Relaxed);
        read
    });
    let read = words.0.load(Relaxed);
    words.1.store(1, Relaxed);
    (read, thread.join().unwrap())
}

/// The language lets both threads read what the other one stores afterwards.
/// Loom does not, so "exhaustive" means: but for executions in which a load
/// reads a later store. The claim that this bounds: all loom verdicts. When
/// this fails, loom explores more, and the list of what is not covered in
/// `models/README.md` gets shorter.
#[test]
fn no_load_reads_a_later_store() {
    let (found, _) = outcomes(load_then_store);
    assert_eq!(found, BTreeSet::from([(0, 0), (0, 1), (1, 0)]));
}

/// The language lets a weak compare-exchange fail for no reason; in loom it does
/// not. No statistic has one; the claim that this bounds is that of the merged
/// algorithm, whose loops need no such failure to break. When this fails, its
/// models explore more.
#[test]
fn a_weak_compare_exchange_never_fails_for_no_reason() {
    let (found, _) = outcomes(|| {
        let word = AtomicU64::new(0);
        word.compare_exchange_weak(0, 1, Relaxed, Relaxed).is_ok()
    });
    assert_eq!(found, BTreeSet::from([true]));
}

/// A thread stores 1 to 9, then says so without releasing anything; what can
/// another thread read that has heard of it? In the language, 0 to 9. In loom,
/// only the last seven. A stripe's number is stored twice an add, so models with
/// more than three adds a writer miss the stalest reads: the bound for which
/// 1 writer x 3 adds was chosen. When this fails, that bound can grow.
#[test]
fn only_the_last_seven_stores_can_be_read() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(1);
    let (found, _) = explored(&builder, || {
        let shared = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let stored = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            (1..=9).for_each(|value| stored.0.store(value, Relaxed));
            stored.1.store(1, Relaxed);
        });
        let heard = shared.1.load(Relaxed) == 1;
        let read = shared.0.load(Relaxed);
        thread.join().unwrap();
        heard.then_some(read)
    });
    let heard: BTreeSet<u64> = found.into_iter().flatten().collect();
    assert_eq!(heard, BTreeSet::from([3, 4, 5, 6, 7, 8, 9]));
}

/// A limit on executions stops the search as if it had been exhaustive, and only
/// at a multiple of the checkpoint interval. The claim that rests on it: a model
/// is called exhaustive because its runner turns every such limit off. When this
/// fails, that can be told from the search itself.
#[test]
fn a_limit_on_executions_stops_in_silence_and_late() {
    let stopped_at = |checkpoint_interval| {
        let mut builder = loom::model::Builder::new();
        builder.max_permutations = Some(2);
        builder.checkpoint_interval = checkpoint_interval;
        explored(&builder, load_then_store).1
    };
    let (_, all) = outcomes(load_then_store);
    assert!(all > 3, "there are {all} executions");
    assert_eq!(stopped_at(1), 1);
    assert_eq!(stopped_at(3), 2);
    assert_eq!(stopped_at(1_000), all);
}

/// Plain memory that one thread writes before a fence and another reads after
/// one, which comes later but reads nothing from the first thread.
fn only_fences_between(order: Ordering) {
    // Loom does not see it, so that it says what came first and orders nothing.
    let unseen = Arc::new(std::sync::atomic::AtomicBool::new(false));
    #[expect(
        clippy::arc_with_non_send_sync,
        reason = "loom's cell is not `Sync`: it finds the races"
    )]
    let cell = Arc::new(loom::cell::UnsafeCell::new(0));
    let (written, passed) = (Arc::clone(&cell), Arc::clone(&unseen));
    let thread = thread::spawn(move || {
        written.with_mut(|_| ());
        fence(order);
        passed.store(true, SeqCst);
    });
    thread::yield_now();
    if unseen.load(SeqCst) {
        fence(order);
        cell.with(|_| ());
    }
    thread.join().unwrap();
}

/// Loom takes the order of two sequentially consistent fences for
/// happens-before. In the language it is not: it restricts what atomic loads
/// read, and orders no plain accesses. So loom alone would not see a plain
/// access that only the fences order; `loom_edges.rs` looks for those by the
/// edges themselves. When this fails, it can go.
#[test]
fn two_fences_alone_order_plain_accesses() {
    loom::model(|| only_fences_between(SeqCst));
}

#[test]
#[should_panic(expected = "Causality violation")]
fn two_weaker_fences_do_not() {
    loom::model(|| only_fences_between(AcqRel));
}
