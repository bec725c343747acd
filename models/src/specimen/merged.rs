//! `ConcurrentMutableStat` as merged for HDDS-9377.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroUsize;

use interval_stat::hadoop::SampleStat;
use interval_stat::runtime::{Mutex, Runtime};
use interval_stat::{BatchError, Detail, Emit, Gathered, IntervalStat, Labels, Snapshot, Welford};

use super::pending::{Pending, Share};
use super::reset::Reset;

/// The merged `ConcurrentMutableStat`, on a JDK that resets as `T`.
///
/// A drain hands what is pending to Hadoop's `MutableStat`, the parent. A
/// snapshot drains under the parent's lock; `last_stat` and `Display` drain
/// without it.
pub struct Merged<R: Runtime, T> {
    pending: Pending<R>,
    parent: R::Mutex<Gathered<Welford>>,
    reset: PhantomData<fn() -> T>,
}

impl<R: Runtime, T: Reset> Merged<R, T> {
    /// No samples yet, on a machine of so many processors.
    pub fn new(labels: Labels, processors: usize) -> Self {
        Self {
            pending: Pending::new(processors),
            parent: Mutex::new("parent", Gathered::new(labels)),
            reset: PhantomData,
        }
    }

    /// Takes what is pending, as what the parent is to add.
    fn take(&self) -> impl Iterator<Item = Share> + use<R, T> {
        let taken = self.pending.take::<T>();
        let shares = taken.map(|taken| match taken {
            // Taken for an add that has not come to its min and max yet.
            taken if taken.has_identities() => [Some(taken.bulk()), None, None],
            taken => taken.shares(),
        });
        shares.into_iter().flatten().flatten()
    }

    /// Each share under a lock of its own: others can come between.
    fn drain(&self) {
        for share in self.take() {
            self.parent.with(|parent| share.add_to(parent));
        }
    }
}

impl<R: Runtime, T: Reset> IntervalStat for Merged<R, T> {
    type Interval = Welford;

    #[inline]
    fn add(&self, sample: i64) {
        self.pending.add(sample);
    }

    fn add_n(&self, count: u64, sum: i64) -> Result<(), BatchError> {
        self.parent.with(|parent| parent.add_n(count, sum))
    }

    fn snapshot(&self, emit: Emit) -> Option<Snapshot<Welford>> {
        self.parent.with(|parent| {
            self.take().for_each(|share| share.add_to(parent));
            parent.snapshot(emit)
        })
    }

    fn changed(&self) -> bool {
        self.parent.with(|parent| parent.changed())
    }

    fn last_stat(&self) -> Welford {
        self.drain();
        self.parent.with(|parent| *parent.last_stat())
    }

    fn reset_min_max(&self) {
        self.parent.with(Gathered::reset_min_max);
    }

    fn set_detail(&self, detail: Detail) {
        self.parent.with(|parent| parent.set_detail(detail));
    }
}

/// On as many processors as this machine has, and two at least.
impl<R: Runtime, T: Reset> From<Labels> for Merged<R, T> {
    fn from(labels: Labels) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self::new(labels, processors.max(2))
    }
}

impl<R: Runtime, T: Reset> fmt::Display for Merged<R, T> {
    /// Drains, and once more in `last_stat`, as the original does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.drain();
        SampleStat::from(&self.last_stat()).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reset::{Jdk8, Jdk9};
    use super::*;
    use interval_stat::Interval;
    use interval_stat::runtime::Std;

    fn with<T: Reset>(samples: &[i64]) -> Merged<Std, T> {
        let labels = Labels::new("Lock", "lock", "Ops", "Time", Detail::Extended);
        let stat = Merged::new(labels.unwrap(), 2);
        samples.iter().for_each(|&sample| stat.add(sample));
        stat
    }

    /// With no race, all but the standard deviation is right: its drain leaves
    /// the spread of the rest out (anomaly O1).
    #[test]
    fn sums_and_extremes_are_right_at_rest() {
        let stat = with::<Jdk8>(&[1, 1, 1, 1, 1, 9, 9, 9, 9, 9]);
        let interval = stat.snapshot(Emit::Changed).unwrap().interval;
        assert_eq!((interval.count(), interval.mean()), (10, Some(5.0)));
        assert_eq!((interval.min(), interval.max()), (Some(1), Some(9)));
        assert_eq!(format!("{:.3}", interval.stddev().unwrap()), "1.886");
        assert_eq!(stat.snapshot(Emit::Changed), None);
    }

    /// A sample that is equal to an identity is taken for a race (anomaly O6).
    #[test]
    fn a_sentinel_hides_the_extremes() {
        let stat = with::<Jdk9>(&[i64::MAX]);
        let shown = SampleStat::from(&stat.last_stat());
        assert_eq!((shown.num_samples, shown.mean), (1, 2f64.powi(63)));
        assert_eq!(
            (shown.min, shown.max),
            (f64::from(f32::MAX), 2f64.powi(-149))
        );
    }

    #[test]
    fn looking_drains_and_closes_nothing() {
        let stat = with::<Jdk9>(&[3, 5]);
        assert_eq!(stat.last_stat().count(), 2);
        assert_eq!(stat.snapshot(Emit::Changed).unwrap().count, 2);
    }
}
