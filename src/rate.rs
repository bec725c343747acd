//! Statistics of how long operations take.

#![forbid(unsafe_code)]

use std::fmt;
use std::time::{Duration, Instant};

use crate::Interval;
use crate::concurrent_mutable_stat::ConcurrentMutableStat;
use crate::interval_stat::IntervalStat;
use crate::labels::{Detail, EmptyLabel, Labels};
use crate::mutable_stat::MutableStat;
use crate::snapshot::{Emit, Snapshot};
use crate::time::{self, NegativeTime, between, from_nanos, to_nanos};

/// A rate behind one lock.
///
/// Source: `org.apache.hadoop.metrics2.lib.MutableRate` of Apache Hadoop 3.4.1.
pub type MutableRate = Rate<MutableStat>;

/// A rate with a wait-free add.
///
/// Replaces: `ConcurrentMutableRate` of Apache Ozone's HDDS-16288.
pub type ConcurrentMutableRate = Rate<ConcurrentMutableStat>;

/// A statistic of durations, whose samples are called `Ops` and their values
/// `Time`.
///
/// Samples are whole nanoseconds (see [`time`](mod@crate::time)). Hadoop leaves the
/// unit to the caller; the description given should name this one, since it is
/// what a reader of the emitted numbers sees.
///
/// Progress and complexity: those of `S`, and a read of the clock or two.
///
/// # Examples
///
/// ```
/// use interval_stat::{ConcurrentMutableRate, Detail, Emit, Interval};
/// use std::time::Duration;
///
/// let rate = ConcurrentMutableRate::new("getKeyInfo", "time (in ns) of getKeyInfo", Detail::Basic)?;
/// rate.add(Duration::from_micros(2));
/// rate.add_batch(&[1_000, 3_000])?;
/// {
///     let _timer = rate.start();
///     // What is timed goes here.
/// }
/// let snapshot = rate.snapshot(Emit::Changed).expect("there were operations");
/// assert_eq!(snapshot.interval.count(), 4);
/// assert_eq!(snapshot.record().metrics[1].name, "GetKeyInfoAvgTime");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rate<S> {
    stat: S,
}

impl<S: IntervalStat> Rate<S> {
    /// No operations yet.
    ///
    /// # Errors
    ///
    /// If the name or the description is empty.
    pub fn new(name: &str, description: &str, detail: Detail) -> Result<Self, EmptyLabel>
    where
        S: From<Labels>,
    {
        let labels = Labels::new(name, description, "Ops", "Time", detail)?;
        Ok(Self {
            stat: S::from(labels),
        })
    }

    /// Adds an operation that took this long; more than `i64::MAX` ns count as
    /// that.
    #[inline]
    pub fn add(&self, duration: Duration) {
        self.stat.add(to_nanos(duration));
    }

    /// Adds an operation for each number of nanoseconds, all at once: no
    /// snapshot falls between them.
    ///
    /// # Errors
    ///
    /// If one of them is negative; none is added then.
    ///
    /// ```
    /// use interval_stat::{Detail, Emit, Interval, MutableRate};
    ///
    /// let rate = MutableRate::new("flush", "time (in ns) of a flush", Detail::Basic)?;
    /// let error = rate.add_batch(&[8, -1]).unwrap_err();
    /// assert_eq!((error.index, error.nanos), (1, -1));
    /// assert_eq!(rate.longest(), None);
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn add_batch(&self, nanos: &[i64]) -> Result<(), NegativeTime> {
        time::check(nanos)?;
        self.stat.add_batch(nanos);
        Ok(())
    }

    /// Starts to time an operation.
    #[inline]
    pub fn start(&self) -> Timer<'_, S> {
        Timer::since(&self.stat, Instant::now())
    }

    /// The longest operation since the last snapshot, or if there was none
    /// since, in the interval before. `None` if there was none either.
    ///
    /// ```
    /// use interval_stat::{ConcurrentMutableRate, Detail};
    /// use std::time::Duration;
    ///
    /// let rate = ConcurrentMutableRate::new("flush", "time (in ns) of a flush", Detail::Basic)?;
    /// rate.add(Duration::from_millis(5));
    /// assert_eq!(rate.longest(), Some(Duration::from_millis(5)));
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn longest(&self) -> Option<Duration> {
        // A negative sample can only have come through `stat`.
        from_nanos(self.stat.last_stat().max()?).ok()
    }

    /// Closes the interval and reports it; see [`IntervalStat::snapshot`].
    pub fn snapshot(&self, emit: Emit) -> Option<Snapshot<S::Interval>> {
        self.stat.snapshot(emit)
    }

    /// The statistic, in nanoseconds.
    pub fn stat(&self) -> &S {
        &self.stat
    }
}

impl<S: fmt::Display> fmt::Display for Rate<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stat.fmt(f)
    }
}

/// Times one operation and records it once: when it is dropped, by a panic too,
/// or stopped.
///
/// # Examples
///
/// ```
/// use interval_stat::{ConcurrentMutableRate, Detail, Emit, Interval};
///
/// let rate = ConcurrentMutableRate::new("flush", "time (in ns) of a flush", Detail::Basic)?;
/// drop(rate.start());
/// let took = rate.start().stop();
/// rate.start().discard();
/// let interval = rate.snapshot(Emit::Changed).expect("there were operations").interval;
/// assert_eq!(interval.count(), 2);
/// assert!(interval.max() >= Some(took.as_nanos() as i64));
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
#[must_use = "dropping a timer records its operation"]
#[derive(Debug)]
pub struct Timer<'a, S: IntervalStat> {
    stat: &'a S,
    began: Instant,
}

impl<'a, S: IntervalStat> Timer<'a, S> {
    /// A timer that began earlier.
    #[inline]
    pub fn since(stat: &'a S, began: Instant) -> Self {
        Self { stat, began }
    }

    /// Where it records.
    pub(crate) fn stat(&self) -> &'a S {
        self.stat
    }

    /// Records the operation and says how long it took.
    pub fn stop(self) -> Duration {
        let elapsed = self.began.elapsed();
        self.stat.add(to_nanos(elapsed));
        self.discard();
        elapsed
    }

    /// Records nothing.
    pub fn discard(self) {
        // It owns nothing, and its drop is what records.
        std::mem::forget(self);
    }
}

impl<S: IntervalStat> Drop for Timer<'_, S> {
    #[inline]
    fn drop(&mut self) {
        self.stat.add(between(self.began, Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn rate() -> ConcurrentMutableRate {
        Rate::new("flush", "time (in ns) of a flush", Detail::Extended).unwrap()
    }

    fn interval(rate: &ConcurrentMutableRate) -> crate::Moments {
        rate.snapshot(Emit::All).unwrap().interval
    }

    #[test]
    fn is_named_as_in_hadoop() {
        let record = rate().snapshot(Emit::All).unwrap().record();
        assert_eq!(record.metrics[0].name, "FlushNumOps");
        assert_eq!(record.metrics[1].name, "FlushAvgTime");
    }

    #[test]
    fn a_panic_records_the_operation() {
        let rate = rate();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _timer = rate.start();
            panic!("the operation failed");
        }));
        assert!(panicked.is_err());
        assert_eq!(interval(&rate).count(), 1);
    }

    #[test]
    fn a_clock_that_went_backwards_measures_nothing() {
        let rate = rate();
        let later = Instant::now() + Duration::from_secs(3_600);
        drop(Timer::since(rate.stat(), later));
        assert_eq!(Timer::since(rate.stat(), later).stop(), Duration::ZERO);
        let interval = interval(&rate);
        assert_eq!((interval.count(), interval.max()), (2, Some(0)));
    }

    #[test]
    fn a_time_beyond_all_counts_as_the_longest() {
        let rate = rate();
        rate.add(Duration::MAX);
        assert_eq!(interval(&rate).max(), Some(i64::MAX));
    }

    #[test]
    fn a_bad_batch_adds_nothing_and_the_raw_statistic_takes_it() {
        let rate = rate();
        assert!(rate.add_batch(&[3, -1]).is_err());
        assert_eq!(interval(&rate).count(), 0);
        rate.stat().add_batch(&[3, -1]);
        assert_eq!(interval(&rate).sum(), 2);
    }

    #[test]
    fn the_longest_outlives_its_interval_until_the_next_operation() {
        let rate = rate();
        rate.add(Duration::from_nanos(9));
        interval(&rate);
        assert_eq!(rate.longest(), Some(Duration::from_nanos(9)));
        rate.add(Duration::from_nanos(4));
        assert_eq!(rate.longest(), Some(Duration::from_nanos(4)));
    }
}
