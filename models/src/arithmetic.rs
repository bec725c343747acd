//! G8, exact numbers: one thread's samples against rational arithmetic.
//!
//! The mean is the `f64` nearest to the exact one, and so is the standard
//! deviation; count, min and max are exact; whatever the samples.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use interval_stat::runtime::Std;
use interval_stat::{
    ConcurrentMutableStat, Emit, Interval, IntervalStat, Moments, MutableStat, PerformanceMetrics,
};
use num_rational::BigRational;
use num_traits::{FromPrimitive, ToPrimitive, Zero};
use serde::{Deserialize, Serialize};

use crate::guarantees::Guarantee;
use crate::outcome::Outcome;
use crate::specimen::{Combined, Jdk8, Jdk9, Merged, Phased};
use crate::statistic::Statistic;
use crate::subject::{Machine, Make, Modelled, labels};

/// The engine's name in results.
pub const ENGINE: &str = "arithmetic";

/// How exact a statistic's numbers are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exactness {
    /// The statistic's name.
    pub statistic: String,
    /// How many sequences of samples it summed up.
    pub sequences: usize,
    /// For how many of them a number was not the right one.
    pub inexact: usize,
}

/// Samples of one interval, and what is right of them.
struct Sequence {
    /// What is hard about them.
    about: &'static str,
    samples: Vec<i64>,
    mean: BigRational,
    /// Of two samples or more.
    variance: Option<BigRational>,
}

/// Some that are hard on floating point, and many that are not meant to be.
fn sequences() -> Vec<Sequence> {
    let hard: [(_, &[i64]); 12] = [
        ("one", &[7]),
        ("few, all different", &[1691, 8359, 5125]),
        ("five 1s and five 9s", &[1, 1, 1, 1, 1, 9, 9, 9, 9, 9]),
        ("all equal", &[3; 7]),
        ("around zero", &[-3, -1, 0, 2]),
        ("small differences far out", &FAR_OUT),
        ("the greatest alone", &[i64::MAX]),
        ("the least alone", &[i64::MIN]),
        ("the greatest three times", &[i64::MAX; 3]),
        (
            "close to the least",
            &[i64::MIN, i64::MIN + 1, i64::MIN + 3],
        ),
        ("the ends of the range", &[i64::MAX, i64::MIN]),
        ("both ends of the range", &[i64::MIN, i64::MAX, i64::MAX, 0]),
    ];
    let hard = hard.map(|(about, samples)| Sequence::new(about, samples.to_vec()));
    let mut draw = fastrand::Rng::with_seed(9377);
    let drawn = (0..100).map(|_| {
        let samples = (0..1000).map(|_| draw.i64(1..=10_000)).collect();
        Sequence::new("a thousand up to ten thousand", samples)
    });
    hard.into_iter().chain(drawn).collect()
}

const FAR_OUT: [i64; 3] = [
    1_000_000_000_000_001,
    1_000_000_000_000_002,
    1_000_000_000_000_004,
];

/// Puts every sequence of samples to every arithmetic there is.
pub fn explore() -> Vec<(Statistic, Outcome)> {
    let sequences = sequences();
    let of = |statistic| (statistic, judge(statistic, &sequences));
    Statistic::ALL.map(of).into()
}

/// How exact every statistic's numbers are.
pub fn exactness() -> Vec<Exactness> {
    let row = |(_, outcome): (_, Outcome)| Exactness {
        inexact: outcome.broken.values().sum::<u64>() as usize,
        sequences: outcome.executions as usize,
        statistic: outcome.statistic,
    };
    explore().into_iter().map(row).collect()
}

fn judge(statistic: Statistic, sequences: &[Sequence]) -> Outcome {
    let began = Instant::now();
    let wrong: Vec<_> = sequences
        .iter()
        .filter(|sequence| !is_exact(statistic, sequence))
        .map(|sequence| sequence.about)
        .collect();
    let broken = (!wrong.is_empty()).then_some((Guarantee::G8, wrong.len() as u64));
    let mut about = wrong;
    about.dedup();
    Outcome {
        engine: ENGINE.to_owned(),
        tool: "rational arithmetic".to_owned(),
        statistic: statistic.name().to_owned(),
        scenario: match about.as_slice() {
            [] => "1 writer at rest".to_owned(),
            wrong => format!("1 writer at rest; wrong for: {}", wrong.join(", ")),
        },
        search: "lists of samples".to_owned(),
        exhaustive: false,
        executions: sequences.len() as u64,
        seconds: began.elapsed().as_secs_f64(),
        checked: vec![Guarantee::G8],
        broken: broken.into_iter().collect(),
        add_steps: BTreeSet::new(),
        witnesses: BTreeMap::new(),
        failure: None,
    }
}

fn is_exact(statistic: Statistic, sequence: &Sequence) -> bool {
    match statistic {
        Statistic::MutableStat => sequence.is_told_by(&made::<MutableStat>()),
        Statistic::MutableStatExact => sequence.is_told_by(&made::<MutableStat<Std, Moments>>()),
        Statistic::MergedJdk8 => sequence.is_told_by(&made::<Merged<Std, Jdk8>>()),
        Statistic::MergedJdk9 => sequence.is_told_by(&made::<Merged<Std, Jdk9>>()),
        Statistic::Combined => sequence.is_told_by(&made::<Combined<Std>>()),
        Statistic::Phased => sequence.is_told_by(&made::<Phased<Std>>()),
        Statistic::ConcurrentMutableStat => sequence.is_told_by(&made::<ConcurrentMutableStat>()),
        Statistic::Recorder => {
            let stat = made::<ConcurrentMutableStat>();
            let mut recorder = stat.recorder();
            sequence.is_told(&stat, |sample| recorder.add(sample))
        }
        Statistic::PerformanceMetrics => {
            sequence.is_told_by(PerformanceMetrics::<Std>::new(labels()).stat())
        }
    }
}

fn made<S: Make>() -> S {
    S::make(labels(), Modelled::processors())
}

impl Sequence {
    fn new(about: &'static str, samples: Vec<i64>) -> Self {
        let (mean, variance) = moments(&samples);
        Self {
            about,
            samples,
            mean,
            variance,
        }
    }

    fn is_told_by(&self, stat: &impl IntervalStat) -> bool {
        self.is_told(stat, |sample| stat.add(sample))
    }

    /// Whether an interval of these samples, each added by `add`, is right.
    fn is_told(&self, stat: &impl IntervalStat, add: impl FnMut(i64)) -> bool {
        let samples = &self.samples;
        samples.iter().copied().for_each(add);
        let interval = stat.snapshot(Emit::All).expect("all is asked for").interval;
        interval.count() == samples.len() as u64
            && (interval.min(), interval.max())
                == (samples.iter().min().copied(), samples.iter().max().copied())
            && interval.mean() == self.mean.to_f64()
            && match (&self.variance, interval.stddev()) {
                (Some(variance), Some(stddev)) => is_nearest_root(stddev, variance),
                (None, None) => true,
                _ => false,
            }
    }
}

/// The exact mean, and the exact sample variance of two samples or more.
fn moments(samples: &[i64]) -> (BigRational, Option<BigRational>) {
    let whole = |n: usize| BigRational::from_integer(n.into());
    let exact = |&sample: &i64| BigRational::from_integer(sample.into());
    let mean = samples.iter().map(exact).sum::<BigRational>() / whole(samples.len());
    let squared = |sample: &i64| {
        let deviation = exact(sample) - &mean;
        &deviation * &deviation
    };
    let variance = (samples.len() > 1)
        .then(|| samples.iter().map(squared).sum::<BigRational>() / whole(samples.len() - 1));
    (mean, variance)
}

/// Whether no `f64` is nearer to the root of `square` than `root`: the root lies
/// between the middles to its neighbours.
fn is_nearest_root(root: f64, square: &BigRational) -> bool {
    if square.is_zero() {
        return root == 0.0;
    }
    let exact = |bits| BigRational::from_f64(f64::from_bits(bits)).expect("a finite number");
    let bits = root.to_bits();
    let middle_to =
        |neighbour| (exact(bits) + exact(neighbour)) / BigRational::from_integer(2.into());
    root > 0.0 && {
        // Neighbours of positive numbers are neighbours as bits.
        let (low, high) = (middle_to(bits - 1), middle_to(bits + 1));
        &low * &low <= *square && *square <= &high * &high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_root_and_no_other() {
        let two = BigRational::from_integer(2.into());
        let root = 2f64.sqrt();
        assert!(is_nearest_root(root, &two));
        for neighbour in [root.to_bits() - 1, root.to_bits() + 1] {
            assert!(!is_nearest_root(f64::from_bits(neighbour), &two));
        }
    }

    #[test]
    fn moments_are_exact_and_welford_is_not() {
        let exactness = exactness();
        let inexact = |statistic: Statistic| {
            let mut rows = exactness.iter();
            let found = rows.find(|row| row.statistic == statistic.name());
            found.expect("it is judged").inexact
        };
        assert_eq!(inexact(Statistic::ConcurrentMutableStat), 0);
        assert_eq!(inexact(Statistic::Recorder), 0);
        assert_eq!(inexact(Statistic::MutableStatExact), 0);
        assert_eq!(inexact(Statistic::PerformanceMetrics), 0);
        assert!(inexact(Statistic::MutableStat) > 0);
    }
}
