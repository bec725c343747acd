//! The exact summary of a multiset of samples.

use crate::rounding::{nearest_ratio, nearest_sqrt};
use crate::{Accumulator, Extremes, Interval};
use num_bigint::BigUint;
use num_traits::CheckedSub;
use std::num::NonZeroU64;

/// Count, sum, sum of squares, minimum and maximum of the samples, as exact
/// integers in 64 bytes.
///
/// Nothing is rounded until it is asked for, and then once: `total`, `mean`,
/// `variance` and `stddev` are the `f64`s nearest to the exact values (ties to
/// even). Equal multisets of samples therefore give equal `Moments`, in
/// whatever order and through however many merges they came, and the
/// [`Accumulator`] laws hold exactly.
///
/// # Range
///
/// Any `i64` is a sample, and up to 2^64 - 1 of them fit without overflow: the
/// sum stays within 2^127, the squares within 2^190 of 192 bits. Beyond that,
/// which one addition a nanosecond reaches after 584 years and only merging or
/// [`record_n`](Interval::record_n) could reach sooner, nothing panics and the
/// laws still hold: the count stays at `u64::MAX`, the extremes stay right, the
/// sums wrap around and what is derived from them means nothing.
///
/// # Complexity
///
/// `record`, `record_n`, `merge` and `clear` take constant time and do not
/// allocate; `mean`, `variance`, `stddev` and `sum_of_squares` work on big
/// integers of up to 256 bits.
///
/// # Examples
///
/// ```
/// use interval_stat::{Accumulator, Interval, Moments};
///
/// let mut moments = Moments::EMPTY;
/// for sample in [1_000_000_000_000_001, 1_000_000_000_000_002, 1_000_000_000_000_003] {
///     moments.record(sample);
/// }
/// assert_eq!(moments.sum(), 3_000_000_000_000_006);
/// assert_eq!(moments.mean(), Some(1_000_000_000_000_002.0));
/// assert_eq!(moments.variance(), Some(1.0));
/// assert_eq!(moments.max(), Some(1_000_000_000_000_003));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    sum: i128,
    squares_low: u128,
    squares_high: u64,
    count: u64,
    extremes: Extremes,
}

// One cache line: a stripe's two buffers are two lines.
const _: () = assert!(size_of::<Moments>() == 64);

impl Moments {
    /// The moments of no samples.
    pub const EMPTY: Self = Self {
        sum: 0,
        squares_low: 0,
        squares_high: 0,
        count: 0,
        extremes: Extremes::EMPTY,
    };

    /// The exact sum of the samples.
    ///
    /// ```
    /// use interval_stat::{Accumulator, Moments};
    ///
    /// let mut moments = Moments::EMPTY;
    /// moments.record(i64::MAX);
    /// moments.record(i64::MAX);
    /// assert_eq!(moments.sum(), 2 * i128::from(i64::MAX));
    /// ```
    #[must_use]
    pub fn sum(&self) -> i128 {
        self.sum
    }

    /// The exact sum of the squares of the samples.
    ///
    /// ```
    /// use interval_stat::{Accumulator, Moments};
    ///
    /// let mut moments = Moments::EMPTY;
    /// moments.record(-3);
    /// moments.record(4);
    /// assert_eq!(moments.sum_of_squares(), 25u32.into());
    /// ```
    #[must_use]
    pub fn sum_of_squares(&self) -> BigUint {
        (BigUint::from(self.squares_high) << 128u32) + self.squares_low
    }

    fn add(&mut self, count: u64, sum: i128, squares_low: u128, squares_high: u64) {
        let (low, carry) = self.squares_low.overflowing_add(squares_low);
        self.squares_low = low;
        self.squares_high = self
            .squares_high
            .wrapping_add(squares_high)
            .wrapping_add(u64::from(carry));
        self.sum = self.sum.wrapping_add(sum);
        self.count = self.count.saturating_add(count);
    }

    /// The variance as a fraction: `(n * squares - sum^2) / (n * (n - 1))`.
    fn variance_fraction(&self) -> Option<(BigUint, BigUint)> {
        if self.count < 2 {
            return None;
        }
        let n = BigUint::from(self.count);
        let sum = BigUint::from(self.sum.unsigned_abs());
        // Never negative (Cauchy-Schwarz), unless the sums wrapped around.
        let numerator = (&n * self.sum_of_squares()).checked_sub(&(&sum * &sum))?;
        Some((numerator, n * (self.count - 1)))
    }
}

impl Default for Moments {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Accumulator for Moments {
    #[inline]
    fn record(&mut self, sample: i64) {
        let wide = i128::from(sample);
        self.add(1, wide, (wide * wide).unsigned_abs(), 0);
        self.extremes.record(sample);
    }

    #[inline]
    fn merge(&mut self, other: &Self) {
        self.add(
            other.count,
            other.sum,
            other.squares_low,
            other.squares_high,
        );
        self.extremes.merge(&other.extremes);
    }

    fn clear(&mut self) {
        *self = Self::EMPTY;
    }
}

impl Interval for Moments {
    /// Records the `count` integers that lie nearest to each other among all
    /// that have this `sum`: each is the mean rounded down or up. So the moments
    /// remain those of a multiset of integers, the mean stays exact, and the
    /// batch adds the least spread that its sum allows.
    ///
    /// The extremes are left alone, as in Hadoop.
    ///
    /// ```
    /// use interval_stat::{Interval, Moments};
    /// use std::num::NonZeroU64;
    ///
    /// let mut moments = Moments::EMPTY;
    /// moments.record_n(NonZeroU64::new(3).unwrap(), 7); // 2, 2, 3
    /// assert_eq!(moments.sum(), 7);
    /// assert_eq!(moments.sum_of_squares(), 17u32.into());
    /// assert_eq!(moments.max(), None);
    /// ```
    fn record_n(&mut self, count: NonZeroU64, sum: i64) {
        let n = i128::from(count.get());
        let sum = i128::from(sum);
        let low = sum.div_euclid(n);
        let at_high = sum.rem_euclid(n);
        let high = low + 1;
        // At most sum^2 / n + n / 4, so far within range.
        let squares = (n - at_high) * low * low + at_high * high * high;
        self.add(count.get(), sum, squares.unsigned_abs(), 0);
    }

    fn count(&self) -> u64 {
        self.count
    }

    fn total(&self) -> f64 {
        // The cast rounds once: to nearest, ties to even.
        self.sum as f64
    }

    fn mean(&self) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let distance = nearest_ratio(&self.sum.unsigned_abs().into(), &self.count.into());
        Some(if self.sum < 0 { -distance } else { distance })
    }

    fn variance(&self) -> Option<f64> {
        let (numerator, denominator) = self.variance_fraction()?;
        Some(nearest_ratio(&numerator, &denominator))
    }

    /// The root of the exact variance, rounded once: not the root of the
    /// rounded variance.
    fn stddev(&self) -> Option<f64> {
        let (numerator, denominator) = self.variance_fraction()?;
        Some(nearest_sqrt(&numerator, &denominator))
    }

    fn min(&self) -> Option<i64> {
        self.extremes.min()
    }

    fn max(&self) -> Option<i64> {
        self.extremes.max()
    }
}
