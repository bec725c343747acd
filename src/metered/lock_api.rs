//! The locks of `lock_api`, which those of `parking_lot` are.

use ::lock_api::{
    Mutex, MutexGuard, RawMutex, RawMutexTimed, RawRwLock, RawRwLockDowngrade, RawRwLockTimed,
    RawRwLockUpgrade, RawRwLockUpgradeDowngrade, RwLock, RwLockReadGuard,
    RwLockUpgradableReadGuard, RwLockWriteGuard,
};

use super::{Held, Metered};
use crate::interval_stat::IntervalStat;
use crate::lock_metrics::{LockMetrics, LockTimes};

impl<R: RawRwLock, T: ?Sized, S: IntervalStat> Metered<RwLock<R, T>, S> {
    /// Waits for the lock and takes it for reading.
    pub fn read(&self) -> Held<'_, RwLockReadGuard<'_, R, T>, S> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        acquire(metrics, &metrics.read, lock.try_read(), || lock.read())
    }

    /// Takes the lock for reading, unless someone has to be waited for.
    pub fn try_read(&self) -> Option<Held<'_, RwLockReadGuard<'_, R, T>, S>> {
        let metrics = &*self.metrics;
        attempt(metrics, &metrics.read, self.lock.try_read())
    }

    /// Waits for the lock and takes it for writing.
    pub fn write(&self) -> Held<'_, RwLockWriteGuard<'_, R, T>, S> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        acquire(metrics, &metrics.write, lock.try_write(), || lock.write())
    }

    /// Takes the lock for writing, unless someone has to be waited for.
    pub fn try_write(&self) -> Option<Held<'_, RwLockWriteGuard<'_, R, T>, S>> {
        let metrics = &*self.metrics;
        attempt(metrics, &metrics.write, self.lock.try_write())
    }
}

impl<R: RawRwLockTimed, T: ?Sized, S: IntervalStat> Metered<RwLock<R, T>, S> {
    /// Takes the lock for reading, unless it has to be waited for longer than
    /// `timeout`.
    pub fn try_read_for(
        &self,
        timeout: R::Duration,
    ) -> Option<Held<'_, RwLockReadGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        let acquired = metrics
            .read
            .acquire(lock.try_read().ok_or(()), |()| lock.try_read_for(timeout))?;
        Some(Held::new(acquired, metrics))
    }

    /// Takes the lock for writing, unless it has to be waited for longer than
    /// `timeout`.
    pub fn try_write_for(
        &self,
        timeout: R::Duration,
    ) -> Option<Held<'_, RwLockWriteGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        let acquired = metrics
            .write
            .acquire(lock.try_write().ok_or(()), |()| lock.try_write_for(timeout))?;
        Some(Held::new(acquired, metrics))
    }
}

impl<R: RawRwLockUpgrade, T: ?Sized, S: IntervalStat> Metered<RwLock<R, T>, S> {
    /// Waits for the lock and takes it for reading in a way that can become
    /// writing. One thread at a time can.
    pub fn upgradable_read(&self) -> Held<'_, RwLockUpgradableReadGuard<'_, R, T>, S> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        acquire(metrics, &metrics.read, lock.try_upgradable_read(), || {
            lock.upgradable_read()
        })
    }

    /// As [`upgradable_read`](Self::upgradable_read), unless someone has to be
    /// waited for.
    pub fn try_upgradable_read(&self) -> Option<Held<'_, RwLockUpgradableReadGuard<'_, R, T>, S>> {
        let metrics = &*self.metrics;
        attempt(metrics, &metrics.read, self.lock.try_upgradable_read())
    }
}

impl<'a, R: RawRwLockUpgrade, T: ?Sized, S: IntervalStat>
    Held<'a, RwLockUpgradableReadGuard<'a, R, T>, S>
{
    /// Waits for the other readers to leave and goes on writing.
    ///
    /// ```
    /// use interval_stat::metered::{Held, Metered};
    /// use interval_stat::LockMetrics;
    /// use std::sync::Arc;
    ///
    /// let metrics = Arc::new(<LockMetrics>::new());
    /// let lock = Metered::new(parking_lot::RwLock::new(5), Arc::clone(&metrics));
    /// let reading = lock.upgradable_read();
    /// if *reading == 5 {
    ///     *Held::upgrade(reading) = 6;
    /// }
    /// assert!(metrics.read.longest_held().is_some());
    /// assert!(metrics.write.longest_held().is_some());
    /// ```
    pub fn upgrade(held: Self) -> Held<'a, RwLockWriteGuard<'a, R, T>, S> {
        let metrics = held.metrics;
        let attempt = RwLockUpgradableReadGuard::try_upgrade(held.guard);
        let upgraded = metrics.write.acquire(attempt, |reading| {
            Some(RwLockUpgradableReadGuard::upgrade(reading))
        });
        // The read ends here, under the lock that it has become.
        drop(held.held);
        Held::new(upgraded.expect("this wait ends with the lock"), metrics)
    }

    /// Goes on writing, unless another reader has to be waited for.
    ///
    /// # Errors
    ///
    /// The guard, if there is another reader: the read goes on.
    pub fn try_upgrade(held: Self) -> Result<Held<'a, RwLockWriteGuard<'a, R, T>, S>, Self> {
        let Self {
            guard,
            held,
            metrics,
        } = held;
        match RwLockUpgradableReadGuard::try_upgrade(guard) {
            Ok(guard) => {
                drop(held);
                Ok(Held::new((guard, metrics.write.hold()), metrics))
            }
            Err(guard) => Err(Held::new((guard, held), metrics)),
        }
    }
}

impl<'a, R: RawRwLockDowngrade, T: ?Sized, S: IntervalStat>
    Held<'a, RwLockWriteGuard<'a, R, T>, S>
{
    /// Goes on reading, without letting a writer in between.
    ///
    /// ```
    /// use interval_stat::metered::{Held, Metered};
    /// use interval_stat::{Emit, LockMetrics};
    /// use std::sync::Arc;
    ///
    /// let metrics = Arc::new(<LockMetrics>::new());
    /// let lock = Metered::new(parking_lot::RwLock::new(5), Arc::clone(&metrics));
    /// drop(Held::downgrade(lock.write()));
    /// let snapshot = metrics.snapshot(Emit::All);
    /// assert_eq!(snapshot.write_held().unwrap().count, 1);
    /// assert_eq!(snapshot.read_held().unwrap().count, 1);
    /// assert_eq!(snapshot.read_waiting().unwrap().count, 0);
    /// ```
    pub fn downgrade(held: Self) -> Held<'a, RwLockReadGuard<'a, R, T>, S> {
        let guard = RwLockWriteGuard::downgrade(held.guard);
        // The write ends here: other readers are in already.
        drop(held.held);
        Held::new((guard, held.metrics.read.hold()), held.metrics)
    }
}

impl<'a, R: RawRwLockUpgradeDowngrade, T: ?Sized, S: IntervalStat>
    Held<'a, RwLockUpgradableReadGuard<'a, R, T>, S>
{
    /// Lets another thread have the upgradable read; this read goes on.
    ///
    /// ```
    /// use interval_stat::metered::{Held, Metered};
    /// use interval_stat::LockMetrics;
    /// use std::sync::Arc;
    ///
    /// let lock = Metered::new(parking_lot::RwLock::new(5), Arc::new(<LockMetrics>::new()));
    /// let reading = Held::downgrade_upgradable(lock.upgradable_read());
    /// assert!(lock.try_upgradable_read().is_some());
    /// # drop(reading);
    /// ```
    pub fn downgrade_upgradable(held: Self) -> Held<'a, RwLockReadGuard<'a, R, T>, S> {
        Held::map_guard(held, RwLockUpgradableReadGuard::downgrade)
    }
}

impl<R: RawMutex, T: ?Sized, S: IntervalStat> Metered<Mutex<R, T>, S> {
    /// Waits for the lock and takes it.
    pub fn lock(&self) -> Held<'_, MutexGuard<'_, R, T>, S> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        acquire(metrics, &metrics.write, lock.try_lock(), || lock.lock())
    }

    /// Takes the lock, unless someone has to be waited for.
    pub fn try_lock(&self) -> Option<Held<'_, MutexGuard<'_, R, T>, S>> {
        let metrics = &*self.metrics;
        attempt(metrics, &metrics.write, self.lock.try_lock())
    }
}

impl<R: RawMutexTimed, T: ?Sized, S: IntervalStat> Metered<Mutex<R, T>, S> {
    /// Takes the lock, unless it has to be waited for longer than `timeout`.
    pub fn try_lock_for(&self, timeout: R::Duration) -> Option<Held<'_, MutexGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        let acquired = metrics
            .write
            .acquire(lock.try_lock().ok_or(()), |()| lock.try_lock_for(timeout))?;
        Some(Held::new(acquired, metrics))
    }
}

fn acquire<'a, G, S: IntervalStat>(
    metrics: &'a LockMetrics<S>,
    times: &'a LockTimes<S>,
    attempt: Option<G>,
    wait: impl FnOnce() -> G,
) -> Held<'a, G, S> {
    let acquired = times.acquire(attempt.ok_or(()), |()| Some(wait()));
    Held::new(acquired.expect("this wait ends with the lock"), metrics)
}

fn attempt<'a, G, S: IntervalStat>(
    metrics: &'a LockMetrics<S>,
    times: &'a LockTimes<S>,
    attempt: Option<G>,
) -> Option<Held<'a, G, S>> {
    attempt.map(|guard| Held::new((guard, times.hold()), metrics))
}
