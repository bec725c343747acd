//! Bursts: all threads at once, briefly.

use super::{Better, Figure, Scenario, together};
use crate::samples::Samples;
use crate::spread::Spread;
use crate::target::{Adder, Target};
use crate::threads::Threads;
use serde::{Deserialize, Serialize};
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Every thread makes some adds between two barriers, again and again.
///
/// A burst lasts from when the first thread is through the first barrier until
/// the last has made its last add. What waking the threads and drawing the
/// samples costs is in it, and is what [`Nothing`](crate::Nothing) is measured
/// at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burst {
    /// Bursts that do not count.
    pub warm_up: usize,
    /// Bursts that count.
    pub bursts: usize,
    /// Adds of a thread in a burst.
    pub adds: usize,
}

/// The bursts of one measurement, in microseconds a burst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstFigure {
    /// The median over the bursts.
    pub us_per_burst: f64,
    /// The shortest.
    pub min_us: f64,
    /// The lower quartile.
    pub lower_us: f64,
    /// The upper quartile.
    pub upper_us: f64,
    /// The longest.
    pub max_us: f64,
    /// Whether every sample added was there in the end.
    pub samples_kept: Option<bool>,
}

/// When a thread was busy with a burst.
type Busy = (Instant, Instant);

impl Burst {
    /// The part of one thread.
    fn thread(&self, adder: &mut impl Adder, number: usize, barrier: &Barrier) -> Vec<Busy> {
        let mut samples = Samples::of_thread(number);
        let mut busy = Vec::with_capacity(self.warm_up + self.bursts);
        for _ in 0..self.warm_up + self.bursts {
            barrier.wait();
            let start = Instant::now();
            (0..self.adds).for_each(|_| adder.add(samples.draw()));
            busy.push((start, Instant::now()));
            barrier.wait();
        }
        busy
    }

    fn figure(&self, threads: &[Vec<Busy>], samples_kept: Option<bool>) -> BurstFigure {
        let counted = self.warm_up..self.warm_up + self.bursts;
        let spread = Spread::of(counted.map(|burst| microseconds(threads, burst)))
            .expect("there is a burst that counts");
        BurstFigure {
            us_per_burst: spread.median,
            min_us: spread.min,
            lower_us: spread.lower,
            upper_us: spread.upper,
            max_us: spread.max,
            samples_kept,
        }
    }
}

/// From the first start to the last end.
fn microseconds(threads: &[Vec<Busy>], burst: usize) -> f64 {
    let start = threads.iter().map(|busy| busy[burst].0).min();
    let end = threads.iter().map(|busy| busy[burst].1).max();
    start
        .zip(end)
        .map_or(0.0, |(start, end)| (end - start).as_secs_f64() * 1e6)
}

impl Scenario for Burst {
    type Figure = BurstFigure;

    fn run<T: Target>(&self, threads: Threads) -> BurstFigure {
        let target = T::fresh();
        let busy = together(threads, |number, barrier| {
            self.thread(&mut target.adder(), number, barrier)
        });
        let added = threads.get() * (self.warm_up + self.bursts) * self.adds;
        let kept = target
            .collected()
            .map(|collected| collected == added as u64);
        self.figure(&busy, kept)
    }

    fn expected(&self, threads: Threads) -> Duration {
        // Mostly for waking the threads.
        let wake = Duration::from_micros(10);
        wake * ((self.warm_up + self.bursts) * threads.get()) as u32
    }
}

impl Figure for BurstFigure {
    const UNIT: &str = "µs per burst";
    const BETTER: Better = Better::Lower;

    fn value(&self) -> f64 {
        self.us_per_burst
    }

    fn samples_kept(&self) -> Option<bool> {
        self.samples_kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_lasts_from_the_first_start_to_the_last_end() {
        let at = Instant::now();
        let after = |us| at + Duration::from_micros(us);
        let warm_up = (at, after(900));
        let threads = [
            vec![
                warm_up,
                (after(1000), after(1005)),
                (after(2000), after(2001)),
            ],
            vec![
                warm_up,
                (after(1002), after(1009)),
                (after(2002), after(2003)),
            ],
        ];
        let burst = Burst {
            warm_up: 1,
            bursts: 2,
            adds: 1,
        };
        let figure = burst.figure(&threads, Some(true));
        assert!((figure.max_us - 9.0).abs() < 1e-9);
        assert!((figure.min_us - 3.0).abs() < 1e-9);
        assert!((figure.us_per_burst - 6.0).abs() < 1e-9);
    }
}
