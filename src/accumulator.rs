//! What a statistic gathers samples in: a commutative monoid, and the
//! interval summary built on it.

#![forbid(unsafe_code)]

use std::num::NonZeroU64;

/// A summary of a multiset of samples that can absorb another summary.
///
/// # Laws
///
/// Write `[]` for a cleared accumulator and `a + b` for `a` after
/// `a.merge(&b)`. For every `a`, `b`, `c` and every sample `x`:
///
/// - `[] + a = a = a + []`
/// - `(a + b) + c = a + (b + c)`
/// - `a + b = b + a`
/// - recording `x` in `a` gives `a + [x]`, where `[x]` is a cleared accumulator
///   in which `x` alone was recorded
///
/// Together they say that a summary depends on the multiset of samples and on
/// nothing else: not on their order, and not on which stripe or buffer each of
/// them went through. The concurrent protocol needs exactly that.
/// An implementation in floating point ([`Welford`](crate::Welford)) keeps
/// them up to rounding only and says so.
///
/// The statistic clones the identity, for a thread's first add, under a lock of its
/// own: `clone` must not add to the statistic or drain it, or it waits for ever. Nor
/// must `merge` drain it.
///
/// # Panics
///
/// A `record` or `merge` that panics must leave `self` as it was, and `clear`
/// must not panic; then a panic costs the sample in hand and no other, and
/// reaches the caller of the add or the drain. One of `clone` reaches the caller of
/// the first add, whose sample is not added.
///
/// # Examples
///
/// ```
/// use interval_stat::{Accumulator, Moments};
///
/// /// How many samples were negative.
/// #[derive(Clone)]
/// struct Negatives(u64);
///
/// impl Accumulator for Negatives {
///     fn record(&mut self, sample: i64) {
///         self.0 += u64::from(sample < 0);
///     }
///     fn merge(&mut self, other: &Self) {
///         self.0 += other.0;
///     }
///     fn clear(&mut self) {
///         self.0 = 0;
///     }
/// }
///
/// let mut here = Negatives(0);
/// here.record(-3);
/// let mut there = Negatives(0);
/// there.record(-1);
/// there.record(4);
/// here.merge(&there);
/// assert_eq!(here.0, 2);
/// ```
pub trait Accumulator: Clone + Send + Sync + 'static {
    /// Adds one sample.
    fn record(&mut self, sample: i64);

    /// Adds every sample that `other` holds.
    fn merge(&mut self, other: &Self);

    /// Forgets every sample: afterwards this is the monoid's identity.
    fn clear(&mut self);
}

/// An [`Accumulator`] that answers what an interval statistic reports.
///
/// All answers are in the unit of the samples, except `variance`, which is in
/// its square. What is undefined for the samples at hand is `None`, never a
/// stand-in number. `Default` is the summary of no samples.
///
/// # Examples
///
/// ```
/// use interval_stat::{Accumulator, Interval, Moments};
///
/// fn report(interval: &impl Interval) -> String {
///     match interval.mean() {
///         Some(mean) => format!("{} samples around {mean}", interval.count()),
///         None => "no samples".to_owned(),
///     }
/// }
///
/// let mut interval = Moments::default();
/// assert_eq!(report(&interval), "no samples");
/// interval.record(4);
/// interval.record(7);
/// assert_eq!(report(&interval), "2 samples around 5.5");
/// ```
pub trait Interval: Accumulator + Default {
    /// Adds `count` samples of which only their `sum` is known.
    ///
    /// The extremes keep describing the samples that are known one by one.
    fn record_n(&mut self, count: NonZeroU64, sum: i64);

    /// How many samples were added.
    fn count(&self) -> u64;

    /// The sum of the samples, 0 if there are none.
    fn total(&self) -> f64;

    /// The arithmetic mean; `None` if there are no samples.
    fn mean(&self) -> Option<f64>;

    /// The sample variance (divisor `n - 1`); `None` below two samples.
    fn variance(&self) -> Option<f64>;

    /// The square root of the sample variance; `None` below two samples.
    fn stddev(&self) -> Option<f64>;

    /// The smallest sample known individually; `None` if there is none.
    fn min(&self) -> Option<i64>;

    /// The largest sample known individually; `None` if there is none.
    fn max(&self) -> Option<i64>;
}
