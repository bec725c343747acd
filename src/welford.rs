//! The floating-point summary that Hadoop keeps.

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
