//! What a statistic keeps behind its lock.

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
    /// The samples of all closed intervals.
    closed: u64,
    lifetime: Extremes,
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
            closed: 0,
            lifetime: Extremes::EMPTY,
            fresh: true,
        }
    }

    /// Adds one sample.
    #[inline]
    pub fn add(&mut self, sample: i64) {
        self.interval.record(sample);
        self.lifetime.record(sample);
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
    pub fn merge(&mut self, batch: &I) {
        self.interval.merge(batch);
        batch
            .min()
            .into_iter()
            .for_each(|min| self.lifetime.record(min));
        batch
            .max()
            .into_iter()
            .for_each(|max| self.lifetime.record(max));
    }

    /// Closes the interval and reports it, if `emit` asks for it.
    ///
    /// `None` if nothing changed and only changes were asked for; then the
    /// state stays as it is. An interval without samples is reported as empty
    /// and does not displace the one before it.
    pub fn snapshot(&mut self, emit: Emit) -> Option<Snapshot<I>> {
        (emit == Emit::All || self.changed()).then(|| self.close())
    }

    fn close(&mut self) -> Snapshot<I> {
        let interval = std::mem::take(&mut self.interval);
        self.closed = self.closed.saturating_add(interval.count());
        self.fresh = false;
        if interval.count() > 0 {
            self.previous = interval.clone();
        }
        Snapshot {
            labels: Arc::clone(&self.labels),
            count: self.closed,
            interval,
            min: self.lifetime.min(),
            max: self.lifetime.max(),
        }
    }

    /// Whether a snapshot has something new to say: samples were added since
    /// the last one, or there has been none.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.fresh || self.interval.count() > 0
    }

    /// The interval being filled if it has samples, else the last that had.
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
        self.closed.saturating_add(self.interval.count())
    }

    /// Forgets the lifetime extremes; those of the interval stay.
    pub fn reset_min_max(&mut self) {
        self.lifetime.clear();
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
