//! Units of time: statistics of time count whole nanoseconds, in an `i64`.
//!
//! - What goes in is a [`Duration`], which is never negative.
//! - The longest time that fits is `i64::MAX` ns, about 292 years; a longer one
//!   is recorded as that ([`to_nanos`]).
//! - Durations of 0 ns are samples like any other. Clocks with coarse ticks
//!   measure them, and an uncontended lock waits that long.
//! - Time is measured with the monotonic [`Instant`]. Should a system's clock go
//!   backwards all the same, the time is 0 ([`between`]).
//! - Numbers of nanoseconds from elsewhere are checked: a negative one is an
//!   error ([`NegativeTime`]). A statistic itself knows no units and takes every
//!   `i64` ([`IntervalStat::add`](crate::IntervalStat::add)).

#![forbid(unsafe_code)]

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

/// The duration in whole nanoseconds, at most `i64::MAX`. O(1).
///
/// # Examples
///
/// ```
/// use interval_stat::time::to_nanos;
/// use std::time::Duration;
///
/// assert_eq!(to_nanos(Duration::from_micros(3)), 3_000);
/// assert_eq!(to_nanos(Duration::MAX), i64::MAX);
/// ```
#[inline]
#[must_use]
pub fn to_nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

/// The duration of so many nanoseconds. O(1).
///
/// # Errors
///
/// If the number is negative.
///
/// # Examples
///
/// ```
/// use interval_stat::time::from_nanos;
/// use std::time::Duration;
///
/// assert_eq!(from_nanos(3_000), Ok(Duration::from_micros(3)));
/// assert!(from_nanos(-1).is_err());
/// ```
pub fn from_nanos(nanos: i64) -> Result<Duration, NegativeTime> {
    let checked = u64::try_from(nanos).map(Duration::from_nanos);
    checked.map_err(|_| NegativeTime { nanos, index: 0 })
}

/// The nanoseconds from `began` to `ended`; 0 if the clock went backwards. O(1).
///
/// # Examples
///
/// ```
/// use interval_stat::time::between;
/// use std::time::{Duration, Instant};
///
/// let began = Instant::now();
/// let ended = began + Duration::from_nanos(7);
/// assert_eq!(between(began, ended), 7);
/// assert_eq!(between(ended, began), 0);
/// ```
#[inline]
#[must_use]
pub fn between(began: Instant, ended: Instant) -> i64 {
    to_nanos(ended.saturating_duration_since(began))
}

/// The first of these numbers of nanoseconds that is no duration, if one is not.
pub(crate) fn check(nanos: &[i64]) -> Result<(), NegativeTime> {
    let negative = nanos.iter().enumerate().find(|(_, nanos)| **nanos < 0);
    match negative {
        Some((index, &nanos)) => Err(NegativeTime { nanos, index }),
        None => Ok(()),
    }
}

/// A time that is less than none.
///
/// # Examples
///
/// ```
/// use interval_stat::time::from_nanos;
///
/// assert_eq!(
///     from_nanos(-5).unwrap_err().to_string(),
///     "the time at index 0 is -5 ns: it must be at least 0 ns"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NegativeTime {
    /// The number given.
    pub nanos: i64,
    /// Where it stands among the numbers given.
    pub index: usize,
}

impl fmt::Display for NegativeTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nanos, index } = self;
        write!(
            f,
            "the time at index {index} is {nanos} ns: it must be at least 0 ns"
        )
    }
}

impl Error for NegativeTime {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_fits_comes_back(nanos in 0..=i64::MAX) {
            prop_assert_eq!(from_nanos(nanos).map(to_nanos), Ok(nanos));
        }
    }

    #[test]
    fn the_longest_time_is_a_clamp() {
        let longest = Duration::from_nanos(i64::MAX.unsigned_abs());
        assert_eq!(to_nanos(longest), i64::MAX);
        assert_eq!(to_nanos(longest + Duration::from_nanos(1)), i64::MAX);
        assert_eq!(to_nanos(longest - Duration::from_nanos(1)), i64::MAX - 1);
    }

    #[test]
    fn the_first_negative_time_is_named() {
        let error = NegativeTime {
            nanos: -2,
            index: 1,
        };
        assert_eq!(check(&[0, -2, -3]), Err(error));
        assert_eq!(check(&[0, i64::MAX]), Ok(()));
        assert_eq!(check(&[]), Ok(()));
    }
}
