//! Paced adding: so many adds a second, as in a program that has other things to
//! do.

use super::{Better, Figure, Scenario, together};
use crate::samples::Samples;
use crate::spread::Spread;
use crate::target::{Adder, Target};
use crate::threads::Threads;
use serde::{Deserialize, Serialize};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Every thread makes 100,000 adds a second: it sleeps, makes the adds that
/// are due, and sleeps again.
///
/// What counts is how long the adds take. Between two turns the thread's caches
/// and branch predictors have seen others, and locks are mostly free: this is
/// nearer to a service than a loop of adds. The turns are of 100 adds, since
/// threads that outnumber the cores cannot wake for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paced {
    /// Turns that do not count.
    pub warm_up: u32,
    /// Turns that count, one each [`TURN`](Self::TURN).
    pub turns: u32,
}

/// The turns of all threads, in nanoseconds an add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PacedFigure {
    /// The median over the turns.
    pub ns_per_add: f64,
    /// The mean, waits and preemptions included.
    pub mean_ns: f64,
    /// The longest turn.
    pub max_ns: f64,
    /// How many times as long as planned the turns took together; 1 is on time.
    pub late: f64,
    /// Whether every sample added was there in the end.
    pub samples_kept: Option<bool>,
}

impl Paced {
    /// From the beginning of a turn to that of the next.
    pub const TURN: Duration = Duration::from_millis(1);
    /// Adds a turn.
    pub const ADDS: u32 = 100;

    fn all_turns(&self) -> u32 {
        self.warm_up + self.turns
    }

    /// How long each turn that counts took, and how long all turns took together.
    fn thread(&self, adder: &mut impl Adder, mut samples: Samples) -> (Vec<Duration>, Duration) {
        let begun = Instant::now();
        let turn = |turn| {
            sleep((begun + Self::TURN * turn).saturating_duration_since(Instant::now()));
            let start = Instant::now();
            (0..Self::ADDS).for_each(|_| adder.add(samples.draw()));
            start.elapsed()
        };
        let turns: Vec<Duration> = (1..=self.all_turns()).map(turn).collect();
        let counted = turns[self.warm_up as usize..].to_vec();
        (counted, begun.elapsed())
    }

    fn figure(
        &self,
        threads: &[(Vec<Duration>, Duration)],
        samples_kept: Option<bool>,
    ) -> PacedFigure {
        let an_add = |turn: &Duration| turn.as_secs_f64() * 1e9 / f64::from(Self::ADDS);
        let turns: Vec<f64> = threads
            .iter()
            .flat_map(|(turns, _)| turns.iter().map(an_add))
            .collect();
        let mean_ns = turns.iter().sum::<f64>() / turns.len() as f64;
        let spread = Spread::of(turns).expect("there is a turn that counts");
        let longest = threads.iter().map(|thread| thread.1).max();
        let planned = Self::TURN * self.all_turns();
        PacedFigure {
            ns_per_add: spread.median,
            mean_ns,
            max_ns: spread.max,
            late: longest.unwrap_or(planned).as_secs_f64() / planned.as_secs_f64(),
            samples_kept,
        }
    }
}

impl Scenario for Paced {
    type Figure = PacedFigure;

    fn run<T: Target>(&self, threads: Threads) -> PacedFigure {
        let target = T::fresh();
        let turns = together(threads, |number, barrier| {
            let mut adder = target.adder();
            barrier.wait();
            self.thread(&mut adder, Samples::of_thread(number))
        });
        let added = threads.get() as u64 * u64::from(self.all_turns() * Self::ADDS);
        let kept = target.collected().map(|collected| collected == added);
        self.figure(&turns, kept)
    }

    fn expected(&self, _: Threads) -> Duration {
        Self::TURN * self.all_turns()
    }
}

impl Figure for PacedFigure {
    const UNIT: &str = "ns per add";
    const BETTER: Better = Better::Lower;

    fn value(&self) -> f64 {
        self.ns_per_add
    }

    fn samples_kept(&self) -> Option<bool> {
        self.samples_kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::{Contender, Entrant};

    const PACED: Paced = Paced {
        warm_up: 1,
        turns: 3,
    };

    #[test]
    fn no_sample_is_lost() {
        let threads = Threads::try_from(3).unwrap();
        for contender in Contender::ALL {
            let figure = contender.run(&PACED, threads);
            assert!(figure.sound(), "{contender:?}: {figure:?}");
            assert!(figure.late >= 1.0, "{contender:?}: {figure:?}");
        }
    }

    #[test]
    fn an_add_takes_a_hundredth_of_its_turn() {
        let us = Duration::from_micros;
        let figure = PACED.figure(
            &[
                (vec![us(1), us(2), us(9)], us(4000)),
                (vec![us(1), us(2), us(3)], us(6000)),
            ],
            Some(true),
        );
        assert!((figure.ns_per_add - 20.0).abs() < 1e-9);
        assert!((figure.mean_ns - 30.0).abs() < 1e-9);
        assert!((figure.max_ns - 90.0).abs() < 1e-9);
        assert!((figure.late - 1.5).abs() < 1e-9);
    }
}
