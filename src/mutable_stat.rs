//! The statistic behind one lock.

#![forbid(unsafe_code)]

use std::fmt;

use crate::accumulator::Interval;
use crate::gathered::{BatchError, Gathered};
use crate::hadoop::SampleStat;
use crate::interval_stat::IntervalStat;
use crate::labels::{Detail, Labels};
use crate::runtime::{Mutex, Runtime, Std};
use crate::snapshot::{Emit, Snapshot};
use crate::welford::Welford;

/// Hadoop 3.4.1's `MutableStat`: every operation takes one lock, and the
/// arithmetic is Hadoop's, bit for bit.
///
/// `I` is the arithmetic. With [`Moments`](crate::Moments) in place of Hadoop's
/// it is the lock around what [`ConcurrentMutableStat`] stripes.
///
/// [`ConcurrentMutableStat`]: crate::ConcurrentMutableStat
///
/// Guarantees: intervals are linearizable: a snapshot reports exactly the
/// samples between the snapshot before and itself. Mean and standard deviation
/// carry the rounding of Welford's method in `f64`.
///
/// Progress: blocking; an add waits for whoever holds the lock. O(1).
///
/// Source: `org.apache.hadoop.metrics2.lib.MutableStat` of Apache Hadoop 3.4.1.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Emit, Interval, IntervalStat, Labels, MutableStat};
///
/// let stat: MutableStat = MutableStat::new(Labels::new("Lock", "lock", "Ops", "Time", Detail::Extended)?);
/// stat.add(1);
/// stat.add(9);
/// let snapshot = stat.snapshot(Emit::Changed).expect("there are samples");
/// assert_eq!(snapshot.interval.mean(), Some(5.0));
/// assert_eq!(snapshot.interval.max(), Some(9));
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
pub struct MutableStat<R: Runtime = Std, I: Interval = Welford> {
    gathered: R::Mutex<Gathered<I>>,
}

impl<R: Runtime, I: Interval> MutableStat<R, I> {
    /// No samples yet.
    pub fn new(labels: Labels) -> Self {
        Self {
            gathered: Mutex::new("gathered", Gathered::new(labels)),
        }
    }
}

impl<R: Runtime, I: Interval> From<Labels> for MutableStat<R, I> {
    fn from(labels: Labels) -> Self {
        Self::new(labels)
    }
}

impl<R: Runtime, I: Interval> IntervalStat for MutableStat<R, I> {
    type Interval = I;

    fn add(&self, sample: i64) {
        self.gathered.with(|gathered| gathered.add(sample));
    }

    fn add_batch(&self, samples: &[i64]) {
        self.gathered
            .with(|gathered| samples.iter().for_each(|&sample| gathered.add(sample)));
    }

    fn add_n(&self, count: u64, sum: i64) -> Result<(), BatchError> {
        self.gathered.with(|gathered| gathered.add_n(count, sum))
    }

    fn snapshot(&self, emit: Emit) -> Option<Snapshot<I>> {
        self.gathered.with(|gathered| gathered.snapshot(emit))
    }

    fn changed(&self) -> bool {
        self.gathered.with(|gathered| gathered.changed())
    }

    fn last_stat(&self) -> I {
        self.gathered.with(|gathered| gathered.last_stat().clone())
    }

    fn reset_min_max(&self) {
        self.gathered.with(Gathered::reset_min_max);
    }

    fn set_detail(&self, detail: Detail) {
        self.gathered.with(|gathered| gathered.set_detail(detail));
    }
}

impl<R: Runtime, I: Interval> fmt::Display for MutableStat<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SampleStat::from(&self.last_stat()).fmt(f)
    }
}

impl<R: Runtime, I: Interval> fmt::Debug for MutableStat<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MutableStat({self})")
    }
}
