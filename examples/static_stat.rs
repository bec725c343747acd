//! A statistic in a `static`, built by the first thread that uses it.
//!
//! Run it with `cargo run --example static_stat`.

#![forbid(unsafe_code)]

use std::sync::LazyLock;
use std::thread;
use std::time::Instant;

use interval_stat::{ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels};

/// How long each request took, in nanoseconds.
static REQUEST_TIME: LazyLock<ConcurrentMutableStat> = LazyLock::new(|| {
    let labels = Labels::new(
        "RequestTime",
        "time (in nanoseconds) to serve a request",
        "Ops",
        "Time",
        Detail::Extended,
    );
    ConcurrentMutableStat::new(labels.expect("no label is empty"))
});

const THREADS: u64 = 4;
const REQUESTS: u64 = 10_000;

/// Any function, on any thread, adds without being handed anything.
fn serve(request: u64) -> u64 {
    let began = Instant::now();
    let answer = (1..=request % 100).fold(1, u64::wrapping_mul);
    let nanos = began.elapsed().as_nanos();
    REQUEST_TIME.add(i64::try_from(nanos).unwrap_or(i64::MAX));
    answer
}

fn main() {
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..REQUESTS).map(serve).fold(0, u64::wrapping_add));
        }
    });
    let snapshot = REQUEST_TIME
        .snapshot(Emit::Changed)
        .expect("there were requests");
    assert_eq!(snapshot.interval.count(), THREADS * REQUESTS);
    for metric in snapshot.record().metrics {
        println!(
            "{:26} {:?}  ({})",
            metric.name, metric.value, metric.description
        );
    }
}
