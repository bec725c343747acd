//! What threads add to.

use interval_stat::runtime::Runtime;
use interval_stat::{
    Accumulator, ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels, Moments,
    Recorder, Striped,
};
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Something that threads add to.
pub trait Target: Sync {
    /// What a thread adds through.
    type Adder<'a>: Adder
    where
        Self: 'a;

    /// One without samples.
    fn fresh() -> Self;

    /// For the calling thread.
    fn adder(&self) -> Self::Adder<'_>;

    /// Closes an interval, as a reader does while others add. Does nothing to a
    /// target that has no intervals.
    fn drain(&self) {}

    /// How many samples it holds, once the adders are gone; `None` if it keeps
    /// no account.
    fn collected(&self) -> Option<u64>;
}

/// One thread's way to add.
pub trait Adder {
    /// Adds a sample.
    fn add(&mut self, sample: i64);
}

/// Something to do with a target of any kind.
pub trait Use {
    /// What comes of it.
    type Output;

    /// Does it.
    fn of<T: Target>(self) -> Self::Output;
}

/// An [`IntervalStat`] that can be made without being told anything.
pub trait Fresh: IntervalStat {
    /// One without samples.
    fn fresh() -> Self;
}

impl<S: IntervalStat + From<Labels>> Fresh for S {
    fn fresh() -> Self {
        Self::from(labels())
    }
}

fn labels() -> Labels {
    Labels::new("Bench", "a bench", "Ops", "Time", Detail::Extended).expect("no label is empty")
}

/// A statistic, added to through a shared reference: one that has to find the
/// thread's stripe finds it anew each time.
#[derive(Debug)]
pub struct Shared<S>(pub S);

impl<S: Fresh> Target for Shared<S> {
    type Adder<'a>
        = &'a Self
    where
        Self: 'a;

    fn fresh() -> Self {
        Self(S::fresh())
    }

    fn adder(&self) -> &Self {
        self
    }

    fn drain(&self) {
        black_box(self.0.snapshot(Emit::Changed));
    }

    fn collected(&self) -> Option<u64> {
        Some(lifetime(&self.0))
    }
}

impl<S: Fresh> Adder for &Shared<S> {
    #[inline]
    fn add(&mut self, sample: i64) {
        self.0.add(sample);
    }
}

fn lifetime(stat: &impl IntervalStat) -> u64 {
    stat.snapshot(Emit::All)
        .map_or(0, |snapshot| snapshot.count)
}

/// The concurrent statistic, added to through a [`Recorder`] a thread.
#[derive(Debug)]
pub struct ByRecorder(pub ConcurrentMutableStat);

impl Target for ByRecorder {
    type Adder<'a> = Recorder<'a, Moments>;

    fn fresh() -> Self {
        Self(Fresh::fresh())
    }

    fn adder(&self) -> Self::Adder<'_> {
        self.0.recorder()
    }

    fn drain(&self) {
        black_box(self.0.snapshot(Emit::Changed));
    }

    fn collected(&self) -> Option<u64> {
        Some(lifetime(&self.0))
    }
}

impl<A: Accumulator, R: Runtime> Adder for Recorder<'_, A, R> {
    #[inline]
    fn add(&mut self, sample: i64) {
        Recorder::add(self, sample);
    }
}

/// An accumulator that knows how many samples it holds.
pub trait Counts: Accumulator + Default {
    /// How many.
    fn counted(&self) -> u64;
}

impl Counts for Moments {
    fn counted(&self) -> u64 {
        self.count()
    }
}

/// The protocol by itself, on any runtime and over any accumulator, added to
/// through a [`Recorder`] a thread.
#[derive(Debug)]
pub struct Recorded<R: Runtime, A: Accumulator = Moments>(pub(crate) Striped<A, u64, R>);

impl<R: Runtime, A: Counts> Recorded<R, A> {
    pub(crate) fn new() -> Self {
        Self(Striped::new(A::default(), 0))
    }

    /// How many samples all drains have found, this one included.
    pub(crate) fn drained(&self) -> u64 {
        self.0.drain_with(|all, batch| {
            *all += batch.counted();
            *all
        })
    }
}

impl<R: Runtime, A: Counts> Target for Recorded<R, A>
where
    Striped<A, u64, R>: Sync,
{
    type Adder<'a> = Recorder<'a, A, R>;

    fn fresh() -> Self {
        Self::new()
    }

    fn adder(&self) -> Self::Adder<'_> {
        self.0.recorder()
    }

    fn drain(&self) {
        black_box(self.drained());
    }

    fn collected(&self) -> Option<u64> {
        Some(self.drained())
    }
}

/// The accumulator of the concurrent statistic behind the standard library's
/// mutex: the simplest exact solution.
#[derive(Debug, Default)]
pub struct Locked<A = Moments>(Mutex<Intervals<A>>);

/// The interval that is open, and those before it together.
#[derive(Debug, Default)]
struct Intervals<A> {
    open: A,
    closed: A,
}

impl<A> Locked<A> {
    fn lock(&self) -> MutexGuard<'_, Intervals<A>> {
        // Adding does not panic, so there is nothing half-done to see.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Counts + Default> Target for Locked<A> {
    type Adder<'a> = &'a Self;

    fn fresh() -> Self {
        Self::default()
    }

    fn adder(&self) -> &Self {
        self
    }

    fn drain(&self) {
        let Intervals { open, closed } = &mut *self.lock();
        closed.merge(open);
        open.clear();
    }

    fn collected(&self) -> Option<u64> {
        self.drain();
        Some(self.lock().closed.counted())
    }
}

impl<A: Counts> Adder for &Locked<A> {
    #[inline]
    fn add(&mut self, sample: i64) {
        self.lock().open.record(sample);
    }
}

/// An accumulator a thread, brought together when the threads are done: what
/// adding costs at least. No reader could look at it in between, so it is a
/// limit and not a concurrent statistic.
#[derive(Debug, Default)]
pub struct Plain(Locked);

impl Target for Plain {
    type Adder<'a> = Own<'a>;

    fn fresh() -> Self {
        Self::default()
    }

    fn adder(&self) -> Own<'_> {
        Own {
            moments: Moments::EMPTY,
            all: &self.0,
        }
    }

    fn collected(&self) -> Option<u64> {
        self.0.collected()
    }
}

/// A thread's own accumulator.
#[derive(Debug)]
pub struct Own<'a> {
    moments: Moments,
    all: &'a Locked,
}

impl Adder for Own<'_> {
    #[inline]
    fn add(&mut self, sample: i64) {
        // In memory at each add, as in a program that does other things between
        // two of them; a loop of adds alone would be kept in registers.
        black_box(&mut self.moments).record(sample);
    }
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        self.all.lock().closed.merge(&self.moments);
    }
}

/// Takes the samples and forgets them: what the harness itself costs.
#[derive(Debug)]
pub struct Nothing;

impl Target for Nothing {
    type Adder<'a> = Forget;

    fn fresh() -> Self {
        Self
    }

    fn adder(&self) -> Forget {
        Forget
    }

    fn collected(&self) -> Option<u64> {
        None
    }
}

/// Adds to [`Nothing`].
#[derive(Debug)]
pub struct Forget;

impl Adder for Forget {
    #[inline]
    fn add(&mut self, sample: i64) {
        black_box(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interval_stat::MutableStat;

    fn collects<T: Target>() -> Option<u64> {
        let target = T::fresh();
        std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    let mut adder = target.adder();
                    (1..=5).for_each(|sample| adder.add(sample));
                    target.drain();
                });
            }
        });
        target.collected()
    }

    #[test]
    fn targets_account_for_every_sample() {
        assert_eq!(collects::<Shared<MutableStat>>(), Some(10));
        assert_eq!(collects::<Shared<ConcurrentMutableStat>>(), Some(10));
        assert_eq!(collects::<ByRecorder>(), Some(10));
        assert_eq!(collects::<Locked>(), Some(10));
        assert_eq!(collects::<Plain>(), Some(10));
        assert_eq!(collects::<Nothing>(), None);
    }
}
