//! Statistics of how long a lock is waited for and held.

#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use crate::concurrent_mutable_stat::ConcurrentMutableStat;
use crate::hadoop::Record;
use crate::interval_stat::IntervalStat;
use crate::labels::{Detail, Labels};
use crate::rate::{Rate, Timer};
use crate::snapshot::{Emit, Snapshot};
use crate::time::between;
use crate::{Interval, Moments};

/// Four statistics of a lock, or of all locks that share them: for reading and
/// for writing, the time waited and the time held, in nanoseconds.
///
/// A lock without readers, such as a mutex, is always taken for writing.
///
/// Record them with [`Metered`](crate::metered::Metered) locks, or by hand with
/// [`LockTimes::waiting`] and [`LockTimes::held`].
///
/// Progress and complexity: those of `S`.
///
/// Source: `org.apache.hadoop.ozone.om.lock.OMLockMetrics` of Apache Ozone, with
/// its names and their descriptions; samples there are milliseconds, here
/// nanoseconds, and the descriptions say so.
///
/// # Examples
///
/// ```
/// use interval_stat::{Emit, LockMetrics};
/// use std::time::Duration;
///
/// let metrics = <LockMetrics>::new();
/// metrics.read.waiting.add(Duration::from_micros(3));
/// metrics.read.held.add(Duration::from_millis(2));
/// assert_eq!(metrics.read.longest_held(), Some(Duration::from_millis(2)));
///
/// let record = metrics.snapshot(Emit::Changed).record();
/// assert_eq!(record.metrics[0].name, "ReadLockHeldTimeNumOps");
/// ```
#[derive(Debug)]
pub struct LockMetrics<S = ConcurrentMutableStat> {
    /// Of the lock taken for reading.
    pub read: LockTimes<S>,
    /// Of the lock taken for writing.
    pub write: LockTimes<S>,
}

impl<S: IntervalStat + From<Labels>> LockMetrics<S> {
    /// No acquisitions yet. A snapshot's record shows all there is
    /// ([`Detail::Extended`]), as in Ozone.
    #[must_use]
    pub fn new() -> Self {
        Self {
            read: LockTimes::new("Read", "read"),
            write: LockTimes::new("Write", "write"),
        }
    }
}

impl<S: IntervalStat + From<Labels>> Default for LockMetrics<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: IntervalStat> LockMetrics<S> {
    /// Closes the interval of each statistic and reports it.
    ///
    /// Each is exact by itself. They are closed one after the other, so an
    /// acquisition beside it may be in the waiting times of one snapshot and in
    /// the held times of the next.
    pub fn snapshot(&self, emit: Emit) -> LockSnapshot<S::Interval> {
        let in_order = [
            &self.read.held,
            &self.read.waiting,
            &self.write.held,
            &self.write.waiting,
        ];
        LockSnapshot {
            in_order: in_order.map(|rate| rate.snapshot(emit)),
        }
    }
}

/// How long a lock was waited for and held in one mode, in nanoseconds.
///
/// # Examples
///
/// ```
/// use interval_stat::LockMetrics;
/// use std::time::Duration;
///
/// let metrics = <LockMetrics>::new();
/// assert_eq!(metrics.write.longest_waiting(), None);
/// metrics.write.waiting.add(Duration::ZERO);
/// assert_eq!(metrics.write.longest_waiting(), Some(Duration::ZERO));
/// println!("write lock held: {}", metrics.write.held);
/// ```
#[derive(Debug)]
pub struct LockTimes<S = ConcurrentMutableStat> {
    /// From the call until the lock was acquired; 0 if it was free. What never
    /// acquires it is not in here.
    pub waiting: Rate<S>,
    /// From the acquisition until the release.
    pub held: Rate<S>,
}

impl<S: IntervalStat> LockTimes<S> {
    fn new(mode: &str, in_words: &str) -> Self
    where
        S: From<Labels>,
    {
        let rate = |what, doing| {
            let name = format!("{mode}Lock{what}Time");
            let description = format!("Time (in nanoseconds) spent {doing} the {in_words} lock");
            let rate = Rate::new(&name, &description, Detail::Extended);
            rate.expect("no label is empty")
        };
        Self {
            waiting: rate("Waiting", "waiting for acquiring"),
            held: rate("Held", "holding"),
        }
    }

    /// The longest wait since the last snapshot, or if there was none since, in
    /// the interval before.
    pub fn longest_waiting(&self) -> Option<Duration> {
        self.waiting.longest()
    }

    /// The longest hold that ended since the last snapshot, or if none did, in
    /// the interval before.
    pub fn longest_held(&self) -> Option<Duration> {
        self.held.longest()
    }

    /// Acquires by an attempt that does not wait, or where that failed by
    /// waiting with what it left. Records the wait if it ends with `Some`.
    pub(crate) fn acquire<G, W>(
        &self,
        attempt: Result<G, W>,
        wait: impl FnOnce(W) -> Option<G>,
    ) -> Option<(G, Timer<'_, S>)> {
        let (guard, waited, acquired) = match attempt {
            Ok(guard) => (guard, 0, Instant::now()),
            Err(left) => {
                let began = Instant::now();
                let guard = wait(left)?;
                let acquired = Instant::now();
                (guard, between(began, acquired), acquired)
            }
        };
        self.waiting.stat().add(waited);
        Some((guard, Timer::since(self.held.stat(), acquired)))
    }

    /// The time held from now on.
    pub(crate) fn hold(&self) -> Timer<'_, S> {
        self.held.start()
    }
}

/// An interval of each of the four statistics; `None` for one that was not
/// asked for because it did not change.
///
/// # Examples
///
/// ```
/// use interval_stat::{Emit, LockMetrics};
/// use std::time::Duration;
///
/// let metrics = <LockMetrics>::new();
/// metrics.snapshot(Emit::All);
/// metrics.write.held.add(Duration::from_nanos(5));
/// let snapshot = metrics.snapshot(Emit::Changed);
/// assert_eq!(snapshot.read_held(), None);
/// assert_eq!(snapshot.write_held().map(|held| held.max), Some(Some(5)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LockSnapshot<I = Moments> {
    in_order: [Option<Snapshot<I>>; 4],
}

impl<I: Interval> LockSnapshot<I> {
    /// How long the lock was held for reading.
    #[must_use]
    pub fn read_held(&self) -> Option<&Snapshot<I>> {
        self.in_order[0].as_ref()
    }

    /// How long it took to get the lock for reading.
    #[must_use]
    pub fn read_waiting(&self) -> Option<&Snapshot<I>> {
        self.in_order[1].as_ref()
    }

    /// How long the lock was held for writing.
    #[must_use]
    pub fn write_held(&self) -> Option<&Snapshot<I>> {
        self.in_order[2].as_ref()
    }

    /// How long it took to get the lock for writing.
    #[must_use]
    pub fn write_waiting(&self) -> Option<&Snapshot<I>> {
        self.in_order[3].as_ref()
    }

    /// Those that there are, in Ozone's order: read held, read waiting, write
    /// held, write waiting.
    pub fn iter(&self) -> impl Iterator<Item = &Snapshot<I>> {
        self.in_order.iter().flatten()
    }

    /// What Ozone would emit: the records of all of them, one after the other.
    #[must_use]
    pub fn record(&self) -> Record {
        let metrics = self.iter().flat_map(|snapshot| snapshot.record().metrics);
        Record {
            metrics: metrics.collect(),
        }
    }
}

impl<I> IntoIterator for LockSnapshot<I> {
    type Item = Snapshot<I>;
    type IntoIter = std::iter::Flatten<std::array::IntoIter<Option<Snapshot<I>>, 4>>;

    fn into_iter(self) -> Self::IntoIter {
        self.in_order.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Emit, MutableStat};

    #[test]
    fn records_come_in_ozones_order() {
        let record = <LockMetrics>::new().snapshot(Emit::All).record();
        let names = [
            "ReadLockHeldTime",
            "ReadLockWaitingTime",
            "WriteLockHeldTime",
            "WriteLockWaitingTime",
        ];
        assert_eq!(record.metrics.len(), 4 * 8);
        for (eight, name) in record.metrics.chunks(8).zip(names) {
            assert_eq!(eight[0].name, format!("{name}NumOps"));
            assert_eq!(eight[7].name, format!("{name}INumOps"));
        }
    }

    #[test]
    fn descriptions_name_the_unit() {
        let record = LockMetrics::<MutableStat>::new()
            .snapshot(Emit::All)
            .record();
        let descriptions = [
            "Average time for time (in nanoseconds) spent holding the read lock",
            "Average time for time (in nanoseconds) spent waiting for acquiring the read lock",
            "Average time for time (in nanoseconds) spent holding the write lock",
            "Average time for time (in nanoseconds) spent waiting for acquiring the write lock",
        ];
        for (eight, description) in record.metrics.chunks(8).zip(descriptions) {
            assert_eq!(eight[1].description, description);
        }
    }

    #[test]
    fn only_what_changed_is_reported() {
        let metrics = <LockMetrics>::new();
        metrics.snapshot(Emit::All);
        assert_eq!(metrics.snapshot(Emit::Changed).iter().count(), 0);
        metrics.read.waiting.add(Duration::from_nanos(1));
        let snapshot = metrics.snapshot(Emit::Changed);
        assert_eq!(snapshot.iter().count(), 1);
        assert_eq!(snapshot.read_waiting().unwrap().interval.max(), Some(1));
    }

    #[test]
    fn a_wait_that_ends_without_the_lock_is_not_recorded() {
        let metrics = <LockMetrics>::new();
        let acquired = metrics.write.acquire::<(), ()>(Err(()), |()| None);
        assert!(acquired.is_none());
        assert_eq!(metrics.write.longest_waiting(), None);
    }
}
