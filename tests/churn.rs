//! Threads that come and go cost no sample, and no memory beyond that of the most
//! alive at once.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use interval_stat::{Accumulator, Striped};

mod thrown;
use thrown::thrown;

/// Counts samples; its clones can be counted, too.
#[derive(Clone, Default)]
struct Counted {
    samples: u64,
    clones: Arc<()>,
}

impl Accumulator for Counted {
    fn record(&mut self, _: i64) {
        self.samples += 1;
    }
    fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
    }
    fn clear(&mut self) {
        self.samples = 0;
    }
}

/// Lets one test run at a time: a thread finds the stripe that an ended one has
/// left by a number which it has in the whole process, so that what bounds the
/// stripes of a statistic is how many threads with a stripe of any were alive at
/// once.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Samples, and how many stripes they are in.
struct Watched {
    samples: Striped<Counted>,
    clones: Arc<()>,
    /// Clones beside those in stripes.
    others: usize,
}

impl Watched {
    fn new() -> Self {
        let empty = Counted::default();
        let clones = Arc::clone(&empty.clones);
        let samples = Striped::new(empty, ());
        let others = Arc::strong_count(&clones);
        Self {
            samples,
            clones,
            others,
        }
    }

    /// While no drain is under way.
    fn stripes(&self) -> usize {
        let in_stripes = Arc::strong_count(&self.clones) - self.others;
        assert_eq!(in_stripes % 2, 0, "a stripe has two buffers");
        in_stripes / 2
    }

    /// Drains without a pause while `action` runs, and returns what was drained
    /// in all.
    fn drained_beside(&self, action: impl FnOnce()) -> u64 {
        let over = AtomicBool::new(false);
        let drained = thread::scope(|threads| {
            let reader = threads.spawn(|| {
                let mut drained = 0;
                while !over.load(Relaxed) {
                    drained += self.samples.drain().samples;
                }
                drained
            });
            action();
            over.store(true, Relaxed);
            reader.join().expect("drains do not fail")
        });
        drained + self.samples.drain().samples
    }
}

/// Runs `body` on so many threads at once and waits until they are gone, their
/// thread-locals as well (which the end of a scope does not wait for).
fn on_threads(number: usize, body: impl Fn() + Sync) {
    thread::scope(|threads| {
        let started: Vec<_> = (0..number).map(|_| threads.spawn(&body)).collect();
        started
            .into_iter()
            .for_each(|thread| thread.join().expect("no thread fails"));
    });
}

const ALIVE: usize = 10;

#[test]
fn a_hundred_thousand_threads_lose_nothing_and_leave_little() {
    let _alone = alone();
    const THREADS: u64 = 100_000;
    const ADDS: u64 = 3;
    let watched = Watched::new();
    let drained = watched.drained_beside(|| {
        for _ in 0..THREADS / ALIVE as u64 {
            on_threads(ALIVE, || {
                (0..ADDS as i64).for_each(|add| watched.samples.add(add))
            });
        }
    });
    let stripes = watched.stripes();
    assert!(
        stripes <= ALIVE,
        "{stripes} stripes of {ALIVE} threads at once"
    );
    thrown(
        "short-lived threads beside a reader",
        THREADS,
        "threads",
        THREADS * ADDS,
        drained,
    );
}

/// That threads hand stripes on is what keeps them few: alive at once, each has
/// its own.
#[test]
fn threads_alive_at_once_have_a_stripe_each() {
    let _alone = alone();
    let watched = Watched::new();
    let all_there = Barrier::new(ALIVE);
    on_threads(ALIVE, || {
        watched.samples.add(1);
        all_there.wait();
    });
    assert_eq!(watched.stripes(), ALIVE);
}

#[test]
fn recorders_that_come_and_go_share_stripes() {
    let _alone = alone();
    const RECORDERS: u64 = 100_000;
    let watched = Watched::new();
    let drained = watched.drained_beside(|| {
        on_threads(2, || {
            (0..RECORDERS / 2).for_each(|_| watched.samples.recorder().add(1));
        });
    });
    assert!(watched.stripes() <= 2);
    thrown(
        "recorders that come and go",
        RECORDERS,
        "recorders",
        RECORDERS,
        drained,
    );
}

#[test]
fn a_pool_of_threads_has_as_many_stripes() {
    let _alone = alone();
    const JOBS: u64 = 100_000;
    let watched = Watched::new();
    let drained = watched.drained_beside(|| {
        let (queue, jobs) = mpsc::sync_channel(64);
        let jobs = Mutex::new(jobs);
        let next = || jobs.lock().expect("no job fails").recv();
        thread::scope(|threads| {
            for _ in 0..ALIVE {
                threads.spawn(|| {
                    while let Ok(job) = next() {
                        watched.samples.add(job);
                    }
                });
            }
            (0..JOBS as i64).for_each(|job| queue.send(job).expect("the pool takes jobs"));
            drop(queue);
        });
    });
    assert!(watched.stripes() <= ALIVE);
    thrown("jobs of a thread pool", JOBS, "jobs", JOBS, drained);
}

/// Adds a sample when its thread's thread-locals are destroyed.
struct LastWords(Arc<Watched>);

impl Drop for LastWords {
    fn drop(&mut self) {
        self.0.samples.add(1);
    }
}

thread_local! {
    static LAST_WORDS: Cell<Option<LastWords>> = const { Cell::new(None) };
}

#[test]
fn adds_from_thread_local_destructors_count() {
    let _alone = alone();
    const THREADS: u64 = 10_000;
    let watched = Arc::new(Watched::new());
    let drained = watched.drained_beside(|| {
        for _ in 0..THREADS / ALIVE as u64 {
            on_threads(ALIVE, || {
                LAST_WORDS.set(Some(LastWords(Arc::clone(&watched))));
                watched.samples.add(1);
            });
        }
    });
    let stripes = watched.stripes();
    // A thread that ends has left its stripe and may borrow another one.
    assert!(stripes <= 2 * ALIVE, "{stripes} stripes");
    thrown(
        "adds from thread-local destructors",
        THREADS,
        "threads",
        2 * THREADS,
        drained,
    );
}

/// A statistic that its makers let go of lives as long as who adds to it, and no
/// longer.
#[test]
fn the_last_owner_frees_the_statistic() {
    let _alone = alone();
    const STATISTICS: u64 = 1_000;
    for _ in 0..STATISTICS {
        let watched = Watched::new();
        let clones = Arc::clone(&watched.clones);
        let samples = Arc::new(watched.samples);
        drop(watched.clones);
        let adding = [1, 2].map(|sample| {
            let samples = Arc::clone(&samples);
            thread::spawn(move || {
                let mut recorder = samples.recorder();
                samples.add(sample);
                recorder.add(sample);
            })
        });
        drop(samples);
        adding
            .into_iter()
            .for_each(|thread| thread.join().expect("no thread fails"));
        assert_eq!(Arc::strong_count(&clones), 1, "something was not freed");
    }
    thrown(
        "statistics dropped by the last of their threads",
        STATISTICS,
        "statistics",
        0,
        0,
    );
}
