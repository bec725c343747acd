//! Which part of the samples lies below a value.

#![forbid(unsafe_code)]

use std::error::Error;
use std::fmt;

/// A share of the samples, from 0 to 1, in steps of a millionth.
///
/// The value at a quantile is the smallest sample that at least this share of
/// all samples does not exceed (the nearest rank): at 0.5 a median, at 0 the
/// minimum, at 1 the maximum. Ranks are computed in integers, so 0.95 of twenty
/// samples is the nineteenth.
///
/// # Examples
///
/// ```
/// use interval_stat::Quantile;
///
/// let quantile = Quantile::new(0.999)?;
/// assert_eq!(quantile.share(), 0.999);
/// assert_eq!(quantile.percent(), "99.9");
/// assert_eq!(quantile.rank(20), 20);
/// # Ok::<(), interval_stat::NoQuantile>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantile {
    millionths: u32,
}

const ONE: u32 = 1_000_000;

impl Quantile {
    /// Those that Hadoop's `MutableQuantiles` reports: 0.5, 0.75, 0.9, 0.95 and
    /// 0.99.
    pub const HADOOP: [Self; 5] = [
        Self::percentile(50),
        Self::percentile(75),
        Self::percentile(90),
        Self::percentile(95),
        Self::percentile(99),
    ];

    const fn percentile(percent: u32) -> Self {
        Self {
            millionths: percent * (ONE / 100),
        }
    }

    /// The quantile nearest to `share`.
    ///
    /// # Errors
    ///
    /// If it is not within 0 and 1.
    ///
    /// ```
    /// use interval_stat::Quantile;
    ///
    /// assert_eq!(
    ///     Quantile::new(95.0).unwrap_err().to_string(),
    ///     "the quantile 95 is not between 0 and 1: the 95th percentile is 0.95"
    /// );
    /// assert!(Quantile::new(f64::NAN).is_err());
    /// ```
    pub fn new(share: f64) -> Result<Self, NoQuantile> {
        if !(0.0..=1.0).contains(&share) {
            return Err(NoQuantile { share });
        }
        Ok(Self {
            millionths: (share * f64::from(ONE)).round() as u32,
        })
    }

    /// The share, from 0 to 1.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.millionths) / f64::from(ONE)
    }

    /// The share in percent, as in "99.9".
    #[must_use]
    pub fn percent(self) -> String {
        let (whole, rest) = (self.millionths / 10_000, self.millionths % 10_000);
        let text = format!("{whole}.{rest:04}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// The rank, from 1, of the sample at this quantile among `count` of them.
    #[must_use]
    pub fn rank(self, count: u64) -> u64 {
        let rank = (u128::from(count) * u128::from(self.millionths)).div_ceil(ONE.into());
        // At most `count`, since the share is at most 1.
        u64::try_from(rank).unwrap_or(count).max(1)
    }
}

/// A number that is no quantile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoQuantile {
    /// The number given.
    pub share: f64,
}

impl fmt::Display for NoQuantile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.share;
        write!(
            f,
            "the quantile {share} is not between 0 and 1: the 95th percentile is 0.95"
        )
    }
}

impl Error for NoQuantile {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percents_have_no_digit_too_many() {
        let shares = [0.0, 0.07, 0.5, 0.99, 0.999, 0.999_999, 1.0];
        let percents = shares.map(|share| Quantile::new(share).unwrap().percent());
        assert_eq!(percents, ["0", "7", "50", "99", "99.9", "99.9999", "100"]);
    }

    #[test]
    fn ranks_are_exact() {
        let rank = |share, count| Quantile::new(share).unwrap().rank(count);
        assert_eq!(rank(0.95, 20), 19);
        assert_eq!(rank(0.07, 100), 7);
        assert_eq!(rank(0.5, 3), 2);
        assert_eq!(rank(0.0, 9), 1);
        assert_eq!(rank(1.0, u64::MAX), u64::MAX);
    }

    #[test]
    fn what_is_outside_is_refused() {
        for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Quantile::new(share).is_err());
        }
    }

    proptest! {
        #[test]
        fn a_rank_is_one_of_the_samples(share in 0.0..=1.0, count in 1..u64::MAX) {
            let rank = Quantile::new(share).unwrap().rank(count);
            prop_assert!((1..=count).contains(&rank));
        }
    }
}
