//! Threads that are stopped in the middle of what they do hold up nobody whom
//! they need not, and cost no sample.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use interval_stat::{Accumulator, Striped};

/// A place where a thread stops until the test lets it go on.
struct Gate {
    reached: Sender<()>,
    open: Mutex<Receiver<()>>,
}

impl Gate {
    /// The gate, what tells that a thread has reached it, and what opens it.
    fn new() -> (Arc<Self>, Receiver<()>, Sender<()>) {
        let (reached, is_reached) = channel();
        let (opens, open) = channel();
        let open = Mutex::new(open);
        (Arc::new(Self { reached, open }), is_reached, opens)
    }

    fn pass(&self) {
        self.reached.send(()).expect("the test is there");
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.recv().expect("the test opens it");
    }
}

/// Adds samples up, and stops at those that say so.
#[derive(Clone)]
struct Stopping {
    sum: i64,
    gate: Arc<Gate>,
}

/// `record` stops in the middle of it.
const STOPS_ADD: i64 = 1 << 40;
/// `merge` of stripes with this in them stops in the middle of it.
const STOPS_DRAIN: i64 = 1 << 41;

impl Accumulator for Stopping {
    fn record(&mut self, sample: i64) {
        if sample == STOPS_ADD {
            self.gate.pass();
        }
        self.sum += sample;
    }
    fn merge(&mut self, other: &Self) {
        if other.sum & STOPS_DRAIN > 0 {
            self.gate.pass();
        }
        self.sum += other.sum;
    }
    fn clear(&mut self) {
        self.sum = 0;
    }
}

const THREADS: i64 = 8;
const ADDS: i64 = 1_000;

/// Threads that add, and end, while something else is stopped.
fn add_from_new_threads(samples: &Striped<Stopping>) {
    thread::scope(|threads| {
        let started: Vec<_> = (0..THREADS)
            .map(|_| threads.spawn(|| (0..ADDS).for_each(|_| samples.add(1))))
            .collect();
        let ended = started.into_iter().map(thread::ScopedJoinHandle::join);
        assert!(ended.into_iter().all(|ended| ended.is_ok()));
    });
}

#[test]
fn a_writer_stopped_in_mid_add_holds_up_the_drain_alone() {
    let (gate, is_reached, opens) = Gate::new();
    let samples = Striped::new(Stopping { sum: 0, gate }, ());
    thread::scope(|threads| {
        let writer = threads.spawn(|| samples.add(STOPS_ADD));
        is_reached.recv().expect("the writer adds");
        let drain = threads.spawn(|| samples.drain().sum);
        add_from_new_threads(&samples);
        // Threads have come, added and ended; the drain can't have.
        assert!(!drain.is_finished());
        opens.send(()).expect("the writer waits");
        writer.join().expect("the add goes on");
        let first = drain.join().expect("the drain goes on");
        let next = samples.drain().sum;
        assert!(first >= STOPS_ADD, "the add had begun before the drain");
        assert_eq!(first + next, STOPS_ADD + THREADS * ADDS);
    });
}

#[test]
fn a_drain_stopped_in_the_middle_holds_up_drains_alone() {
    let (gate, is_reached, opens) = Gate::new();
    let samples = Striped::new(Stopping { sum: 0, gate }, ());
    thread::scope(|threads| {
        samples.add(STOPS_DRAIN);
        let drain = threads.spawn(|| samples.drain().sum);
        is_reached.recv().expect("the drain merges");
        add_from_new_threads(&samples);
        samples.recorder().add(1);
        let next = threads.spawn(|| samples.drain().sum);
        add_from_new_threads(&samples);
        assert!(!drain.is_finished() && !next.is_finished());
        opens.send(()).expect("the drain waits");
        let first = drain.join().expect("the drain goes on");
        let next = next.join().expect("so does the next one");
        let rest = samples.drain().sum;
        assert_eq!(first, STOPS_DRAIN, "what was added since is the next one's");
        assert_eq!(next + rest, 2 * THREADS * ADDS + 1);
    });
}
