//! G8, exact numbers: one thread's samples against rational arithmetic.
//!
//! The mean is the `f64` nearest to the exact one, and so is the standard
//! deviation; count, min and max are exact; whatever the samples.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use interval_stat::runtime::Std;
use interval_stat::{ConcurrentMutableStat, Emit, Interval, MutableStat};
use num_rational::BigRational;
use num_traits::{FromPrimitive, ToPrimitive, Zero};

use crate::guarantees::Guarantee;
use crate::outcome::Outcome;
use crate::specimen::{Combined, Jdk8, Jdk9, Merged, Phased};
use crate::statistic::Statistic;
use crate::subject::{Make, PROCESSORS, labels};

/// The engine's name in results.
pub const ENGINE: &str = "arithmetic";

/// Samples of one interval, and what is hard about them.
struct Samples {
    about: &'static str,
    samples: Vec<i64>,
}

fn cases() -> Vec<Samples> {
    let case = |about, samples: &[i64]| Samples {
        about,
        samples: samples.to_vec(),
    };
    vec![
        case("one", &[7]),
        case("few, all different", &[1691, 8359, 5125]),
        case("five 1s and five 9s", &[1, 1, 1, 1, 1, 9, 9, 9, 9, 9]),
        case("all equal", &[3; 7]),
        case("around zero", &[-3, -1, 0, 2]),
        case("small differences far out", &FAR_OUT),
        case("the greatest alone", &[i64::MAX]),
        case("the least alone", &[i64::MIN]),
        case("both ends of the range", &[i64::MIN, i64::MAX, i64::MAX, 0]),
        Samples {
            about: "a thousand up to ten thousand",
            samples: (0..1000).map(|i| i * 7919 % 10_000).collect(),
        },
    ]
}

const FAR_OUT: [i64; 3] = [
    1_000_000_000_000_001,
    1_000_000_000_000_002,
    1_000_000_000_000_004,
];

/// Puts every list of samples to every arithmetic there is.
pub fn explore() -> Vec<(Statistic, Outcome)> {
    vec![
        run::<MutableStat>(Statistic::MutableStat),
        run::<Merged<Std, Jdk8>>(Statistic::MergedJdk8),
        run::<Merged<Std, Jdk9>>(Statistic::MergedJdk9),
        run::<Combined<Std>>(Statistic::Combined),
        run::<Phased<Std>>(Statistic::Phased),
        run::<ConcurrentMutableStat>(Statistic::ConcurrentMutableStat),
    ]
}

fn run<S: Make>(statistic: Statistic) -> (Statistic, Outcome) {
    let began = Instant::now();
    let cases = cases();
    let wrong: Vec<_> = cases
        .iter()
        .filter(|case| !is_exact::<S>(&case.samples))
        .map(|case| case.about)
        .collect();
    let broken = (!wrong.is_empty()).then_some((Guarantee::G8, wrong.len() as u64));
    let outcome = Outcome {
        engine: ENGINE.to_owned(),
        tool: "rational arithmetic".to_owned(),
        statistic: statistic.name().to_owned(),
        scenario: match wrong.as_slice() {
            [] => "1 writer at rest".to_owned(),
            wrong => format!("1 writer at rest; wrong for: {}", wrong.join(", ")),
        },
        search: "lists of samples".to_owned(),
        exhaustive: false,
        executions: cases.len() as u64,
        seconds: began.elapsed().as_secs_f64(),
        checked: vec![Guarantee::G8],
        broken: broken.into_iter().collect(),
        add_steps: BTreeSet::new(),
        witnesses: BTreeMap::new(),
        failure: None,
    };
    (statistic, outcome)
}

fn is_exact<S: Make>(samples: &[i64]) -> bool {
    let stat = S::make(labels(), PROCESSORS);
    samples.iter().for_each(|&sample| stat.add(sample));
    let interval = stat.snapshot(Emit::All).expect("all is asked for").interval;
    let (mean, variance) = moments(samples);
    interval.count() == samples.len() as u64
        && (interval.min(), interval.max())
            == (samples.iter().min().copied(), samples.iter().max().copied())
        && interval.mean() == mean.to_f64()
        && match (variance, interval.stddev()) {
            (Some(variance), Some(stddev)) => is_nearest_root(stddev, &variance),
            (None, None) => true,
            _ => false,
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
}
