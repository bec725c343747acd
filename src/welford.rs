//! The floating-point summary that Hadoop keeps.

#![forbid(unsafe_code)]

use crate::{Accumulator, Extremes, Interval};
use std::num::NonZeroU64;

/// Mean and squared deviations in `f64`, updated as Hadoop 3.4.1's
/// `org.apache.hadoop.metrics2.util.SampleStat` does, bit for bit.
///
/// Each update is Welford's (B. P. Welford, "Note on a method for calculating
/// corrected sums of squares and products", Technometrics 4, 1962), weighted by
/// the number of samples that come with it: a batch counts as that many samples
/// at its mean. Rounding errors add up, so the order of the samples shows in
/// the last bits; [`Moments`](crate::Moments) is the exact alternative. The
/// extremes are exact integers.
///
/// The [`Accumulator`] laws hold up to rounding. Counts stop at `u64::MAX`. All
/// operations take constant time and none allocates.
///
/// # Examples
///
/// ```
/// use interval_stat::{Accumulator, Interval, Welford};
///
/// let mut stat = Welford::default();
/// for sample in [1691, 8359, 5125] {
///     stat.record(sample);
/// }
/// assert_eq!(stat.mean(), Some(5058.333333333333));
/// assert_eq!(stat.stddev(), Some(3334.4998625481053));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Welford {
    count: u64,
    mean: f64,
    squared_deviations: f64,
    extremes: Extremes,
}

impl Welford {
    /// One weighted step. The operations and their order are Java's: floating
    /// point is not associative, and every bit is compared.
    #[inline]
    fn step(&mut self, count: u64, total: f64) {
        self.count = self.count.saturating_add(count);
        let weight = count as f64;
        let x = total / weight;
        let old = self.mean;
        self.mean += (weight / self.count as f64) * (x - old);
        self.squared_deviations += weight * (x - old) * (x - self.mean);
    }

    /// Joins the moments of two non-empty halves.
    fn join(&mut self, other: &Self) {
        let (here, there) = (self.count as f64, other.count as f64);
        let both = here + there;
        let gap = other.mean - self.mean;
        self.mean += gap * (there / both);
        self.squared_deviations += other.squared_deviations + gap * gap * here * (there / both);
    }
}

impl Accumulator for Welford {
    #[inline]
    fn record(&mut self, sample: i64) {
        self.extremes.record(sample);
        self.step(1, sample as f64);
    }

    /// Joins two summaries by the pairwise formula of T. F. Chan, G. H. Golub
    /// and R. J. LeVeque, "Updating formulae and a pairwise algorithm for
    /// computing sample variances" (1979). Hadoop has no such operation, and
    /// what is compared with Hadoop never merges.
    fn merge(&mut self, other: &Self) {
        if self.count == 0 {
            *self = *other;
        } else if other.count > 0 {
            self.join(other);
            self.count = self.count.saturating_add(other.count);
            self.extremes.merge(&other.extremes);
        }
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Interval for Welford {
    fn record_n(&mut self, count: NonZeroU64, sum: i64) {
        self.step(count.get(), sum as f64);
    }

    fn count(&self) -> u64 {
        self.count
    }

    /// The mean times the count, as Hadoop has it: not always the nearest
    /// number to the sum.
    fn total(&self) -> f64 {
        self.mean * self.count as f64
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squared_deviations / (self.count - 1) as f64)
    }

    fn stddev(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    fn min(&self) -> Option<i64> {
        self.extremes.min()
    }

    fn max(&self) -> Option<i64> {
        self.extremes.max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moments;
    use proptest::prelude::*;

    fn of<I: Interval>(samples: &[i64]) -> I {
        let mut interval = I::default();
        samples.iter().for_each(|&sample| interval.record(sample));
        interval
    }

    /// Equal but for rounding, on the scale of samples below 10^4.
    fn close(a: Option<f64>, b: Option<f64>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * 1e8,
            _ => a == b,
        }
    }

    fn samples() -> impl Strategy<Value = Vec<i64>> {
        prop::collection::vec(-10_000i64..10_000, 0..40)
    }

    proptest! {
        #[test]
        fn is_near_the_exact_moments(samples in samples()) {
            let (rounded, exact): (Welford, Moments) = (of(&samples), of(&samples));
            prop_assert!(close(rounded.mean(), exact.mean()));
            prop_assert!(close(rounded.variance(), exact.variance()));
            prop_assert_eq!(rounded.count(), exact.count());
            prop_assert_eq!((rounded.min(), rounded.max()), (exact.min(), exact.max()));
        }

        #[test]
        fn merging_is_nearly_recording_both(a in samples(), b in samples()) {
            let mut merged: Welford = of(&a);
            merged.merge(&of(&b));
            let recorded: Welford = of(&[a, b].concat());
            prop_assert!(close(merged.mean(), recorded.mean()));
            prop_assert!(close(merged.variance(), recorded.variance()));
            prop_assert_eq!(merged.count(), recorded.count());
            prop_assert_eq!((merged.min(), merged.max()), (recorded.min(), recorded.max()));
        }

        #[test]
        fn the_empty_is_the_identity(samples in samples()) {
            let stat: Welford = of(&samples);
            let mut left = Welford::default();
            left.merge(&stat);
            let mut right = stat;
            right.merge(&Welford::default());
            prop_assert_eq!((left, right), (stat, stat));
        }
    }

    #[test]
    fn a_batch_counts_as_its_mean_and_leaves_the_extremes() {
        let mut stat: Welford = of(&[1, 3]);
        stat.record_n(NonZeroU64::new(2).unwrap(), 12);
        // Two at 6 beside 1 and 3: mean 4, squared deviations 9 + 1 + 4 + 4.
        assert_eq!(stat.mean(), Some(4.0));
        assert_eq!(stat.variance(), Some(6.0));
        assert_eq!((stat.min(), stat.max()), (Some(1), Some(3)));
    }

    #[test]
    fn what_is_undefined_is_none() {
        let empty = Welford::default();
        assert_eq!(
            (empty.mean(), empty.variance(), empty.min()),
            (None, None, None)
        );
        let one: Welford = of(&[7]);
        assert_eq!(
            (one.mean(), one.variance(), one.stddev()),
            (Some(7.0), None, None)
        );
    }
}
