//! The moments and the histogram of the same samples.

#![forbid(unsafe_code)]

use std::num::NonZeroU64;

use hdrhistogram::Histogram;

use crate::{Accumulator, Interval, Moments, Quantile};

/// Digits of a sample that the histogram tells apart.
const DIGITS: u8 = 2;

/// Exact moments together with a histogram of the same samples: an [`Interval`]
/// that also answers for quantiles.
///
/// The histogram is that of the crate `hdrhistogram` with two significant
/// digits, over the whole range of `i64`: exact up to 255, from there on in
/// buckets no wider than 1/128 of what is in them. So what
/// [`quantile`](Self::quantile) answers is off by less than
/// [`RELATIVE_ERROR`](Self::RELATIVE_ERROR). Its counts are integers, so the
/// [`Accumulator`] laws hold exactly.
///
/// Beyond 2^64 - 1 samples, each count stays at `u64::MAX`, as that of [`Moments`]
/// does; it can still be written and read (feature `serde`).
///
/// # Complexity
///
/// About 60 kB, and as much again from the first negative sample on, which
/// allocates. Otherwise `record` does not allocate and takes constant time; what
/// goes over all buckets (`merge`, `clear`, `quantile`) goes over some 7,300 and
/// is spared the empty ones' histograms.
///
/// # Examples
///
/// ```
/// use interval_stat::distribution::Distribution;
/// use interval_stat::{Accumulator, Interval, Quantile};
///
/// let mut distribution = Distribution::default();
/// (1..=100).for_each(|sample| distribution.record(sample));
/// assert_eq!(distribution.quantile(Quantile::new(0.95)?), Some(95));
/// assert_eq!(distribution.mean(), Some(50.5));
/// # Ok::<(), interval_stat::NoQuantile>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        into = "crate::serial::DistributionForm",
        try_from = "crate::serial::DistributionForm"
    )
)]
pub struct Distribution {
    moments: Moments,
    /// The samples from 0 on.
    rest: Histogram<u64>,
    /// The negative ones, each as its bitwise complement, which turns -1 into 0
    /// and `i64::MIN` into `i64::MAX`.
    negative: Option<Histogram<u64>>,
}

impl Distribution {
    /// The most that a value at a quantile lies away from the sample there, as a
    /// share of the sample.
    pub const RELATIVE_ERROR: f64 = 1.0 / 128.0;

    /// The exact moments.
    #[must_use]
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The value at the quantile, of the samples known one by one; `None` if
    /// there are none.
    ///
    /// Away from zero by less than [`RELATIVE_ERROR`](Self::RELATIVE_ERROR), and
    /// never beyond the extremes.
    #[must_use]
    pub fn quantile(&self, quantile: Quantile) -> Option<i64> {
        let negative = self.negative.as_ref();
        let below = negative.map_or(0, Histogram::len);
        let rank = quantile.rank(below.saturating_add(self.rest.len()));
        let value = match negative {
            // Complements run the other way.
            Some(negative) if rank <= below => !at_rank(negative, below - rank + 1)?,
            _ => at_rank(&self.rest, rank - below)?,
        };
        Some(value.clamp(self.min()?, self.max()?))
    }

    /// The non-empty buckets in ascending order: the lowest value that falls in
    /// each, and how many did.
    ///
    /// ```
    /// use interval_stat::distribution::Distribution;
    /// use interval_stat::Accumulator;
    ///
    /// let mut distribution = Distribution::default();
    /// [7, -1022, 1025, 7].iter().for_each(|&sample| distribution.record(sample));
    /// let buckets: Vec<_> = distribution.buckets().collect();
    /// assert_eq!(buckets, [(-1024, 1), (7, 2), (1024, 1)]);
    /// ```
    pub fn buckets(&self) -> impl Iterator<Item = (i64, u64)> {
        let negative = self.negative.iter().flat_map(|negative| {
            let buckets = negative.iter_recorded();
            buckets.map(|bucket| {
                let highest = negative.highest_equivalent(bucket.value_iterated_to());
                (!signed(highest), bucket.count_since_last_iteration())
            })
        });
        let mut negative: Vec<_> = negative.collect();
        negative.reverse();
        let rest = self.rest.iter_recorded().map(|bucket| {
            let lowest = self.rest.lowest_equivalent(bucket.value_iterated_to());
            (signed(lowest), bucket.count_since_last_iteration())
        });
        negative.into_iter().chain(rest)
    }

    /// From what the methods of these names answer.
    ///
    /// # Errors
    ///
    /// If no samples have these moments and these buckets.
    #[cfg(feature = "serde")]
    pub(crate) fn from_parts(moments: Moments, buckets: &[(i64, u64)]) -> Result<Self, String> {
        // As counts do beyond the range.
        let counted = buckets
            .iter()
            .fold(0_u64, |sum, &(_, count)| sum.saturating_add(count));
        if counted > moments.count() {
            return Err(format!(
                "`buckets` hold more samples than the {} that there are",
                moments.count()
            ));
        }
        let mut distribution = Self {
            moments,
            ..Self::default()
        };
        for &(lowest, count) in buckets {
            distribution.count_in_bucket(lowest, count);
        }
        if !distribution.buckets().eq(buckets.iter().copied()) {
            return Err(
                "`buckets` are not the non-empty ones of such a histogram, each by its \
                        lowest value, in ascending order"
                    .to_owned(),
            );
        }
        let ends = [buckets.first(), buckets.last()].map(|end| end.map(|&(lowest, _)| lowest));
        let extremes = [moments.min(), moments.max()];
        if ends != extremes.map(|extreme| extreme.map(|sample| distribution.lowest(sample))) {
            return Err(
                "the first and the last of `buckets` are not those of `min` and `max`".to_owned(),
            );
        }
        Ok(distribution)
    }

    /// The lowest value in the bucket of the sample.
    #[cfg(feature = "serde")]
    fn lowest(&self, sample: i64) -> i64 {
        match u64::try_from(sample) {
            Ok(sample) => signed(self.rest.lowest_equivalent(sample)),
            // Complements run the other way.
            Err(_) => !signed(self.rest.highest_equivalent((!sample).unsigned_abs())),
        }
    }

    /// Counts so many samples like this one in the histogram.
    #[inline]
    fn count_in_bucket(&mut self, sample: i64, count: u64) {
        // Saturating, for it must not fail; nothing is out of range.
        match u64::try_from(sample) {
            Ok(sample) => self.rest.saturating_record_n(sample, count),
            Err(_) => {
                let negative = self.negative.get_or_insert_with(histogram);
                negative.saturating_record_n((!sample).unsigned_abs(), count);
            }
        }
    }
}

/// The highest value of the bucket that the sample of this rank is in.
fn at_rank(histogram: &Histogram<u64>, rank: u64) -> Option<i64> {
    let mut counted = 0_u64;
    let mut buckets = histogram.iter_recorded();
    let bucket = buckets.find(|bucket| {
        counted = counted.saturating_add(bucket.count_since_last_iteration());
        counted >= rank
    })?;
    Some(signed(
        histogram.highest_equivalent(bucket.value_iterated_to()),
    ))
}

/// The highest bucket ends beyond what was recorded in it.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn histogram() -> Histogram<u64> {
    let range = i64::MAX.unsigned_abs();
    Histogram::new_with_bounds(1, range, DIGITS).expect("these bounds are in order")
}

impl Default for Distribution {
    fn default() -> Self {
        Self {
            moments: Moments::EMPTY,
            rest: histogram(),
            negative: None,
        }
    }
}

/// Of the same samples, as far as the histogram tells them apart.
impl PartialEq for Distribution {
    fn eq(&self, other: &Self) -> bool {
        self.moments == other.moments
            && self.rest == other.rest
            && match (&self.negative, &other.negative) {
                (Some(here), Some(there)) => here == there,
                (one, other) => one.iter().chain(other).all(Histogram::is_empty),
            }
    }
}

impl Accumulator for Distribution {
    #[inline]
    fn record(&mut self, sample: i64) {
        self.moments.record(sample);
        self.count_in_bucket(sample, 1);
    }

    fn merge(&mut self, other: &Self) {
        self.moments.merge(&other.moments);
        add(&mut self.rest, &other.rest);
        if let Some(negative) = &other.negative {
            add(self.negative.get_or_insert_with(histogram), negative);
        }
    }

    fn clear(&mut self) {
        self.moments.clear();
        let histograms = self.negative.iter_mut().chain([&mut self.rest]);
        histograms
            .filter(|histogram| !histogram.is_empty())
            .for_each(Histogram::reset);
    }
}

fn add(into: &mut Histogram<u64>, from: &Histogram<u64>) {
    // Equal bounds: the only error there is cannot be.
    let added = into.add(from);
    debug_assert!(added.is_ok(), "histograms of one range");
}

impl Interval for Distribution {
    /// As [`Moments`] do; the histogram, as the extremes, is of the samples known
    /// one by one.
    fn record_n(&mut self, count: NonZeroU64, sum: i64) {
        self.moments.record_n(count, sum);
    }

    fn count(&self) -> u64 {
        self.moments.count()
    }

    fn total(&self) -> f64 {
        self.moments.total()
    }

    fn mean(&self) -> Option<f64> {
        self.moments.mean()
    }

    fn variance(&self) -> Option<f64> {
        self.moments.variance()
    }

    fn stddev(&self) -> Option<f64> {
        self.moments.stddev()
    }

    fn min(&self) -> Option<i64> {
        self.moments.min()
    }

    fn max(&self) -> Option<i64> {
        self.moments.max()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn of(samples: &[i64]) -> Distribution {
        let mut distribution = Distribution::default();
        samples
            .iter()
            .for_each(|&sample| distribution.record(sample));
        distribution
    }

    fn merged(a: &Distribution, b: &Distribution) -> Distribution {
        let mut both = a.clone();
        both.merge(b);
        both
    }

    pub(crate) fn sample() -> impl Strategy<Value = i64> {
        prop_oneof![any::<i64>(), -300_i64..300, 0_i64..100_000_000]
    }

    fn samples() -> impl Strategy<Value = Vec<i64>> {
        prop::collection::vec(sample(), 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn quantiles_are_near_the_sample_of_their_rank(mut samples in samples(), share in 0.0..=1.0) {
            let quantile = Quantile::new(share).unwrap();
            let found = of(&samples).quantile(quantile);
            samples.sort_unstable();
            let expected = (!samples.is_empty())
                .then(|| samples[quantile.rank(samples.len() as u64) as usize - 1]);
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some(expected)) = (found, expected) {
                let off = (i128::from(found) - i128::from(expected)).unsigned_abs();
                prop_assert!(off * 128 <= u128::from(expected.unsigned_abs()), "{found} for {expected}");
            }
        }

        #[test]
        fn merging_is_recording_both(a in samples(), b in samples(), c in samples()) {
            let all = of(&[a.clone(), b.clone(), c.clone()].concat());
            let (a, b, c) = (of(&a), of(&b), of(&c));
            prop_assert_eq!(&merged(&merged(&a, &b), &c), &all);
            prop_assert_eq!(&merged(&a, &merged(&c, &b)), &all);
        }

        #[test]
        fn the_cleared_is_the_identity(samples in samples(), other in samples()) {
            let mut cleared = of(&other);
            cleared.clear();
            prop_assert_eq!(&cleared, &Distribution::default());
            prop_assert_eq!(&merged(&cleared, &of(&samples)), &of(&samples));
        }
    }

    #[test]
    fn the_ends_of_the_range_are_samples() {
        let all = of(&[i64::MIN, -1, 0, i64::MAX]);
        let at = |share| all.quantile(Quantile::new(share).unwrap());
        assert_eq!(at(0.0), Some(i64::MIN));
        assert_eq!(at(0.5), Some(-1));
        assert_eq!(at(0.75), Some(0));
        assert_eq!(at(1.0), Some(i64::MAX));
        assert_eq!(all.buckets().map(|(_, count)| count).sum::<u64>(), 4);
    }

    #[test]
    fn a_batch_has_no_quantiles() {
        let mut batch = Distribution::default();
        batch.record_n(NonZeroU64::new(3).unwrap(), 7);
        assert_eq!(batch.count(), 3);
        assert_eq!(batch.quantile(Quantile::HADOOP[0]), None);
    }
}
