//! What was added and not drained yet, as the merged algorithm keeps it.

use interval_stat::runtime::Runtime;
use interval_stat::{Gathered, Welford};

use super::reset::Reset;
use super::striped64::{Combine, LongAccumulator, LongAdder, Max, Min, Probes, words};

/// Four accumulators of the JDK. An add updates one after the other; a drain
/// takes one after the other.
pub(super) struct Pending<R: Runtime> {
    sum: LongAdder<R>,
    count: LongAdder<R>,
    min: LongAccumulator<R, Min>,
    max: LongAccumulator<R, Max>,
    probes: Probes<R>,
}

impl<R: Runtime> Pending<R> {
    pub(super) fn new(processors: usize) -> Self {
        Self {
            sum: LongAdder::new(words!("sum"), processors),
            count: LongAdder::new(words!("count"), processors),
            min: LongAccumulator::new(words!("min"), processors),
            max: LongAccumulator::new(words!("max"), processors),
            probes: Probes::new(),
        }
    }

    #[inline]
    pub(super) fn add(&self, sample: i64) {
        self.sum.add(sample, &self.probes);
        self.count.add(1, &self.probes);
        self.min.accumulate(sample, &self.probes);
        self.max.accumulate(sample, &self.probes);
    }

    /// Takes all, unless there is no count.
    pub(super) fn take<T: Reset>(&self) -> Option<Taken> {
        let count = self.count.sum_then_reset::<T>();
        (count != 0).then(|| Taken {
            count,
            sum: self.sum.sum_then_reset::<T>(),
            min: self.min.get_then_reset::<T>(),
            max: self.max.get_then_reset::<T>(),
        })
    }
}

/// What a drain has taken.
pub(super) struct Taken {
    count: i64,
    sum: i64,
    min: i64,
    max: i64,
}

impl Taken {
    /// Whether min or max is what they start from.
    pub(super) fn has_identities(&self) -> bool {
        self.min == Min::IDENTITY || self.max == Max::IDENTITY
    }

    /// As samples of which nothing is known but their sum.
    pub(super) fn bulk(&self) -> Share {
        Share::Bulk {
            count: self.count,
            sum: self.sum,
        }
    }

    /// The min and the max as a sample each, and the rest in bulk.
    pub(super) fn shares(&self) -> [Option<Share>; 3] {
        let rest = Share::Bulk {
            count: self.count - 2,
            sum: self.sum.wrapping_sub(self.min).wrapping_sub(self.max),
        };
        [
            Some(Share::One(self.min)),
            (self.count > 1).then_some(Share::One(self.max)),
            (self.count > 2).then_some(rest),
        ]
    }
}

/// A part of what a drain took.
#[derive(Debug, Clone, Copy)]
pub(super) enum Share {
    /// A sample.
    One(i64),
    /// So many samples of this sum.
    Bulk { count: i64, sum: i64 },
}

impl Share {
    pub(super) fn add_to(self, parent: &mut Gathered<Welford>) {
        match self {
            Self::One(sample) => parent.add(sample),
            Self::Bulk { count, sum } => {
                let count = u64::try_from(count).expect("counts are only added");
                parent.add_n(count, sum).expect("there are samples");
            }
        }
    }
}
