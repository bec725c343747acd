//! How long single adds take.

use super::{Better, Figure, Scenario, together};
use crate::reader::{Reader, beside};
use crate::samples::Samples;
use crate::target::{Adder, Target};
use crate::threads::Threads;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Every thread times each of its adds.
///
/// A time has one reading of the clock in it, which is what
/// [`Nothing`](crate::Nothing) is measured at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// How long adds are made and not counted.
    pub warm_up: Duration,
    /// How long adds are counted.
    pub window: Duration,
    /// Who closes intervals meanwhile.
    pub reader: Option<Reader>,
}

/// The times of all adds, in nanoseconds, to two digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyFigure {
    /// How many adds were timed.
    pub adds: u64,
    /// Half take at most this long.
    pub p50_ns: u64,
    /// All but one in ten.
    pub p90_ns: u64,
    /// All but one in 100.
    pub p99_ns: u64,
    /// All but one in 1,000.
    pub p999_ns: u64,
    /// All but one in 10,000.
    pub p9999_ns: u64,
    /// All but one in 100,000.
    pub p99999_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// How many intervals the reader closed, warm-up included.
    pub drains: u64,
    /// Whether every sample added was there in the end.
    pub samples_kept: Option<bool>,
}

impl LatencyFigure {
    /// How many adds there are to the one that takes longer, and the time.
    #[must_use]
    pub fn one_in(&self) -> [(u32, u64); 6] {
        [
            (2, self.p50_ns),
            (10, self.p90_ns),
            (100, self.p99_ns),
            (1000, self.p999_ns),
            (10_000, self.p9999_ns),
            (100_000, self.p99999_ns),
        ]
    }
}

impl Latency {
    /// Times up to a minute, to two digits.
    fn histogram() -> Histogram<u64> {
        Histogram::new_with_bounds(1, 60_000_000_000, 2).expect("the bounds are valid")
    }

    /// The times of one thread, and how many adds it made in all.
    fn thread(&self, adder: &mut impl Adder, mut samples: Samples) -> (Histogram<u64>, u64) {
        let mut times = Self::histogram();
        let opens = Instant::now() + self.warm_up;
        let closes = opens + self.window;
        let mut added = 0;
        loop {
            let sample = samples.draw();
            let start = Instant::now();
            adder.add(sample);
            let end = Instant::now();
            added += 1;
            if start >= opens {
                times.saturating_record(nanoseconds(end - start));
            }
            if end >= closes {
                return (times, added);
            }
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Scenario for Latency {
    type Figure = LatencyFigure;

    fn run<T: Target>(&self, threads: Threads) -> LatencyFigure {
        let target = T::fresh();
        let (reports, drains) = beside(self.reader, &target, || {
            together(threads, |number, barrier| {
                let mut adder = target.adder();
                barrier.wait();
                self.thread(&mut adder, Samples::of_thread(number))
            })
        });
        let mut times = Self::histogram();
        reports.iter().for_each(|(own, _)| {
            times.add(own).expect("the bounds are the same");
        });
        let added: u64 = reports.iter().map(|(_, added)| added).sum();
        let at = |quantile| times.value_at_quantile(quantile);
        LatencyFigure {
            adds: times.len(),
            p50_ns: at(0.5),
            p90_ns: at(0.9),
            p99_ns: at(0.99),
            p999_ns: at(0.999),
            p9999_ns: at(0.9999),
            p99999_ns: at(0.99999),
            max_ns: times.max(),
            drains,
            samples_kept: target.collected().map(|collected| collected == added),
        }
    }

    fn expected(&self, _: Threads) -> Duration {
        self.warm_up + self.window
    }
}

impl Figure for LatencyFigure {
    const UNIT: &str = "ns, 99.9 % of adds";
    const BETTER: Better = Better::Lower;

    fn value(&self) -> f64 {
        self.p999_ns as f64
    }

    fn samples_kept(&self) -> Option<bool> {
        self.samples_kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::{Contender, Entrant};
    use crate::stopped::StoppedContender;

    #[test]
    fn every_add_is_timed_and_kept() {
        let latency = Latency {
            warm_up: Duration::from_millis(1),
            window: Duration::from_millis(5),
            reader: Some(Reader { per_second: 1000 }),
        };
        let threads = Threads::try_from(2).unwrap();
        for &contender in Contender::ALL {
            let figure = contender.run(&latency, threads);
            let promises = contender != Contender::Merged;
            assert!(figure.sound() || !promises, "{contender:?}: {figure:?}");
            assert!(figure.adds > 0 && figure.p50_ns <= figure.p999_ns);
            assert!(figure.p999_ns <= figure.max_ns);
        }
    }

    #[test]
    fn a_stopped_drainer_stops_nobody_but_who_needs_its_lock() {
        let latency = Latency {
            warm_up: Duration::ZERO,
            window: Duration::from_millis(200),
            reader: Some(Reader { per_second: 20 }),
        };
        let threads = Threads::try_from(1).unwrap();
        let figure = StoppedContender::Mutex.run(&latency, threads);
        assert!(figure.sound(), "{figure:?}");
        for ours in [StoppedContender::Recorder, StoppedContender::LookUp] {
            let figure = ours.run(&latency, threads);
            assert!(figure.sound(), "{figure:?}");
        }
    }
}
