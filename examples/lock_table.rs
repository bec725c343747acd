//! A metered lock in a pool of threads, and a table of it that stays current.
//!
//! Run it with `cargo run --example lock_table`. It ends after a second, or after as
//! many as its argument says.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::io::{IsTerminal, stdout};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use interval_stat::metered::Metered;
use interval_stat::{Emit, Interval, LockMetrics, LockSnapshot};

const THREADS: u64 = 8;
const REFRESH: Duration = Duration::from_millis(200);

type Cache = Metered<RwLock<BTreeMap<u64, u64>>>;

/// One read in ten finds nothing, and writes.
fn work(cache: &Cache, thread: u64, stop: &AtomicBool) {
    let mut key = thread;
    while !stop.load(Relaxed) {
        key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let wanted = (key >> 33) % 1_000;
        let found = cache
            .read()
            .expect("no holder panics")
            .get(&wanted)
            .copied();
        if found.is_none() || wanted % 10 == 0 {
            cache.write().expect("no holder panics").insert(wanted, key);
        }
        thread::sleep(Duration::from_micros(50));
    }
}

fn show(snapshot: &LockSnapshot, again: bool) {
    if again {
        // Back to the first line of the table.
        print!("\x1b[5A");
    }
    println!(
        "{:22} {:>9} {:>12} {:>12} {:>12}",
        "nanoseconds", "count", "mean", "deviation", "max"
    );
    for statistic in snapshot.iter() {
        let interval = &statistic.interval;
        println!(
            "{:22} {:9} {:12.0} {:12.0} {:>12}",
            statistic.labels.name(),
            interval.count(),
            interval.mean().unwrap_or(f64::NAN),
            interval.stddev().unwrap_or(f64::NAN),
            interval.max().map_or("-".to_owned(), |max| max.to_string()),
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds: u64 = std::env::args().nth(1).map_or(Ok(1), |text| text.parse())?;
    let metrics = Arc::new(<LockMetrics>::new());
    let cache = Metered::new(RwLock::default(), Arc::clone(&metrics));
    let stop = AtomicBool::new(false);
    let end = Instant::now() + Duration::from_secs(seconds);
    thread::scope(|scope| {
        let (cache, stop) = (&cache, &stop);
        for thread in 0..THREADS {
            scope.spawn(move || work(cache, thread, stop));
        }
        let mut shown = false;
        while Instant::now() < end {
            thread::sleep(REFRESH);
            show(
                &metrics.snapshot(Emit::All),
                shown && stdout().is_terminal(),
            );
            shown = true;
        }
        stop.store(true, Relaxed);
    });
    Ok(())
}
