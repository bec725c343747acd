//! `ConcurrentMutableStat` as merged for HDDS-9377.

use std::fmt;
use std::marker::PhantomData;

use interval_stat::hadoop::SampleStat;
use interval_stat::runtime::{Mutex, Runtime};
use interval_stat::{BatchError, Detail, Emit, Gathered, IntervalStat, Labels, Snapshot, Welford};

use super::reset::Reset;
use super::striped64::{LongAccumulator, LongAdder, Max, Min, Probes, words};

/// The merged `ConcurrentMutableStat`, on a JDK that resets as `T`.
///
/// An add updates four accumulators of the JDK one after the other. A drain
/// takes them one after the other, and hands Hadoop's `MutableStat`, the parent,
/// the min and the max as a sample each and the rest in bulk. A snapshot drains
/// under the parent's lock; `last_stat` and `Display` drain without it.
pub struct Merged<R: Runtime, T> {
    sum: LongAdder<R>,
    count: LongAdder<R>,
    min: LongAccumulator<R, Min>,
    max: LongAccumulator<R, Max>,
    probes: Probes<R>,
    parent: R::Mutex<Gathered<Welford>>,
    reset: PhantomData<fn() -> T>,
}

impl<R: Runtime, T: Reset> Merged<R, T> {
    /// No samples yet, on a machine of so many processors.
    pub fn new(labels: Labels, processors: usize) -> Self {
        Self {
            sum: LongAdder::new(words!("sum"), processors),
            count: LongAdder::new(words!("count"), processors),
            min: LongAccumulator::new(words!("min"), processors),
            max: LongAccumulator::new(words!("max"), processors),
            probes: Probes::new(),
            parent: Mutex::new("parent", Gathered::new(labels)),
            reset: PhantomData,
        }
    }

    /// Takes what is pending, as what the parent is to add.
    fn take(&self) -> impl Iterator<Item = Share> + use<R, T> {
        let shares = match self.count.sum_then_reset::<T>() {
            0 => [None; 3],
            count => self.shares(count),
        };
        shares.into_iter().flatten()
    }

    fn shares(&self, count: i64) -> [Option<Share>; 3] {
        let sum = self.sum.sum_then_reset::<T>();
        let min = self.min.get_then_reset::<T>();
        let max = self.max.get_then_reset::<T>();
        if min == LongAccumulator::<R, Min>::IDENTITY || max == LongAccumulator::<R, Max>::IDENTITY
        {
            return [Some(Share::Bulk { count, sum }), None, None];
        }
        let rest = Share::Bulk {
            count: count - 2,
            sum: sum.wrapping_sub(min).wrapping_sub(max),
        };
        [
            Some(Share::One(min)),
            (count > 1).then_some(Share::One(max)),
            (count > 2).then_some(rest),
        ]
    }

    /// Each share under a lock of its own: others can come between.
    fn drain(&self) {
        for share in self.take() {
            self.parent.with(|parent| share.add_to(parent));
        }
    }
}

/// A part of what a drain took.
#[derive(Debug, Clone, Copy)]
enum Share {
    /// A sample.
    One(i64),
    /// So many samples of this sum.
    Bulk { count: i64, sum: i64 },
}

impl Share {
    fn add_to(self, parent: &mut Gathered<Welford>) {
        match self {
            Self::One(sample) => parent.add(sample),
            Self::Bulk { count, sum } => {
                let count = u64::try_from(count).expect("counts are only added");
                parent.add_n(count, sum).expect("there are samples");
            }
        }
    }
}

impl<R: Runtime, T: Reset> IntervalStat for Merged<R, T> {
    type Interval = Welford;

    #[inline]
    fn add(&self, sample: i64) {
        self.sum.add(sample, &self.probes);
        self.count.add(1, &self.probes);
        self.min.accumulate(sample, &self.probes);
        self.max.accumulate(sample, &self.probes);
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
