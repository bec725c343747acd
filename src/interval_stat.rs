//! What both statistics do.

#![forbid(unsafe_code)]

use std::fmt::Display;

use crate::accumulator::Interval;
use crate::gathered::BatchError;
use crate::labels::Detail;
use crate::snapshot::{Emit, Snapshot};

/// An interval statistic that many threads add to and a reporter closes
/// interval by interval, after Hadoop's `MutableStat`.
///
/// An interval ends with the [`snapshot`](Self::snapshot) that reports it; the
/// samples added since then form the next one. Samples are `i64` in whatever
/// unit the caller chooses; every `i64` is a valid sample. `Display` shows the
/// last interval as Hadoop's `toString` does.
///
/// # Examples
///
/// One function for both implementations:
///
/// ```
/// use interval_stat::{ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels, MutableStat};
///
/// fn mean_of_two(stat: impl IntervalStat) -> Option<f64> {
///     stat.add(2);
///     stat.add(4);
///     stat.snapshot(Emit::Changed)?.interval.mean()
/// }
/// let labels = Labels::new("Lock", "lock", "Ops", "Time", Detail::Extended)?;
/// assert_eq!(mean_of_two(<MutableStat>::new(labels.clone())), Some(3.0));
/// assert_eq!(mean_of_two(<ConcurrentMutableStat>::new(labels)), Some(3.0));
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
pub trait IntervalStat: Display + Send + Sync {
    /// What an interval is summarized by.
    type Interval: Interval;

    /// Adds one sample.
    fn add(&self, sample: i64);

    /// Adds the samples. Both statistics here add them all at once, so that no
    /// snapshot falls between them; what does not say so adds one by one.
    ///
    /// ```
    /// use interval_stat::{ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels};
    ///
    /// let labels = Labels::new("Lock", "lock", "Ops", "Time", Detail::Extended)?;
    /// let stat = <ConcurrentMutableStat>::new(labels);
    /// stat.add_batch(&[2, 4]);
    /// assert_eq!(stat.last_stat().mean(), Some(3.0));
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    fn add_batch(&self, samples: &[i64]) {
        samples.iter().for_each(|&sample| self.add(sample));
    }

    /// Adds `count` samples of which only the `sum` is known. They count for the
    /// mean and the standard deviation, as `count` samples that differ as little
    /// as possible, and not for min and max.
    ///
    /// # Errors
    ///
    /// If `count` is 0, or the samples of all time would exceed `i64::MAX`;
    /// nothing is changed then.
    fn add_n(&self, count: u64, sum: i64) -> Result<(), BatchError>;

    /// Closes the interval and reports it, or `None` if `emit` asks for changes
    /// only and there was no sample.
    fn snapshot(&self, emit: Emit) -> Option<Snapshot<Self::Interval>>;

    /// Whether there was a sample since the last snapshot.
    fn changed(&self) -> bool;

    /// The current interval if it has samples, else the one before.
    fn last_stat(&self) -> Self::Interval;

    /// Forgets the min and max over the lifetime; they start again from the next
    /// sample.
    fn reset_min_max(&self);

    /// Sets what the Hadoop record of the snapshots from here on lists.
    fn set_detail(&self, detail: Detail);
}
