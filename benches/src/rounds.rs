//! Contenders take turns, so that what changes on the machine meets them all.

use crate::contender::{Contender, Entrant};
use crate::scenario::burst::BurstFigure;
use crate::scenario::{Figure, Scenario};
use crate::spread::Spread;
use crate::threads::Threads;
use serde::{Deserialize, Serialize};

/// What was measured when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting<C = Contender> {
    /// Who.
    pub contender: C,
    /// On how many threads.
    pub threads: Threads,
    /// In which round, from 0.
    pub round: usize,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement<F, C = Contender> {
    /// What was measured when.
    #[serde(flatten)]
    pub setting: Setting<C>,
    /// What came out.
    #[serde(flatten)]
    pub figure: F,
}

/// All measurements of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Measurements<F, C = Contender>(pub Vec<Measurement<F, C>>);

/// Measures all contenders at each thread count: all of them in turn, then all
/// of them again, as many rounds as told. `before` hears what comes next.
pub fn alternate<S: Scenario, C: Entrant>(
    scenario: &S,
    threads: &[Threads],
    rounds: usize,
    mut before: impl FnMut(Setting<C>),
) -> Measurements<S::Figure, C> {
    let measure = |setting: Setting<C>| {
        before(setting);
        let figure = setting.contender.run(scenario, setting.threads);
        Measurement { setting, figure }
    };
    Measurements(settings(threads, rounds).map(measure).collect())
}

fn settings<C: Entrant>(threads: &[Threads], rounds: usize) -> impl Iterator<Item = Setting<C>> {
    let in_round = move |threads, round| {
        C::ALL.iter().map(move |&contender| Setting {
            contender,
            threads,
            round,
        })
    };
    threads
        .iter()
        .flat_map(move |&threads| (0..rounds).flat_map(move |round| in_round(threads, round)))
}

impl<F: Figure, C: Entrant> Measurements<F, C> {
    /// The thread counts, ascending.
    #[must_use]
    pub fn threads(&self) -> Vec<Threads> {
        let mut threads: Vec<Threads> = self.0.iter().map(|m| m.setting.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    /// A contender's figures at a thread count, by round.
    pub fn figures(&self, contender: C, threads: Threads) -> impl Iterator<Item = &F> {
        self.0
            .iter()
            .filter(move |m| m.setting.contender == contender && m.setting.threads == threads)
            .map(|m| &m.figure)
    }

    /// A contender's values at a thread count, by round.
    pub fn values(&self, contender: C, threads: Threads) -> impl Iterator<Item = f64> {
        self.figures(contender, threads).map(Figure::value)
    }

    /// The spread of a contender's values over the rounds.
    #[must_use]
    pub fn spread(&self, contender: C, threads: Threads) -> Option<Spread> {
        Spread::of(self.values(contender, threads))
    }

    /// The spread of `combine(value, other's value)`, round by round.
    #[must_use]
    pub fn paired(
        &self,
        contender: C,
        other: C,
        threads: Threads,
        combine: impl Fn(f64, f64) -> f64,
    ) -> Option<Spread> {
        let pairs = self
            .values(contender, threads)
            .zip(self.values(other, threads));
        Spread::of(pairs.map(|(value, other)| combine(value, other)))
    }

    /// How many times better than `base` a contender is, round by round.
    #[must_use]
    pub fn speedup(&self, contender: C, base: C, threads: Threads) -> Option<Spread> {
        self.paired(contender, base, threads, |value, base| {
            F::BETTER.speedup(value, base)
        })
    }
}

impl Measurements<BurstFigure> {
    /// A contender's times with the empty burst of the same round subtracted.
    pub fn net(&self, contender: Contender, threads: Threads) -> impl Iterator<Item = f64> {
        self.values(contender, threads)
            .zip(self.values(Contender::Nothing, threads))
            .map(|(burst, empty)| burst - empty)
    }

    /// How many times better than `base` a contender is, empty bursts
    /// subtracted. Rounds in which one of the two was not slower than the empty
    /// burst say nothing and are left out.
    #[must_use]
    pub fn net_speedup(
        &self,
        contender: Contender,
        base: Contender,
        threads: Threads,
    ) -> Option<Spread> {
        let pairs = self.net(contender, threads).zip(self.net(base, threads));
        let telling = pairs.filter(|&(net, base)| net > 0.0 && base > 0.0);
        Spread::of(telling.map(|(net, base)| base / net))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::burst::Burst;

    fn threads(counts: &[usize]) -> Vec<Threads> {
        counts
            .iter()
            .map(|&count| Threads::try_from(count).unwrap())
            .collect()
    }

    #[test]
    fn contenders_alternate_within_a_thread_count() {
        let order: Vec<_> = settings(&threads(&[1, 2]), 2)
            .map(|s: Setting| (s.threads.get(), s.round, s.contender))
            .collect();
        let all = Contender::ALL.len();
        assert_eq!(order.len(), 2 * 2 * all);
        for (turn, &(count, round, contender)) in order.iter().enumerate() {
            assert_eq!(contender, Contender::ALL[turn % all]);
            assert_eq!(round, turn / all % 2);
            assert_eq!(count, 1 + turn / (2 * all));
        }
    }

    fn figure(us: f64) -> BurstFigure {
        let (min_us, lower_us, upper_us, max_us) = (us, us, us, us);
        BurstFigure {
            us_per_burst: us,
            min_us,
            lower_us,
            upper_us,
            max_us,
            samples_kept: None,
        }
    }

    /// One thread, in a round.
    fn row(contender: Contender, round: usize, us: f64) -> Measurement<BurstFigure> {
        let threads = threads(&[1])[0];
        Measurement {
            setting: Setting {
                contender,
                threads,
                round,
            },
            figure: figure(us),
        }
    }

    #[test]
    fn ratios_are_taken_pair_by_pair() {
        let one = threads(&[1])[0];
        let measured = Measurements(vec![
            row(Contender::Recorder, 0, 1.0),
            row(Contender::Mutex, 0, 10.0),
            row(Contender::Recorder, 1, 100.0),
            row(Contender::Mutex, 1, 1000.0),
        ]);
        let speedup = measured
            .speedup(Contender::Recorder, Contender::Mutex, one)
            .unwrap();
        assert_eq!((speedup.min, speedup.max), (10.0, 10.0));
        let net = measured
            .paired(Contender::Mutex, Contender::Recorder, one, |a, b| a - b)
            .unwrap();
        assert_eq!((net.min, net.max), (9.0, 900.0));
    }

    #[test]
    fn empty_bursts_are_subtracted_round_by_round() {
        let one = threads(&[1])[0];
        let measured = Measurements(vec![
            row(Contender::Nothing, 0, 10.0),
            row(Contender::Recorder, 0, 12.0),
            row(Contender::Mutex, 0, 16.0),
            row(Contender::Nothing, 1, 20.0),
            row(Contender::Recorder, 1, 19.0),
            row(Contender::Mutex, 1, 30.0),
        ]);
        let net: Vec<f64> = measured.net(Contender::Recorder, one).collect();
        assert_eq!(net, [2.0, -1.0]);
        let speedup = measured.net_speedup(Contender::Recorder, Contender::Mutex, one);
        let speedup = speedup.unwrap();
        assert_eq!((speedup.rounds, speedup.median), (1, 3.0));
    }

    #[test]
    fn announces_and_measures_every_setting() {
        let burst = Burst {
            warm_up: 0,
            bursts: 2,
            adds: 3,
        };
        let mut announced = Vec::new();
        let measured = alternate(&burst, &threads(&[1, 2]), 1, |s: Setting| announced.push(s));
        let settings: Vec<_> = measured.0.iter().map(|m| m.setting).collect();
        assert_eq!(announced, settings);
        assert_eq!(measured.threads(), threads(&[1, 2]));
        assert!(measured.0.iter().all(|m| m.figure.sound()));
    }
}
