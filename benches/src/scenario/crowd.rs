//! How long drains take while many threads add.

use super::{Better, Figure, Scenario, together};
use crate::reader::Reader;
use crate::samples::Samples;
use crate::spread::Spread;
use crate::target::{Adder, Target};
use crate::threads::Threads;
use crate::waiting::Pauses;
use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// All threads add without a pause while one more drains, so that it may meet an
/// add whose thread is not running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crowd {
    /// How long.
    pub window: Duration,
    /// How often.
    pub reader: Reader,
}

/// The drains of one measurement, in microseconds, and what the longest is made
/// of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrainFigure {
    /// How many.
    pub drains: usize,
    /// Half take at most this long.
    pub p50_us: f64,
    /// A quarter takes longer.
    pub upper_us: f64,
    /// The longest.
    pub max_us: f64,
    /// Of the longest: waiting for adds in flight. Only known of targets that
    /// note it ([`Wait`](crate::Wait)).
    pub waiting_us: f64,
    /// Of that: the longest time between two looks at such an add.
    pub away_us: f64,
    /// How often it looked at such an add again.
    pub pauses: u64,
    /// Of the longest: its thread was running, waits by spinning included.
    pub running_us: f64,
    /// What the threads added meanwhile, together.
    pub adds_per_ms: f64,
    /// Whether every sample added was there in the end.
    pub samples_kept: Option<bool>,
}

/// One drain.
#[derive(Clone, Copy, Debug)]
struct Drain {
    took: Duration,
    running: Duration,
    pauses: Pauses,
}

impl Drain {
    fn of(target: &impl Target) -> Self {
        Pauses::take();
        let (start, cpu) = (Instant::now(), ThreadTime::now());
        target.drain();
        Self {
            running: cpu.elapsed(),
            took: start.elapsed(),
            pauses: Pauses::take(),
        }
    }
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

impl Crowd {
    fn figure(&self, drains: &[Drain], added: u64, samples_kept: Option<bool>) -> DrainFigure {
        let times = drains.iter().map(|drain| microseconds(drain.took));
        let spread = Spread::of(times).expect("there was a drain");
        let longest = drains.iter().max_by_key(|drain| drain.took);
        let longest = longest.expect("there was a drain");
        DrainFigure {
            drains: drains.len(),
            p50_us: spread.median,
            upper_us: spread.upper,
            max_us: spread.max,
            waiting_us: microseconds(longest.pauses.together),
            away_us: microseconds(longest.pauses.longest),
            pauses: longest.pauses.count,
            running_us: microseconds(longest.running),
            adds_per_ms: added as f64 / (self.window.as_secs_f64() * 1e3),
            samples_kept,
        }
    }
}

/// Adds until the time is over; says how often.
fn add_until(closes: Instant, adder: &mut impl Adder, mut samples: Samples) -> u64 {
    const BATCH: u64 = 128;
    let mut added = 0;
    while Instant::now() < closes {
        (0..BATCH).for_each(|_| adder.add(samples.draw()));
        added += BATCH;
    }
    added
}

impl Scenario for Crowd {
    type Figure = DrainFigure;

    fn run<T: Target>(&self, threads: Threads) -> DrainFigure {
        let target = T::fresh();
        // One before anybody adds: it pays for what only the first one does.
        target.drain();
        let mut drains = Vec::new();
        let added = self.reader.beside(
            || drains.push(Drain::of(&target)),
            || {
                let closes = Instant::now() + self.window;
                together(threads, |number, barrier| {
                    let mut adder = target.adder();
                    barrier.wait();
                    add_until(closes, &mut adder, Samples::of_thread(number))
                })
            },
        );
        let added: u64 = added.iter().sum();
        drains.push(Drain::of(&target));
        let kept = target.collected().map(|collected| collected == added);
        self.figure(&drains, added, kept)
    }

    fn expected(&self, _: Threads) -> Duration {
        self.window
    }
}

impl Figure for DrainFigure {
    const UNIT: &str = "µs, longest drain";
    const BETTER: Better = Better::Lower;

    fn value(&self) -> f64 {
        self.max_us
    }

    fn samples_kept(&self) -> Option<bool> {
        self.samples_kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::{Contender, Entrant};
    use crate::waiting::Wait;

    #[test]
    fn no_strategy_loses_a_sample() {
        let crowd = Crowd {
            window: Duration::from_millis(10),
            reader: Reader { per_second: 1000 },
        };
        let threads = Threads::try_from(8).unwrap();
        for wait in Wait::ALL {
            let figure = wait.run(&crowd, threads);
            assert!(figure.sound(), "{wait:?}: {figure:?}");
            assert!(figure.away_us <= figure.waiting_us, "{figure:?}");
            assert!(figure.waiting_us <= figure.max_us, "{figure:?}");
        }
        assert!(Contender::MutableStat.run(&crowd, threads).sound());
    }
}
