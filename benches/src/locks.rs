//! A read-write lock that threads take, with and without metering: every scenario
//! of adds measures it, since it is a [`Target`].
//!
//! An add is one [`Operation`]: the value under the lock is looked at or counted
//! up and the sample forgotten, so what is measured is the lock and its metering.

use crate::contender::Entrant;
use crate::target::{Adder, Target, Use};
use interval_stat::metered::Metered;
use interval_stat::runtime::Std;
use interval_stat::{ConcurrentMutableStat, Emit, IntervalStat, Labels, LockMetrics, MutableStat};
use models::specimen::{Jdk9, Merged};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::{Arc, RwLock};

/// What an add does with the lock, whichever way it is metered.
pub trait Operation: Sync + 'static {
    /// Locks `lock` and looks at what is in it, or changes it.
    fn on(lock: &impl ReadWrite);
}

/// A read-write lock around a number.
pub trait ReadWrite {
    /// The number.
    fn read(&self) -> i64;
    /// Adds one to the number.
    fn write(&self);
}

/// Takes the lock for reading, and nothing else.
#[derive(Debug)]
pub enum Read {}

impl Operation for Read {
    #[inline]
    fn on(lock: &impl ReadWrite) {
        black_box(lock.read());
    }
}

/// Takes the lock for reading and then for writing: four statistics are updated,
/// as Ozone's manager does for each operation on a bucket.
#[derive(Debug)]
pub enum ReadThenWrite {}

impl Operation for ReadThenWrite {
    #[inline]
    fn on(lock: &impl ReadWrite) {
        black_box(lock.read());
        lock.write();
    }
}

/// The lock of `std`, not metered.
#[derive(Debug)]
pub struct Unmetered<O>(RwLock<i64>, PhantomData<fn() -> O>);

impl<O> ReadWrite for Unmetered<O> {
    #[inline]
    fn read(&self) -> i64 {
        *self.0.read().expect("no holder panics")
    }

    #[inline]
    fn write(&self) {
        *self.0.write().expect("no holder panics") += 1;
    }
}

impl<O: Operation> Target for Unmetered<O> {
    type Adder<'a> = &'a Self;

    fn fresh() -> Self {
        Self(RwLock::new(0), PhantomData)
    }

    fn adder(&self) -> &Self {
        self
    }

    fn collected(&self) -> Option<u64> {
        None
    }
}

impl<O: Operation> Adder for &Unmetered<O> {
    #[inline]
    fn add(&mut self, _sample: i64) {
        O::on(*self);
    }
}

/// The lock of `std`, metered in statistics of the kind `S`.
#[derive(Debug)]
pub struct MeteredIn<S, O>(Metered<RwLock<i64>, S>, PhantomData<fn() -> O>);

impl<S: IntervalStat, O> ReadWrite for MeteredIn<S, O> {
    #[inline]
    fn read(&self) -> i64 {
        *self.0.read().expect("no holder panics")
    }

    #[inline]
    fn write(&self) {
        *self.0.write().expect("no holder panics") += 1;
    }
}

impl<S: IntervalStat + From<Labels>, O: Operation> Target for MeteredIn<S, O> {
    type Adder<'a>
        = &'a Self
    where
        Self: 'a;

    fn fresh() -> Self {
        let lock = Metered::new(RwLock::new(0), Arc::new(LockMetrics::new()));
        Self(lock, PhantomData)
    }

    fn adder(&self) -> &Self {
        self
    }

    /// Acquisitions for reading whose time held was recorded.
    fn collected(&self) -> Option<u64> {
        let held = self.0.metrics().read.held.snapshot(Emit::All);
        held.map(|held| held.count)
    }
}

impl<S: IntervalStat + From<Labels>, O: Operation> Adder for &MeteredIn<S, O> {
    #[inline]
    fn add(&mut self, _sample: i64) {
        O::on(*self);
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
        self.doing::<Read, U>(purpose)
    }
}

impl LockContender {
    fn doing<O: Operation, U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Unmetered => purpose.of::<Unmetered<O>>(),
            Self::MutableStat => purpose.of::<MeteredIn<MutableStat, O>>(),
            Self::Merged => purpose.of::<MeteredIn<Merged<Std, Jdk9>, O>>(),
            Self::ConcurrentMutableStat => purpose.of::<MeteredIn<ConcurrentMutableStat, O>>(),
        }
    }
}

/// A lock that an operation takes for reading and then for writing
/// ([`ReadThenWrite`]), by how it is metered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationContender(pub LockContender);

impl Entrant for OperationContender {
    const ALL: &'static [Self] = &[
        Self(LockContender::Unmetered),
        Self(LockContender::MutableStat),
        Self(LockContender::Merged),
        Self(LockContender::ConcurrentMutableStat),
    ];

    fn name(self) -> &'static str {
        self.0.name()
    }

    fn put_to<U: Use>(self, purpose: U) -> U::Output {
        self.0.doing::<ReadThenWrite, U>(purpose)
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
        for &lock in LockContender::ALL {
            let metered = (lock != LockContender::Unmetered).then_some(true);
            assert_eq!(lock.run(&burst, threads).samples_kept(), metered);
            let operation = OperationContender(lock).run(&burst, threads);
            assert_eq!(operation.samples_kept(), metered, "{lock:?}");
        }
    }
}
