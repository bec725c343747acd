//! A read-write lock that threads take for reading, with and without metering:
//! every scenario of adds measures it, since it is a [`Target`].
//!
//! An add is one acquisition and release. The value under the lock is looked at
//! and the sample forgotten, so what is measured is the lock and its metering.

use crate::contender::Entrant;
use crate::target::{Adder, Target, Use};
use interval_stat::metered::Metered;
use interval_stat::runtime::Std;
use interval_stat::{ConcurrentMutableStat, Emit, IntervalStat, Labels, LockMetrics, MutableStat};
use models::specimen::{Jdk9, Merged};
use serde::{Deserialize, Serialize};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LockContender {
    /// Not at all.
    Unmetered,
    /// In statistics behind a lock of their own.
    MutableStat,
    /// In HDDS-9377's statistics.
    Merged,
    /// In statistics with a wait-free add.
    ConcurrentMutableStat,
}

impl Entrant for LockContender {
    const ALL: &'static [Self] = &[
        Self::Unmetered,
        Self::MutableStat,
        Self::Merged,
        Self::ConcurrentMutableStat,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Unmetered => "not metered",
            Self::MutableStat => "metered in MutableStat",
            Self::Merged => "metered in merged (JDK 9+)",
            Self::ConcurrentMutableStat => "metered in ConcurrentMutableStat",
        }
    }

    fn put_to<U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Unmetered => purpose.of::<Unmetered>(),
            Self::MutableStat => purpose.of::<MeteredIn<MutableStat>>(),
            Self::Merged => purpose.of::<MeteredIn<Merged<Std, Jdk9>>>(),
            Self::ConcurrentMutableStat => purpose.of::<MeteredIn<ConcurrentMutableStat>>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Figure;
    use crate::scenario::burst::Burst;
    use crate::threads::Threads;

    #[test]
    fn every_acquisition_is_accounted_for() {
        let burst = Burst {
            warm_up: 1,
            bursts: 3,
            adds: 50,
        };
        let threads = Threads::try_from(3).unwrap();
        for lock in LockContender::ALL {
            let kept = lock.run(&burst, threads).samples_kept();
            let metered = *lock != LockContender::Unmetered;
            assert_eq!(kept, metered.then_some(true), "{lock:?}");
        }
    }
}
