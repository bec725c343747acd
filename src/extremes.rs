//! The smallest and the largest sample.

#![forbid(unsafe_code)]

use crate::Accumulator;

/// The smallest and the largest of the samples, each `None` while there are
/// none.
///
/// Every `i64` is a sample like any other, `i64::MIN` and `i64::MAX` included.
/// All operations take constant time.
///
/// # Examples
///
/// ```
/// use interval_stat::{Accumulator, Extremes};
///
/// let mut extremes = Extremes::EMPTY;
/// assert_eq!(extremes.min(), None);
/// extremes.record(i64::MAX);
/// assert_eq!(extremes.min(), Some(i64::MAX));
/// extremes.record(-7);
/// assert_eq!((extremes.min(), extremes.max()), (Some(-7), Some(i64::MAX)));
/// ```
// The identities of `min` and `max` stand for "no sample". That is no
// sentinel: they are the only pair in which the minimum exceeds the maximum,
// and one recorded sample, whatever its value, ends that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes {
    min: i64,
    max: i64,
}

impl Extremes {
    /// The extremes of no samples.
    pub const EMPTY: Self = Self {
        min: i64::MAX,
        max: i64::MIN,
    };

    /// The smallest sample; `None` if there is none.
    #[must_use]
    pub fn min(&self) -> Option<i64> {
        (!self.is_empty()).then_some(self.min)
    }

    /// The largest sample; `None` if there is none.
    #[must_use]
    pub fn max(&self) -> Option<i64> {
        (!self.is_empty()).then_some(self.max)
    }

    fn is_empty(&self) -> bool {
        self.min > self.max
    }
}

impl Default for Extremes {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Accumulator for Extremes {
    #[inline]
    fn record(&mut self, sample: i64) {
        self.min = self.min.min(sample);
        self.max = self.max.max(sample);
    }

    #[inline]
    fn merge(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    fn clear(&mut self) {
        *self = Self::EMPTY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(samples: &[i64]) -> Extremes {
        let mut extremes = Extremes::EMPTY;
        samples.iter().for_each(|&x| extremes.record(x));
        extremes
    }

    proptest! {
        #[test]
        fn are_those_of_the_samples(samples: Vec<i64>) {
            let extremes = of(&samples);
            prop_assert_eq!(extremes.min(), samples.iter().copied().min());
            prop_assert_eq!(extremes.max(), samples.iter().copied().max());
        }

        #[test]
        fn merging_is_recording_both(a: Vec<i64>, b: Vec<i64>) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(merged, of(&[a, b].concat()));
        }
    }

    #[test]
    fn the_edges_of_the_range_are_samples() {
        assert_eq!(of(&[i64::MAX]).min(), Some(i64::MAX));
        assert_eq!(of(&[i64::MAX]).max(), Some(i64::MAX));
        assert_eq!(of(&[i64::MIN]).max(), Some(i64::MIN));
    }
}
