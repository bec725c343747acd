//! The locks of `std`.

#![forbid(unsafe_code)]

use std::sync::{
    LockResult, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
    TryLockError, TryLockResult,
};

use super::{Held, Metered};
use crate::interval_stat::IntervalStat;
use crate::lock_metrics::{LockMetrics, LockTimes};

impl<T: ?Sized, S: IntervalStat> Metered<RwLock<T>, S> {
    /// Waits for the lock and takes it for reading.
    ///
    /// # Errors
    ///
    /// If it is poisoned, with the guard.
    ///
    /// # Panics
    ///
    /// As [`RwLock::read`].
    pub fn read(&self) -> LockResult<Held<'_, RwLockReadGuard<'_, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        acquire(metrics, &metrics.read, lock.try_read(), || lock.read())
    }

    /// Takes the lock for reading if no one has to be waited for.
    ///
    /// # Errors
    ///
    /// If it is not free, or if it is poisoned, then with the guard.
    pub fn try_read(&self) -> TryLockResult<Held<'_, RwLockReadGuard<'_, T>, S>> {
        let metrics = &*self.metrics;
        attempt(metrics, &metrics.read, self.lock.try_read())
    }

    /// Waits for the lock and takes it for writing.
    ///
    /// # Errors
    ///
    /// If it is poisoned, with the guard.
    ///
    /// # Panics
    ///
    /// As [`RwLock::write`].
    pub fn write(&self) -> LockResult<Held<'_, RwLockWriteGuard<'_, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        acquire(metrics, &metrics.write, lock.try_write(), || lock.write())
    }

    /// Takes the lock for writing if no one has to be waited for.
    ///
    /// # Errors
    ///
    /// If it is not free, or if it is poisoned, then with the guard.
    pub fn try_write(&self) -> TryLockResult<Held<'_, RwLockWriteGuard<'_, T>, S>> {
        let metrics = &*self.metrics;
        attempt(metrics, &metrics.write, self.lock.try_write())
    }

    /// Whether a holder panicked; see [`RwLock::is_poisoned`].
    pub fn is_poisoned(&self) -> bool {
        self.lock.is_poisoned()
    }

    /// Says that the value is in order again; see [`RwLock::clear_poison`].
    pub fn clear_poison(&self) {
        self.lock.clear_poison();
    }
}

impl<T: ?Sized, S: IntervalStat> Metered<Mutex<T>, S> {
    /// Waits for the lock and takes it.
    ///
    /// # Errors
    ///
    /// If it is poisoned, with the guard.
    ///
    /// # Panics
    ///
    /// As [`Mutex::lock`].
    pub fn lock(&self) -> LockResult<Held<'_, MutexGuard<'_, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        acquire(metrics, &metrics.write, lock.try_lock(), || lock.lock())
    }

    /// Takes the lock if no one has to be waited for.
    ///
    /// # Errors
    ///
    /// If it is not free, or if it is poisoned, then with the guard.
    pub fn try_lock(&self) -> TryLockResult<Held<'_, MutexGuard<'_, T>, S>> {
        let metrics = &*self.metrics;
        attempt(metrics, &metrics.write, self.lock.try_lock())
    }

    /// Whether a holder panicked; see [`Mutex::is_poisoned`].
    pub fn is_poisoned(&self) -> bool {
        self.lock.is_poisoned()
    }

    /// Says that the value is in order again; see [`Mutex::clear_poison`].
    pub fn clear_poison(&self) {
        self.lock.clear_poison();
    }
}

fn acquire<'a, G, S: IntervalStat>(
    metrics: &'a LockMetrics<S>,
    times: &'a LockTimes<S>,
    attempt: TryLockResult<G>,
    wait: impl FnOnce() -> LockResult<G>,
) -> LockResult<Held<'a, G, S>> {
    let attempt = match attempt {
        Ok(guard) => Ok(Ok(guard)),
        Err(TryLockError::Poisoned(poisoned)) => Ok(Err(poisoned)),
        Err(TryLockError::WouldBlock) => Err(()),
    };
    let acquired = times.acquire(attempt, |()| Some(wait()));
    let (guard, held) = acquired.expect("this wait ends with the lock");
    let poisoned = guard.is_err();
    let guard = guard.unwrap_or_else(PoisonError::into_inner);
    let held = Held::new((guard, held), metrics);
    if poisoned {
        Err(PoisonError::new(held))
    } else {
        Ok(held)
    }
}

fn attempt<'a, G, S: IntervalStat>(
    metrics: &'a LockMetrics<S>,
    times: &'a LockTimes<S>,
    attempt: TryLockResult<G>,
) -> TryLockResult<Held<'a, G, S>> {
    let held = |guard| Held::new((guard, times.hold()), metrics);
    attempt.map(held).map_err(|error| match error {
        TryLockError::Poisoned(poisoned) => PoisonError::new(held(poisoned.into_inner())).into(),
        TryLockError::WouldBlock => TryLockError::WouldBlock,
    })
}
