//! The locks of `lock_api`, which those of `parking_lot` are.

#![forbid(unsafe_code)]

use ::lock_api::{
    Mutex, MutexGuard, RawMutex, RawMutexTimed, RawRwLock, RawRwLockDowngrade, RawRwLockTimed,
    RawRwLockUpgrade, RawRwLockUpgradeDowngrade, RawRwLockUpgradeTimed, RwLock, RwLockReadGuard,
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
        in_time(metrics, &metrics.read, lock.try_read(), || {
            lock.try_read_for(timeout)
        })
    }

    /// Takes the lock for reading, unless it has to be waited for until after
    /// `deadline`.
    pub fn try_read_until(
        &self,
        deadline: R::Instant,
    ) -> Option<Held<'_, RwLockReadGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        in_time(metrics, &metrics.read, lock.try_read(), || {
            lock.try_read_until(deadline)
        })
    }

    /// Takes the lock for writing, unless it has to be waited for longer than
    /// `timeout`.
    pub fn try_write_for(
        &self,
        timeout: R::Duration,
    ) -> Option<Held<'_, RwLockWriteGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        in_time(metrics, &metrics.write, lock.try_write(), || {
            lock.try_write_for(timeout)
        })
    }

    /// Takes the lock for writing, unless it has to be waited for until after
    /// `deadline`.
    pub fn try_write_until(
        &self,
        deadline: R::Instant,
    ) -> Option<Held<'_, RwLockWriteGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        in_time(metrics, &metrics.write, lock.try_write(), || {
            lock.try_write_until(deadline)
        })
    }
}

impl<R: RawRwLockUpgradeTimed, T: ?Sized, S: IntervalStat> Metered<RwLock<R, T>, S> {
    /// As [`upgradable_read`](Self::upgradable_read), unless the lock has to be
    /// waited for longer than `timeout`.
    pub fn try_upgradable_read_for(
        &self,
        timeout: R::Duration,
    ) -> Option<Held<'_, RwLockUpgradableReadGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        in_time(metrics, &metrics.read, lock.try_upgradable_read(), || {
            lock.try_upgradable_read_for(timeout)
        })
    }

    /// As [`upgradable_read`](Self::upgradable_read), unless the lock has to be
    /// waited for until after `deadline`.
    pub fn try_upgradable_read_until(
        &self,
        deadline: R::Instant,
    ) -> Option<Held<'_, RwLockUpgradableReadGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        in_time(metrics, &metrics.read, lock.try_upgradable_read(), || {
            lock.try_upgradable_read_until(deadline)
        })
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
        let upgraded = Self::upgrade_by(held, |reading| {
            Ok(RwLockUpgradableReadGuard::upgrade(reading))
        });
        upgraded.unwrap_or_else(|_| unreachable!("this wait ends with the lock"))
    }

    /// Upgrades at once, or else by `wait`, which may give the guard back.
    fn upgrade_by(
        held: Self,
        wait: impl FnOnce(
            RwLockUpgradableReadGuard<'a, R, T>,
        )
            -> Result<RwLockWriteGuard<'a, R, T>, RwLockUpgradableReadGuard<'a, R, T>>,
    ) -> Result<Held<'a, RwLockWriteGuard<'a, R, T>, S>, Self> {
        let Self {
            guard,
            held,
            metrics,
        } = held;
        let attempt = RwLockUpgradableReadGuard::try_upgrade(guard);
        let mut given_back = None;
        let upgraded = metrics.write.acquire(attempt, |reading| {
            wait(reading)
                .map_err(|reading| given_back = Some(reading))
                .ok()
        });
        match (upgraded, given_back) {
            (None, Some(reading)) => Err(Held::new((reading, held), metrics)),
            (upgraded, _) => {
                // The read ends here, under the lock that it has become.
                drop(held);
                let upgraded = upgraded.expect("what is not given back is upgraded");
                Ok(Held::new(upgraded, metrics))
            }
        }
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

impl<'a, R: RawRwLockUpgradeTimed, T: ?Sized, S: IntervalStat>
    Held<'a, RwLockUpgradableReadGuard<'a, R, T>, S>
{
    /// Goes on writing, unless other readers have to be waited for longer than
    /// `timeout`.
    ///
    /// # Errors
    ///
    /// The guard, if there still are other readers: the read goes on.
    pub fn try_upgrade_for(
        held: Self,
        timeout: R::Duration,
    ) -> Result<Held<'a, RwLockWriteGuard<'a, R, T>, S>, Self> {
        Self::upgrade_by(held, |reading| {
            RwLockUpgradableReadGuard::try_upgrade_for(reading, timeout)
        })
    }

    /// Goes on writing, unless other readers have to be waited for until after
    /// `deadline`.
    ///
    /// # Errors
    ///
    /// The guard, if there still are other readers: the read goes on.
    pub fn try_upgrade_until(
        held: Self,
        deadline: R::Instant,
    ) -> Result<Held<'a, RwLockWriteGuard<'a, R, T>, S>, Self> {
        Self::upgrade_by(held, |reading| {
            RwLockUpgradableReadGuard::try_upgrade_until(reading, deadline)
        })
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
        in_time(metrics, &metrics.write, lock.try_lock(), || {
            lock.try_lock_for(timeout)
        })
    }

    /// Takes the lock, unless it has to be waited for until after `deadline`.
    pub fn try_lock_until(
        &self,
        deadline: R::Instant,
    ) -> Option<Held<'_, MutexGuard<'_, R, T>, S>> {
        let (metrics, lock) = (&*self.metrics, &self.lock);
        in_time(metrics, &metrics.write, lock.try_lock(), || {
            lock.try_lock_until(deadline)
        })
    }
}

fn acquire<'a, G, S: IntervalStat>(
    metrics: &'a LockMetrics<S>,
    times: &'a LockTimes<S>,
    attempt: Option<G>,
    wait: impl FnOnce() -> G,
) -> Held<'a, G, S> {
    let acquired = in_time(metrics, times, attempt, || Some(wait()));
    acquired.expect("this wait ends with the lock")
}

/// Acquires by the attempt, or else by a wait that may end without the lock.
fn in_time<'a, G, S: IntervalStat>(
    metrics: &'a LockMetrics<S>,
    times: &'a LockTimes<S>,
    attempt: Option<G>,
    wait: impl FnOnce() -> Option<G>,
) -> Option<Held<'a, G, S>> {
    let acquired = times.acquire(attempt.ok_or(()), |()| wait())?;
    Some(Held::new(acquired, metrics))
}

fn attempt<'a, G, S: IntervalStat>(
    metrics: &'a LockMetrics<S>,
    times: &'a LockTimes<S>,
    attempt: Option<G>,
) -> Option<Held<'a, G, S>> {
    attempt.map(|guard| Held::new((guard, times.hold()), metrics))
}
