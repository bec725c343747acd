//! What statistics take on the heap.

use benches::Fresh;
use cap::Cap;
use interval_stat::runtime::Std;
use interval_stat::{
    ConcurrentMutableStat, Detail, IntervalStat, Labels, Moments, MutableStat, Striped,
};
use models::specimen::{Jdk9, Merged};
use models::subject::Make;
use std::alloc::System;
use std::collections::BTreeMap;
use std::sync::Barrier;
use std::thread;

/// Knows how many bytes are in use.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// As many as are alive at once where that matters.
const THREADS: usize = 64;
const SHORT_LIVED: usize = 10_000;

pub(crate) fn bytes() -> BTreeMap<String, f64> {
    let stat = <ConcurrentMutableStat as Fresh>::fresh();
    let (first, more) = short_lived(&stat);
    let threads = format!("{SHORT_LIVED} more short-lived threads, one at a time");
    let bytes = [
        (
            "ConcurrentMutableStat",
            whole(<ConcurrentMutableStat as Fresh>::fresh),
        ),
        ("MutableStat", whole(<MutableStat as Fresh>::fresh)),
        ("merged (JDK 9+), 2 processors", merged(2)),
        ("merged (JDK 9+), 64 processors", merged(64)),
        ("a stripe", a_stripe()),
        ("a thread that adds, 64 alive at once", a_thread()),
        ("the first thread that adds", first),
        (threads.as_str(), more),
    ];
    bytes.map(|(what, bytes)| (what.to_owned(), bytes)).into()
}

/// How much the heap has grown while it was made.
fn grown<O>(make: impl FnOnce() -> O) -> (O, f64) {
    let before = HEAP.allocated();
    let made = make();
    (made, HEAP.allocated() as f64 - before as f64)
}

/// Itself and what it has on the heap.
fn whole<S>(make: impl FnOnce() -> S) -> f64 {
    let (_made, on_heap) = grown(make);
    size_of::<S>() as f64 + on_heap
}

fn merged(processors: usize) -> f64 {
    let labels = Labels::new("heap", "heap", "Ops", "Time", Detail::Extended);
    whole(|| Merged::<Std, Jdk9>::make(labels.expect("no label is empty"), processors))
}

fn a_stripe() -> f64 {
    let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
    let mut recorders = Vec::with_capacity(THREADS);
    let ((), bytes) = grown(|| recorders.extend((0..THREADS).map(|_| samples.recorder())));
    bytes / THREADS as f64
}

/// Its stripe, and its part of the table that finds it.
fn a_thread() -> f64 {
    let stat = <ConcurrentMutableStat as Fresh>::fresh();
    let barrier = Barrier::new(THREADS + 1);
    let add = || {
        // Nobody adds before all have begun, which takes memory itself.
        barrier.wait();
        barrier.wait();
        stat.add(1);
        barrier.wait();
        // Nobody ends before all is counted.
        barrier.wait();
    };
    thread::scope(|scope| {
        (0..THREADS).for_each(|_| drop(scope.spawn(add)));
        barrier.wait();
        let ((), bytes) = grown(|| {
            barrier.wait();
            barrier.wait();
        });
        barrier.wait();
        bytes / THREADS as f64
    })
}

/// One thread after the other adds: what the first leaves, and what all the
/// others do.
fn short_lived(stat: &ConcurrentMutableStat) -> (f64, f64) {
    let one = || thread::scope(|scope| drop(scope.spawn(|| stat.add(1)).join()));
    let ((), first) = grown(one);
    let ((), more) = grown(|| (0..SHORT_LIVED).for_each(|_| one()));
    (first, more)
}
