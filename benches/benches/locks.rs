//! A lock taken for reading by 1 to 80 threads, metered and not, in the steady
//! scenario: acquisitions of all threads together.

use benches::{Entrant, Figure, LockContender, Steady, Threads};
use std::time::Duration;

/// In the manner of the published benchmark.
const THREADS: [usize; 7] = [1, 2, 10, 20, 40, 60, 80];

/// `cargo bench` says so; `cargo test` wants to see that it runs.
fn window() -> Duration {
    let measures = std::env::args().any(|argument| argument == "--bench");
    Duration::from_millis(if measures { 300 } else { 3 })
}

fn main() {
    let steady = Steady {
        warm_up: window() / 6,
        window: window(),
        reader: None,
    };
    println!("a read lock, taken so often per ms:");
    for threads in THREADS {
        let threads = Threads::try_from(threads).expect("a thread count");
        for lock in LockContender::ALL {
            let figure = lock.run(&steady, threads);
            assert!(figure.sound(), "{figure:?}");
            println!(
                "{threads:>3} threads  {:34} {:>10.0}",
                lock.name(),
                figure.value()
            );
        }
    }
}
