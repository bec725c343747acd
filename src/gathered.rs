//! What a statistic keeps behind its lock.

#![forbid(unsafe_code)]

use crate::{Accumulator, Detail, Emit, Extremes, Interval, Labels, Snapshot};
use std::error::Error;
use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

/// The most samples that a batch may bring the lifetime count to: the largest
/// of Java's `long`s, in which Hadoop counts.
const MOST_SAMPLES: u64 = i64::MAX.unsigned_abs();

/// The state of a statistic: the interval being filled, the one before it, and
/// the lifetime count and extremes.
///
/// It mirrors `org.apache.hadoop.metrics2.lib.MutableStat` (Hadoop 3.4.1)
/// without its monitor: there is no concurrency in here, both statistics keep
/// one of these behind a lock. Every operation takes constant time.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Emit, Gathered, Interval, Labels, Moments};
///
/// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Extended)?;
/// let mut stat = Gathered::<Moments>::new(labels);
/// stat.add(10);
/// stat.add_n(4, 100)?;
/// assert_eq!(stat.last_stat().count(), 5);
///
/// let snapshot = stat.snapshot(Emit::Changed).unwrap();
/// assert_eq!(snapshot.interval.mean(), Some(22.0));
/// assert!(stat.snapshot(Emit::Changed).is_none(), "nothing new");
/// assert_eq!(stat.last_stat().count(), 5, "still the interval before");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gathered<I> {
    labels: Arc<Labels>,
    interval: I,
    previous: I,
    /// All closed intervals.
    lifetime: I,
    extremes: Extremes,
    /// No snapshot yet. Hadoop takes a new statistic for a changed one.
    fresh: bool,
}

impl<I: Interval> Gathered<I> {
    /// A statistic without samples.
    #[must_use]
    pub fn new(labels: Labels) -> Self {
        Self {
            labels: Arc::new(labels),
            interval: I::default(),
            previous: I::default(),
            lifetime: I::default(),
            extremes: Extremes::EMPTY,
            fresh: true,
        }
    }

    /// Adds one sample.
    ///
    /// ```
    /// use interval_stat::{Detail, Gathered, Interval, Labels, Moments};
    ///
    /// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
    /// let mut stat = Gathered::<Moments>::new(labels);
    /// stat.add(-7);
    /// assert_eq!(stat.last_stat().min(), Some(-7));
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    #[inline]
    pub fn add(&mut self, sample: i64) {
        self.interval.record(sample);
        self.extremes.record(sample);
    }

    /// Adds `count` samples of which only their `sum` is known.
    ///
    /// The extremes, of which such a batch says nothing, stay as they are.
    ///
    /// # Errors
    ///
    /// Returns an error, and changes nothing, if `count` is 0 (Hadoop divides
    /// by it, and every later mean is NaN) or takes the lifetime count beyond
    /// `i64::MAX` (where Hadoop's turns negative).
    ///
    /// ```
    /// use interval_stat::{BatchError, Detail, Gathered, Interval, Labels, Welford};
    ///
    /// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
    /// let mut stat = Gathered::<Welford>::new(labels);
    /// assert_eq!(stat.add_n(0, 7), Err(BatchError::NoSamples { sum: 7 }));
    /// assert_eq!(stat.last_stat().count(), 0);
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn add_n(&mut self, count: u64, sum: i64) -> Result<(), BatchError> {
        let samples = NonZeroU64::new(count).ok_or(BatchError::NoSamples { sum })?;
        let held = self.count();
        if count > MOST_SAMPLES.saturating_sub(held) {
            return Err(BatchError::TooManySamples { count, held });
        }
        self.interval.record_n(samples, sum);
        Ok(())
    }

    /// Adds the samples that were gathered elsewhere, extremes included.
    ///
    /// ```
    /// use interval_stat::{Accumulator, Detail, Gathered, Interval, Labels, Moments};
    ///
    /// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
    /// let mut stat = Gathered::<Moments>::new(labels);
    /// let mut batch = Moments::EMPTY;
    /// batch.record(3);
    /// batch.record(5);
    /// stat.merge(&batch);
    /// assert_eq!(stat.count(), 2);
    /// assert_eq!(stat.last_stat().max(), Some(5));
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn merge(&mut self, batch: &I) {
        self.interval.merge(batch);
        batch
            .min()
            .into_iter()
            .for_each(|min| self.extremes.record(min));
        batch
            .max()
            .into_iter()
            .for_each(|max| self.extremes.record(max));
    }

    /// Closes the interval and reports it, if `emit` asks for it.
    ///
    /// `None` if nothing changed and only changes were asked for; then the
    /// state stays as it is. An interval without samples is reported as empty
    /// and does not displace the one before it.
    ///
    /// ```
    /// use interval_stat::{Detail, Emit, Gathered, Interval, Labels, Moments};
    ///
    /// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
    /// let mut stat = Gathered::<Moments>::new(labels);
    /// stat.add(3);
    /// let first = stat.snapshot(Emit::Changed).unwrap();
    /// stat.add(8);
    /// let second = stat.snapshot(Emit::Changed).unwrap();
    /// assert_eq!((first.count, second.count), (1, 2));
    /// assert_eq!(second.interval.mean(), Some(8.0));
    /// assert_eq!(second.min, Some(3));
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn snapshot(&mut self, emit: Emit) -> Option<Snapshot<I>> {
        (emit == Emit::All || self.changed()).then(|| self.close())
    }

    fn close(&mut self) -> Snapshot<I> {
        let interval = std::mem::take(&mut self.interval);
        self.lifetime.merge(&interval);
        self.fresh = false;
        if interval.count() > 0 {
            self.previous = interval.clone();
        }
        Snapshot {
            labels: Arc::clone(&self.labels),
            count: self.lifetime.count(),
            interval,
            lifetime: self.lifetime.clone(),
            min: self.extremes.min(),
            max: self.extremes.max(),
        }
    }

    /// Whether a snapshot has something new to say: samples were added since
    /// the last one, or there has been none.
    ///
    /// ```
    /// use interval_stat::{Detail, Emit, Gathered, Labels, Moments};
    ///
    /// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
    /// let mut stat = Gathered::<Moments>::new(labels);
    /// assert!(stat.changed());
    /// stat.snapshot(Emit::Changed);
    /// assert!(!stat.changed());
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    #[must_use]
    pub fn changed(&self) -> bool {
        self.fresh || self.interval.count() > 0
    }

    /// The interval being filled if it has samples, else the last that had.
    ///
    /// ```
    /// use interval_stat::{Detail, Emit, Gathered, Labels, Moments};
    ///
    /// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
    /// let mut stat = Gathered::<Moments>::new(labels);
    /// stat.add(3);
    /// stat.snapshot(Emit::Changed);
    /// assert_eq!(stat.last_stat().sum(), 3);
    /// stat.add(8);
    /// assert_eq!(stat.last_stat().sum(), 8);
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    #[must_use]
    pub fn last_stat(&self) -> &I {
        if self.interval.count() > 0 {
            &self.interval
        } else {
            &self.previous
        }
    }

    /// The samples added so far, those of the interval being filled included.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.lifetime.count().saturating_add(self.interval.count())
    }

    /// Forgets the lifetime extremes; those of the interval stay.
    ///
    /// ```
    /// use interval_stat::{Detail, Emit, Gathered, Interval, Labels, Moments};
    ///
    /// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
    /// let mut stat = Gathered::<Moments>::new(labels);
    /// stat.add(3);
    /// stat.reset_min_max();
    /// let snapshot = stat.snapshot(Emit::Changed).unwrap();
    /// assert_eq!((snapshot.min, snapshot.interval.min()), (None, Some(3)));
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn reset_min_max(&mut self) {
        self.extremes.clear();
    }

    /// The statistic's names.
    #[must_use]
    pub fn labels(&self) -> &Arc<Labels> {
        &self.labels
    }

    /// Changes how much later snapshots show (Hadoop: `setExtended`).
    pub fn set_detail(&mut self, detail: Detail) {
        Arc::make_mut(&mut self.labels).set_detail(detail);
    }
}

/// A batch of samples that cannot be.
///
/// # Examples
///
/// ```
/// use interval_stat::BatchError;
///
/// assert_eq!(
///     BatchError::NoSamples { sum: 7 }.to_string(),
///     "add_n with count 0 and sum 7: the count must be at least 1"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// The batch has a sum but no samples.
    NoSamples {
        /// The sum given.
        sum: i64,
    },
    /// The batch takes the lifetime count beyond `i64::MAX`.
    TooManySamples {
        /// The count given.
        count: u64,
        /// The samples that the statistic held already.
        held: u64,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSamples { sum } => write!(
                f,
                "add_n with count 0 and sum {sum}: the count must be at least 1"
            ),
            Self::TooManySamples { count, held } => write!(
                f,
                "add_n with count {count}: with {held} samples held already, \
                 the count must be at most {}",
                MOST_SAMPLES.saturating_sub(*held)
            ),
        }
    }
}

impl Error for BatchError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moments;

    fn empty() -> Gathered<Moments> {
        let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic);
        Gathered::new(labels.unwrap())
    }

    fn with(samples: &[i64]) -> Gathered<Moments> {
        let mut stat = empty();
        samples.iter().for_each(|&sample| stat.add(sample));
        stat
    }

    #[test]
    fn a_new_statistic_has_changed_until_its_first_snapshot() {
        let mut stat = empty();
        assert!(stat.changed());
        assert_eq!(stat.snapshot(Emit::Changed).unwrap().count, 0);
        assert!(!stat.changed());
        assert_eq!(stat.snapshot(Emit::Changed), None);
    }

    #[test]
    fn a_snapshot_of_all_reports_an_unchanged_interval_as_empty() {
        let mut stat = with(&[3, 5]);
        stat.snapshot(Emit::Changed);
        let snapshot = stat.snapshot(Emit::All).unwrap();
        assert_eq!((snapshot.count, snapshot.interval.count()), (2, 0));
        assert_eq!((snapshot.min, snapshot.max), (Some(3), Some(5)));
        assert_eq!(stat.last_stat().count(), 2);
    }

    #[test]
    fn the_last_stat_is_the_interval_under_way_once_it_has_samples() {
        let mut stat = with(&[3, 5]);
        stat.snapshot(Emit::Changed);
        stat.add(8);
        assert_eq!(stat.last_stat().sum(), 8);
    }

    #[test]
    fn lifetime_extremes_outlive_the_interval_until_they_are_reset() {
        let mut stat = with(&[1, 9]);
        stat.snapshot(Emit::Changed);
        stat.add(5);
        stat.reset_min_max();
        stat.add(6);
        let snapshot = stat.snapshot(Emit::Changed).unwrap();
        assert_eq!((snapshot.min, snapshot.max), (Some(6), Some(6)));
        assert_eq!(snapshot.interval.min(), Some(5));
    }

    #[test]
    fn a_batch_leaves_the_extremes() {
        let mut stat = empty();
        stat.add_n(2, 10).unwrap();
        let snapshot = stat.snapshot(Emit::Changed).unwrap();
        assert_eq!(
            (snapshot.count, snapshot.min, snapshot.max),
            (2, None, None)
        );
    }

    #[test]
    fn a_merged_batch_is_as_good_as_its_samples() {
        let mut merged = with(&[4]);
        merged.merge(with(&[i64::MIN, i64::MAX]).last_stat());
        merged.merge(&Moments::EMPTY);
        let mut added = with(&[4, i64::MIN, i64::MAX]);
        assert_eq!(merged.snapshot(Emit::All), added.snapshot(Emit::All));
    }

    #[test]
    fn an_impossible_batch_changes_nothing() {
        let most = i64::MAX.unsigned_abs();
        let mut stat = with(&[1]);
        stat.snapshot(Emit::All);
        assert_eq!(stat.add_n(0, 5), Err(BatchError::NoSamples { sum: 5 }));
        let too_many = BatchError::TooManySamples {
            count: most,
            held: 1,
        };
        assert_eq!(stat.add_n(most, 5), Err(too_many));
        assert!(!stat.changed());
        assert_eq!(stat.count(), 1);

        stat.add_n(most - 1, 5).unwrap();
        assert_eq!(stat.count(), most);
        stat.add(7);
        let error = stat.add_n(1, 5).unwrap_err().to_string();
        assert!(error.ends_with("the count must be at most 0"), "{error}");
    }

    #[test]
    fn a_change_of_detail_shows_from_the_next_snapshot_on() {
        let mut stat = empty();
        let before = stat.snapshot(Emit::All).unwrap();
        stat.set_detail(Detail::Extended);
        let after = stat.snapshot(Emit::All).unwrap();
        assert_eq!(before.record().metrics.len(), 2);
        assert_eq!(after.record().metrics.len(), 8);
    }
}
