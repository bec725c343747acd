//! A read-write lock that threads take for reading, with and without metering:
//! every scenario of adds measures it, since it is a [`Target`].
//!
//! An add is one acquisition and release. The value under the lock is looked at
//! and the sample forgotten, so what is measured is the lock and its metering.

use crate::scenario::Scenario;
use crate::target::{Adder, Target, Use};
use crate::threads::Threads;
use interval_stat::metered::Metered;
use interval_stat::{ConcurrentMutableStat, Emit, IntervalStat, Labels, LockMetrics, MutableStat};
use std::hint::black_box;
use std::sync::{Arc, RwLock};

/// The lock of `std`, not metered.
#[derive(Debug, Default)]
pub struct Unmetered(RwLock<i64>);

impl Target for Unmetered {
    type Adder<'a> = &'a Self;

    fn fresh() -> Self {
        Self::default()
    }

    fn adder(&self) -> &Self {
        self
    }

    fn collected(&self) -> Option<u64> {
        None
    }
}

impl Adder for &Unmetered {
    #[inline]
    fn add(&mut self, _sample: i64) {
        black_box(*self.0.read().expect("no holder panics"));
    }
}

/// The lock of `std`, metered in statistics of the kind `S`.
#[derive(Debug)]
pub struct MeteredIn<S>(Metered<RwLock<i64>, S>);

impl<S: IntervalStat + From<Labels>> Target for MeteredIn<S> {
    type Adder<'a>
        = &'a Self
    where
        Self: 'a;

    fn fresh() -> Self {
        Self(Metered::new(RwLock::new(0), Arc::new(LockMetrics::new())))
    }

    fn adder(&self) -> &Self {
        self
    }

    /// Acquisitions whose time held was recorded.
    fn collected(&self) -> Option<u64> {
        let held = self.0.metrics().read.held.snapshot(Emit::All);
        held.map(|held| held.count)
    }
}

impl<S: IntervalStat + From<Labels>> Adder for &MeteredIn<S> {
    #[inline]
    fn add(&mut self, _sample: i64) {
        black_box(*self.0.read().expect("no holder panics"));
    }
}

/// A lock by how it is metered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockContender {
    /// Not at all.
    Unmetered,
    /// In statistics behind a lock of their own.
    MutableStat,
    /// In statistics with a wait-free add.
    ConcurrentMutableStat,
}

impl LockContender {
    /// All, in the order in which they take turns.
    pub const ALL: [Self; 3] = [
        Self::Unmetered,
        Self::MutableStat,
        Self::ConcurrentMutableStat,
    ];

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unmetered => "not metered",
            Self::MutableStat => "metered in MutableStat",
            Self::ConcurrentMutableStat => "metered in ConcurrentMutableStat",
        }
    }

    /// Puts its target to a use.
    pub fn put_to<U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Unmetered => purpose.of::<Unmetered>(),
            Self::MutableStat => purpose.of::<MeteredIn<MutableStat>>(),
            Self::ConcurrentMutableStat => purpose.of::<MeteredIn<ConcurrentMutableStat>>(),
        }
    }

    /// Runs a scenario over a fresh one.
    pub fn run<S: Scenario>(self, scenario: &S, threads: Threads) -> S::Figure {
        self.put_to(crate::contender::Run { scenario, threads })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Figure;
    use crate::scenario::burst::Burst;

    #[test]
    fn every_acquisition_is_accounted_for() {
        let burst = Burst {
            warm_up: 1,
            bursts: 3,
            adds: 50,
        };
        let threads = Threads::try_from(3).unwrap();
        let kept = LockContender::ALL.map(|lock| lock.run(&burst, threads).samples_kept());
        assert_eq!(kept, [None, Some(true), Some(true)]);
    }
}
