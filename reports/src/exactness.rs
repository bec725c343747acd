//! G8: whether mean and standard deviation are the numbers nearest to the exact
//! ones. One thread adds; what others do is the models' business.

use benches::{Fresh, Samples};
use interval_stat::runtime::Std;
use interval_stat::{
    ConcurrentMutableStat, Detail, Interval, IntervalStat, Labels, Moments, MutableStat,
    PerformanceMetrics,
};
use models::specimen::{Combined, Jdk8, Jdk9, Merged, Phased};
use models::statistic::Statistic;
use models::subject::Make;
use num_rational::BigRational;
use serde::{Deserialize, Serialize};

/// How exact a statistic's numbers are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exactness {
    /// The statistic, as the models call it.
    pub statistic: String,
    /// How many sequences of samples it summed up.
    pub sequences: usize,
    /// Of those, how often the mean or the standard deviation was not the
    /// nearest number.
    pub inexact: usize,
}

/// Of every statistic that the models know.
pub(crate) fn exactness() -> Vec<Exactness> {
    let sequences = sequences();
    let check = |statistic: Statistic| Exactness {
        statistic: statistic.name().to_owned(),
        sequences: sequences.len(),
        inexact: sequences
            .iter()
            .filter(|samples| !is_exact(statistic, samples))
            .count(),
    };
    Statistic::ALL.into_iter().map(check).collect()
}

/// Some that are hard on floating point, and many that are not meant to be.
fn sequences() -> Vec<Vec<i64>> {
    let large = 1_000_000_000_000_000;
    let mut sequences = vec![
        vec![1, 1, 1, 1, 1, 9, 9, 9, 9, 9],
        vec![large + 1, large + 2, large + 3],
        vec![i64::MAX, i64::MIN],
        vec![i64::MAX; 3],
        vec![i64::MIN, i64::MIN + 1, i64::MIN + 3],
        vec![7],
    ];
    let drawn = |seed| {
        let mut samples = Samples::of_thread(seed);
        (0..1000).map(|_| samples.draw()).collect()
    };
    sequences.extend((0..100).map(drawn));
    sequences
}

fn is_exact(statistic: Statistic, samples: &[i64]) -> bool {
    match statistic {
        Statistic::MutableStat => is_exact_in(&<MutableStat as Fresh>::fresh(), samples),
        Statistic::MutableStatExact => {
            is_exact_in(&MutableStat::<Std, Moments>::new(labels()), samples)
        }
        Statistic::ConcurrentMutableStat => {
            is_exact_in(&<ConcurrentMutableStat as Fresh>::fresh(), samples)
        }
        Statistic::Recorder => {
            let stat = <ConcurrentMutableStat as Fresh>::fresh();
            let mut recorder = stat.recorder();
            samples.iter().for_each(|&sample| recorder.add(sample));
            is_nearest(&stat.last_stat(), samples)
        }
        Statistic::MergedJdk8 => is_exact_in(&made::<Merged<Std, Jdk8>>(), samples),
        Statistic::MergedJdk9 => is_exact_in(&made::<Merged<Std, Jdk9>>(), samples),
        Statistic::Combined => is_exact_in(&made::<Combined<Std>>(), samples),
        Statistic::Phased => is_exact_in(&made::<Phased<Std>>(), samples),
        Statistic::PerformanceMetrics => {
            is_exact_in(PerformanceMetrics::<Std>::new(labels()).stat(), samples)
        }
    }
}

/// For one thread, so that the number of processors does not matter.
fn made<S: Make>() -> S {
    S::make(labels(), 2)
}

fn labels() -> Labels {
    Labels::new("exact", "exactness", "Ops", "Time", Detail::Extended).expect("no label is empty")
}

fn is_exact_in(stat: &impl IntervalStat, samples: &[i64]) -> bool {
    samples.iter().for_each(|&sample| stat.add(sample));
    is_nearest(&stat.last_stat(), samples)
}

fn is_nearest(interval: &impl Interval, samples: &[i64]) -> bool {
    let n = rational(samples.len() as i64);
    let sum: BigRational = samples.iter().map(|&sample| rational(sample)).sum();
    let mean = sum / &n;
    let mean_is_nearest = interval.mean().is_some_and(|shown| {
        let (below, above) = midpoints(shown);
        below <= mean && mean <= above
    });
    let squares = samples.iter().map(|&sample| {
        let deviation = rational(sample) - &mean;
        &deviation * &deviation
    });
    let squares: BigRational = squares.sum();
    let stddev_is_nearest = interval.stddev().is_none_or(|shown| {
        // Midpoints below zero have squares too, but no root to compare with.
        let (below, above) = midpoints(shown);
        let variance = squares / (n - rational(1));
        let not_below = below < rational(0) || &below * &below <= variance;
        not_below && variance <= &above * &above
    });
    mean_is_nearest && stddev_is_nearest
}

/// Halfway to the numbers next to `shown`: what it is the nearest number for.
fn midpoints(shown: f64) -> (BigRational, BigRational) {
    let exact = |x: f64| BigRational::from_float(x).expect("the samples are far from infinity");
    let half = |x: f64| (exact(shown) + exact(x)) / rational(2);
    let (a, b) = neighbours(shown);
    (half(a.min(b)), half(a.max(b)))
}

fn neighbours(x: f64) -> (f64, f64) {
    if x == 0.0 {
        let least = f64::from_bits(1);
        return (-least, least);
    }
    (
        f64::from_bits(x.to_bits() - 1),
        f64::from_bits(x.to_bits() + 1),
    )
}

fn rational(integer: i64) -> BigRational {
    BigRational::from_integer(integer.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_the_nearest_number_are_not_it() {
        let third = BigRational::new(1.into(), 3.into());
        let nearest = |shown: f64| {
            let (below, above) = midpoints(shown);
            below <= third && third <= above
        };
        assert!(nearest(1.0 / 3.0));
        let (a, b) = neighbours(1.0 / 3.0);
        assert!(!nearest(a) && !nearest(b));
    }

    #[test]
    fn moments_are_exact_and_welford_is_not() {
        let exactness = exactness();
        let inexact = |statistic: Statistic| {
            let found = exactness
                .iter()
                .find(|row| row.statistic == statistic.name());
            found.unwrap().inexact
        };
        assert_eq!(inexact(Statistic::ConcurrentMutableStat), 0);
        assert_eq!(inexact(Statistic::Recorder), 0);
        assert_eq!(inexact(Statistic::MutableStatExact), 0);
        assert!(inexact(Statistic::MutableStat) > 0);
    }
}
