//! What a statistic reports at the end of an interval.

#![forbid(unsafe_code)]

use crate::Labels;
use std::sync::Arc;

/// When a snapshot is due (Hadoop: the parameter `all`).
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Emit, Gathered, Labels, Moments};
///
/// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
/// let mut stat = Gathered::<Moments>::new(labels);
/// stat.add(3);
/// assert!(stat.snapshot(Emit::Changed).is_some());
/// assert!(stat.snapshot(Emit::Changed).is_none());
/// assert!(stat.snapshot(Emit::All).is_some());
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Emit {
    /// Only if something changed since the snapshot before.
    Changed,
    /// In any case.
    All,
}

/// One interval of a statistic, closed, with the lifetime figures at its end.
///
/// This is the exact view: what is undefined is `None`. Hadoop's view, with the
/// numbers it puts in such places, is [`record`](Self::record).
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Emit, Gathered, Interval, Labels, Moments};
///
/// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
/// let mut stat = Gathered::<Moments>::new(labels);
/// stat.add(3);
/// stat.add(5);
/// let snapshot = stat.snapshot(Emit::Changed).unwrap();
/// assert_eq!(snapshot.count, 2);
/// assert_eq!(snapshot.interval.mean(), Some(4.0));
/// assert_eq!(snapshot.max, Some(5));
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot<I> {
    /// The statistic's names, and how much of it its record shows.
    pub labels: Arc<Labels>,
    /// The samples in the statistic's whole life, this interval's included.
    pub count: u64,
    /// The interval that this snapshot closes, empty if nothing was added in
    /// it.
    pub interval: I,
    /// All intervals so far, this one included.
    pub lifetime: I,
    /// The smallest sample since the extremes were last reset.
    pub min: Option<i64>,
    /// The largest sample since the extremes were last reset.
    pub max: Option<i64>,
}
