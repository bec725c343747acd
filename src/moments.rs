//! The exact summary of a multiset of samples.

#![forbid(unsafe_code)]

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
/// With the feature `serde`, moments that no samples have are refused when they are
/// read, as far as the bounds of the sums and their parity tell (exactly for one
/// sample). Those of `u64::MAX` samples are read as they are, since their sums may
/// have wrapped around.
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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        into = "crate::serial::MomentsForm",
        try_from = "crate::serial::MomentsForm"
    )
)]
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

    /// From what the methods of these names answer. Squares beyond 192 bits wrap
    /// around.
    #[cfg(feature = "serde")]
    pub(crate) fn from_parts(count: u64, sum: i128, squares: &BigUint, extremes: Extremes) -> Self {
        let words: Vec<u64> = squares.iter_u64_digits().take(3).collect();
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        Self {
            sum,
            squares_low: u128::from(word(1)) << 64 | u128::from(word(0)),
            squares_high: word(2),
            count,
            extremes,
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounding::oracle::is_nearest_root;
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;

    /// As many times this sample.
    type Group = (i64, u64);

    fn singles(samples: &[i64]) -> Vec<Group> {
        samples.iter().map(|&sample| (sample, 1)).collect()
    }

    fn of(samples: &[i64]) -> Moments {
        let mut moments = Moments::EMPTY;
        samples.iter().for_each(|&sample| moments.record(sample));
        moments
    }

    fn merged(a: &Moments, b: &Moments) -> Moments {
        let mut both = *a;
        both.merge(b);
        both
    }

    /// `count` times `sample`, by doubling.
    fn repeated(sample: i64, count: u64) -> Moments {
        let mut power = of(&[sample]);
        let mut moments = Moments::EMPTY;
        for bit in 0..u64::BITS {
            if count >> bit & 1 == 1 {
                moments.merge(&power);
            }
            power = merged(&power, &power);
        }
        moments
    }

    fn of_groups(groups: &[Group]) -> Moments {
        let groups = groups
            .iter()
            .map(|&(sample, count)| repeated(sample, count));
        groups.fold(Moments::EMPTY, |all, group| merged(&all, &group))
    }

    /// The definitions, word for word, in exact arithmetic.
    struct Naive<'a>(&'a [Group]);

    impl Naive<'_> {
        fn sum_of(&self, f: impl Fn(BigRational) -> BigRational) -> BigRational {
            let exact = |sample: i64| BigRational::from(BigInt::from(sample));
            let terms = self
                .0
                .iter()
                .map(|&(sample, n)| f(exact(sample)) * BigInt::from(n));
            terms.sum()
        }

        fn count(&self) -> BigInt {
            self.0.iter().map(|&(_, n)| BigInt::from(n)).sum()
        }

        fn mean(&self) -> BigRational {
            self.sum_of(|x| x) / self.count()
        }

        fn variance(&self) -> BigRational {
            let mean = self.mean();
            self.sum_of(|x| (&x - &mean) * (&x - &mean)) / (self.count() - 1)
        }
    }

    fn check(moments: &Moments, groups: &[Group]) -> Result<(), TestCaseError> {
        let naive = Naive(groups);
        prop_assert_eq!(BigInt::from(moments.count()), naive.count());
        let exact = |n: BigInt| BigRational::from(n);
        prop_assert_eq!(exact(moments.sum().into()), naive.sum_of(|x| x));
        let squares = naive.sum_of(|x| &x * &x);
        prop_assert_eq!(exact(moments.sum_of_squares().into()), squares);
        prop_assert!(is_nearest_root(moments.total(), &naive.sum_of(|x| x), 1));
        check_extremes(moments, groups)?;
        check_rounded(moments, &naive)
    }

    fn check_extremes(moments: &Moments, groups: &[Group]) -> Result<(), TestCaseError> {
        let held = || {
            groups
                .iter()
                .filter(|group| group.1 > 0)
                .map(|group| group.0)
        };
        prop_assert_eq!(moments.min(), held().min());
        prop_assert_eq!(moments.max(), held().max());
        Ok(())
    }

    fn check_rounded(moments: &Moments, naive: &Naive<'_>) -> Result<(), TestCaseError> {
        let rounded = (moments.mean(), moments.variance(), moments.stddev());
        if moments.count() == 0 {
            prop_assert_eq!(rounded, (None, None, None));
            return Ok(());
        }
        prop_assert!(is_nearest_root(rounded.0.unwrap(), &naive.mean(), 1));
        if moments.count() == 1 {
            prop_assert_eq!((rounded.1, rounded.2), (None, None));
            return Ok(());
        }
        prop_assert!(is_nearest_root(rounded.1.unwrap(), &naive.variance(), 1));
        prop_assert!(is_nearest_root(rounded.2.unwrap(), &naive.variance(), 2));
        Ok(())
    }

    fn sample() -> impl Strategy<Value = i64> {
        prop_oneof![
            any::<i64>(),
            1i64..10_000,
            (-50i64..50).prop_map(|small| 1_000_000_000_000_000 + small),
            proptest::sample::select(vec![i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX]),
        ]
    }

    fn samples() -> impl Strategy<Value = Vec<i64>> {
        let equal = (sample(), 0usize..20).prop_map(|(sample, n)| vec![sample; n]);
        let near = prop::collection::vec(999_999_999_999_990i64..1_000_000_000_000_010, 0..20);
        prop_oneof![prop::collection::vec(sample(), 0..20), equal, near]
    }

    /// At most eight groups below 2^61 each: fewer than 2^64 samples.
    fn groups() -> impl Strategy<Value = Vec<Group>> {
        let count = (any::<u64>(), 3u32..64).prop_map(|(n, shift)| n >> shift);
        prop::collection::vec((sample(), count), 0..8)
    }

    proptest! {
        #[test]
        fn agree_with_the_definitions(samples in samples()) {
            check(&of(&samples), &singles(&samples))?;
        }

        #[test]
        fn agree_with_the_definitions_for_vast_counts(groups in groups()) {
            check(&of_groups(&groups), &groups)?;
        }

        #[test]
        fn merging_is_recording_both(a in samples(), b in samples()) {
            prop_assert_eq!(merged(&of(&a), &of(&b)), of(&[a, b].concat()));
        }

        #[test]
        fn merging_is_associative_and_commutative(a in groups(), b in groups(), c in groups()) {
            let (a, b, c) = (of_groups(&a), of_groups(&b), of_groups(&c));
            prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
            prop_assert_eq!(merged(&a, &b), merged(&b, &a));
        }

        #[test]
        fn the_empty_and_the_cleared_are_the_identity(a in groups()) {
            let a = of_groups(&a);
            let mut cleared = a;
            cleared.clear();
            prop_assert_eq!(cleared, Moments::EMPTY);
            prop_assert_eq!(merged(&a, &Moments::EMPTY), a);
            prop_assert_eq!(merged(&Moments::EMPTY, &a), a);
        }

        /// The parts of a sum dealt out evenly: the i-th takes what the rounded
        /// down i-th share leaves of the next.
        #[test]
        fn a_batch_is_its_sum_dealt_out_evenly(sum in sample(), n in 1u64..60) {
            let share = |i: u64| (i128::from(sum) * i128::from(i)).div_euclid(n.into());
            let dealt: Vec<i64> = (0..n).map(|i| (share(i + 1) - share(i)) as i64).collect();
            let mut batch = Moments::EMPTY;
            batch.record_n(NonZeroU64::new(n).unwrap(), sum);
            prop_assert_eq!(batch.sum(), i128::from(sum));
            prop_assert_eq!(batch.sum_of_squares(), of(&dealt).sum_of_squares());
            prop_assert_eq!((batch.count(), batch.min(), batch.max()), (n, None, None));
        }
    }

    #[test]
    fn five_ones_and_five_nines_deviate_by_four_thirds_of_the_root_of_ten() {
        let moments = of(&[1, 1, 1, 1, 1, 9, 9, 9, 9, 9]);
        assert_eq!(moments.mean(), Some(5.0));
        assert_eq!(moments.stddev(), Some(4.216370213557839));
    }

    #[test]
    fn squares_carry_beyond_128_bits() {
        let mut moments = of(&[i64::MIN]);
        for doublings in 1..=63u32 {
            moments = merged(&moments, &moments);
            assert_eq!(moments.count(), 1 << doublings);
            let squares = BigUint::from(1u32) << (126 + doublings);
            assert_eq!(moments.sum_of_squares(), squares);
        }
        assert_eq!(moments.sum(), -(1 << 126));
        assert_eq!(moments.variance(), Some(0.0));
    }

    /// One by one as well as by merging, since the two add different words.
    #[test]
    fn recording_carries_beyond_128_bits() {
        let mut moments = repeated(i64::MIN, 3);
        moments.record(i64::MIN);
        assert_eq!(moments.sum_of_squares(), BigUint::from(1u32) << 128u32);
    }

    #[test]
    fn the_largest_count_is_exact() {
        let moments = repeated(i64::MIN, u64::MAX);
        check(&moments, &[(i64::MIN, u64::MAX)]).unwrap();
        let halves = [(i64::MIN, u64::MAX / 2), (i64::MAX, u64::MAX / 2 + 1)];
        check(&of_groups(&halves), &halves).unwrap();
    }

    #[test]
    fn the_largest_batches_are_exact() {
        let batch = |count, sum| {
            let mut moments = Moments::EMPTY;
            moments.record_n(NonZeroU64::new(count).unwrap(), sum);
            moments
        };
        let cases = [
            (1, i64::MIN, BigUint::from(1u32) << 126u32),
            (2, i64::MIN, BigUint::from(1u32) << 125u32),
            (u64::MAX, -1, BigUint::from(1u32)),
            (u64::MAX, i64::MIN, BigUint::from(1u32) << 63u32),
            (u64::MAX, i64::MAX, BigUint::from(i64::MAX.unsigned_abs())),
        ];
        for (count, sum, squares) in cases {
            let moments = batch(count, sum);
            assert_eq!(moments.sum(), i128::from(sum));
            assert_eq!(moments.sum_of_squares(), squares);
            assert_eq!(moments.count(), count);
        }
    }

    #[test]
    fn beyond_the_largest_count_the_laws_hold_and_nothing_panics() {
        let full = repeated(i64::MIN, u64::MAX);
        let more = repeated(i64::MAX, 1 << 63);
        let over = merged(&full, &more);
        assert_eq!(over.count(), u64::MAX);
        assert_eq!((over.min(), over.max()), (Some(i64::MIN), Some(i64::MAX)));
        assert_eq!(over, merged(&more, &full));
        let twice = merged(&full, &full);
        assert_eq!(merged(&twice, &more), merged(&full, &merged(&full, &more)));
        for moments in [over, twice] {
            let _ = (
                moments.total(),
                moments.mean(),
                moments.variance(),
                moments.stddev(),
            );
        }
    }
}
