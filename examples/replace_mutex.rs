//! From a `Mutex<Stats>` to a statistic that threads do not queue for.
//!
//! Run it with `cargo run --example replace_mutex`.

#![forbid(unsafe_code)]

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use interval_stat::{ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels};

const THREADS: i64 = 8;
const SAMPLES: i64 = 200_000;

/// Before: what many services have.
#[derive(Default)]
struct Stats {
    count: u64,
    sum: i64,
    max: i64,
}

impl Stats {
    fn add(&mut self, sample: i64) {
        self.count += 1;
        self.sum += sample;
        self.max = self.max.max(sample);
    }
}

fn before() -> (u64, f64, i64) {
    let stats = Mutex::new(Stats::default());
    from_all_threads(|sample| stats.lock().expect("no holder panics").add(sample));
    // At the end of an interval, take what there is and start anew.
    let stats = std::mem::take(&mut *stats.lock().expect("no holder panics"));
    (
        stats.count,
        stats.sum as f64 / stats.count as f64,
        stats.max,
    )
}

/// After: `add` takes no lock, `snapshot` starts anew by itself, and the mean of
/// an interval without samples is `None`.
fn after() -> (u64, f64, i64) {
    let labels = Labels::new("Work", "samples of work", "Ops", "Value", Detail::Extended);
    let stats: ConcurrentMutableStat =
        ConcurrentMutableStat::new(labels.expect("no label is empty"));
    from_all_threads(|sample| stats.add(sample));
    let interval = stats
        .snapshot(Emit::All)
        .expect("all was asked for")
        .interval;
    let (mean, max) = interval
        .mean()
        .zip(interval.max())
        .expect("there are samples");
    (interval.count(), mean, max)
}

fn from_all_threads(add: impl Fn(i64) + Sync) {
    let add = &add;
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || (0..SAMPLES).for_each(|sample| add(sample * THREADS + thread)));
        }
    });
}

fn timed<O>(what: &str, run: impl FnOnce() -> O) -> O {
    let began = Instant::now();
    let answer = run();
    let took = began.elapsed();
    let samples = u32::try_from(THREADS * SAMPLES).expect("they are few");
    println!(
        "{what:22} {took:>10.1?}, {:?} a sample",
        took.max(Duration::from_nanos(1)) / samples
    );
    answer
}

fn main() {
    let before = timed("Mutex<Stats>", before);
    let after = timed("ConcurrentMutableStat", after);
    assert_eq!(before, after);
    println!(
        "both: {} samples, mean {}, max {}",
        after.0, after.1, after.2
    );
}
