//! The statistic with a wait-free add.

#![forbid(unsafe_code)]

use std::fmt;

use crate::accumulator::Interval;
use crate::gathered::{BatchError, Gathered};
use crate::hadoop::SampleStat;
use crate::interval_stat::IntervalStat;
use crate::labels::{Detail, Labels};
use crate::moments::Moments;
use crate::runtime::{Runtime, Std};
use crate::snapshot::{Emit, Snapshot};
use crate::striped::{Recorder, Striped};

/// The interval statistic with a wait-free, exact add: a drop-in for
/// [`MutableStat`](crate::MutableStat) where many threads add.
///
/// `add` records in the thread's own stripe (see [`striped`](crate::striped)).
/// Everything else first drains the stripes, under the lock that `MutableStat`
/// takes on every add.
///
/// Guarantees: those of `MutableStat`, and mean and standard deviation correctly
/// rounded from exact integer moments.
///
/// `I` is what an interval is summarized by. The default is exact and fits a
/// cache line; feature `quantiles` has one that also answers for quantiles.
///
/// Progress: `add` is wait-free once the thread's stripe is registered, by its
/// first add. Everything else waits for the lock and for the adds in flight
/// when its drain began. `add` is O(1), the rest O(stripes); there are at most
/// as many stripes as threads of the process, and recorders, were alive at once.
///
/// Replaces: `ConcurrentMutableStat` of Apache Ozone's HDDS-9377.
///
/// # Examples
///
/// ```
/// use interval_stat::{ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels};
///
/// let stat: ConcurrentMutableStat =
///     ConcurrentMutableStat::new(Labels::new("Lock", "lock", "Ops", "Time", Detail::Extended)?);
/// std::thread::scope(|threads| {
///     for sample in [1, 9] {
///         let stat = &stat;
///         threads.spawn(move || stat.add(sample));
///     }
/// });
/// let snapshot = stat.snapshot(Emit::Changed).expect("there are samples");
/// assert_eq!(snapshot.interval.mean(), Some(5.0));
/// assert_eq!(snapshot.interval.max(), Some(9));
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
pub struct ConcurrentMutableStat<R: Runtime = Std, I: Interval = Moments> {
    samples: Striped<I, Gathered<I>, R>,
}

impl<R: Runtime, I: Interval> ConcurrentMutableStat<R, I> {
    /// No samples yet.
    pub fn new(labels: Labels) -> Self {
        Self {
            samples: Striped::new(I::default(), Gathered::new(labels)),
        }
    }

    /// A handle that adds without looking up the thread's stripe.
    ///
    /// Takes a lock for a moment; O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use interval_stat::{ConcurrentMutableStat, Detail, IntervalStat, Labels};
    ///
    /// let stat: ConcurrentMutableStat =
    ///     ConcurrentMutableStat::new(Labels::new("Lock", "lock", "Ops", "Time", Detail::Extended)?);
    /// let mut recorder = stat.recorder();
    /// recorder.add(5);
    /// assert!(stat.changed());
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn recorder(&self) -> Recorder<'_, I, R> {
        self.samples.recorder()
    }

    /// Drains the stripes and calls `section` with everything gathered so far.
    fn drained<O>(&self, section: impl FnOnce(&mut Gathered<I>) -> O) -> O {
        self.samples.drain_with(|gathered, batch| {
            gathered.merge(&batch);
            section(gathered)
        })
    }
}

impl<R: Runtime, I: Interval> From<Labels> for ConcurrentMutableStat<R, I> {
    fn from(labels: Labels) -> Self {
        Self::new(labels)
    }
}

impl<R: Runtime, I: Interval> IntervalStat for ConcurrentMutableStat<R, I> {
    type Interval = I;

    #[inline]
    fn add(&self, sample: i64) {
        self.samples.add(sample);
    }

    #[inline]
    fn add_batch(&self, samples: &[i64]) {
        self.samples.add_batch(samples);
    }

    fn add_n(&self, count: u64, sum: i64) -> Result<(), BatchError> {
        self.drained(|gathered| gathered.add_n(count, sum))
    }

    fn snapshot(&self, emit: Emit) -> Option<Snapshot<I>> {
        self.drained(|gathered| gathered.snapshot(emit))
    }

    fn changed(&self) -> bool {
        self.drained(|gathered| gathered.changed())
    }

    fn last_stat(&self) -> I {
        self.drained(|gathered| gathered.last_stat().clone())
    }

    fn reset_min_max(&self) {
        self.drained(Gathered::reset_min_max);
    }

    fn set_detail(&self, detail: Detail) {
        self.drained(|gathered| gathered.set_detail(detail));
    }
}

impl<R: Runtime, I: Interval> fmt::Display for ConcurrentMutableStat<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SampleStat::from(&self.last_stat()).fmt(f)
    }
}

impl<R: Runtime, I: Interval> fmt::Debug for ConcurrentMutableStat<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConcurrentMutableStat({self})")
    }
}
