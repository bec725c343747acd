//! The accumulator laid out otherwise: what one cache line a buffer is worth.

use crate::target::Counts;
use interval_stat::{Accumulator, Interval, Moments};

/// In the place of one cache line a buffer, some other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Laid<P> {
    moments: Moments,
    /// What makes the place another.
    _place: P,
}

/// Sixteen bytes more, so that the second buffer lies on two lines.
pub type AcrossLines = Laid<u128>;

/// Two lines a buffer, so that no two buffers are on one pair of lines, which
/// some processors fetch together.
pub type Apart = Laid<Pair>;

/// Nothing, on a pair of cache lines of its own.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(128))]
pub struct Pair;

impl<P: Clone + Send + Sync + 'static> Accumulator for Laid<P> {
    #[inline]
    fn record(&mut self, sample: i64) {
        self.moments.record(sample);
    }

    fn merge(&mut self, other: &Self) {
        self.moments.merge(&other.moments);
    }

    fn clear(&mut self) {
        self.moments.clear();
    }
}

impl<P: Clone + Default + Send + Sync + 'static> Counts for Laid<P> {
    fn counted(&self) -> u64 {
        self.moments.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_lie_where_they_say() {
        assert_eq!(size_of::<AcrossLines>(), 80);
        assert_eq!((size_of::<Apart>(), align_of::<Apart>()), (128, 128));
    }
}
