//! Locks that record how long they are waited for and held.
//!
//! [`Metered`] wraps any read-write lock or mutex of `std`, and with feature
//! `lock_api` any one of `lock_api` (which those of `parking_lot` are). It has the
//! methods of the lock that it wraps; the guards are that lock's own, inside a
//! [`Held`].
//!
//! What is recorded in the [`LockMetrics`]:
//!
//! | event | waiting time | held time |
//! | --- | --- | --- |
//! | acquired at once | 0 | from here on |
//! | acquired after a wait, with or without a timeout | the wait | from here on |
//! | acquired by a `try_` | none: it cannot wait | from here on |
//! | a `try_` that fails, a wait that times out | none: nothing was acquired | none |
//! | acquired, and found poisoned | as any | as any |
//! | dropped, by a panic too | | recorded, after the unlock |
//! | leaked (`mem::forget`) | | none: it is never released |
//! | sent to another thread, where the guard allows it | | recorded by that one |
//! | waits for a condition ([`Held::wait`]) | none: it cannot be told from the wait for the condition | up to the wait recorded; from its end on |
//! | downgrade | none: it cannot wait | of writing recorded; of reading from here on |
//! | upgradable read | as a read | as a read |
//! | its upgrade | the wait for readers to leave, as a write | of reading recorded; of writing from here on |
//!
//! So the waiting times count the blocking acquisitions, and the held times all
//! acquisitions that were released. What never acquires the lock does not show:
//! mind it where timeouts are frequent, since the longest waits are then those
//! missing.
//!
//! A held time is recorded after the unlock: the statistic lengthens nobody's
//! wait. (Where the lock is not released at once, by an upgrade or the wait for a
//! condition, it is recorded under the lock.) A waiting time is recorded on acquisition, so that it shows while the
//! lock is held; with a wait-free statistic that takes a few nanoseconds. A lock
//! that is free costs two reads of the clock, one that is not costs three.
//!
//! Condition variables, of `std` and of `parking_lot`, work with [`Held::wait`];
//! whatever else asks for the guard itself, with [`Held::map_guard`] and
//! [`Metered::unmetered`].

#![forbid(unsafe_code)]

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Instant;

use crate::concurrent_mutable_stat::ConcurrentMutableStat;
use crate::interval_stat::IntervalStat;
use crate::lock_metrics::LockMetrics;
use crate::rate::Timer;

#[cfg(feature = "lock_api")]
mod lock_api;
mod std_sync;

/// A lock, and where it records how long it is waited for and held.
///
/// Several locks may share the metrics.
///
/// # Examples
///
/// ```
/// use interval_stat::metered::Metered;
/// use interval_stat::{Emit, Interval, LockMetrics};
/// use std::sync::{Arc, RwLock};
///
/// let metrics = Arc::new(<LockMetrics>::new());
/// let lock = Metered::new(RwLock::new(5), Arc::clone(&metrics));
/// *lock.write().unwrap() += 1;
/// assert_eq!(*lock.read().unwrap(), 6);
///
/// let snapshot = metrics.snapshot(Emit::Changed);
/// assert_eq!(snapshot.read_held().unwrap().count, 1);
/// assert_eq!(snapshot.write_waiting().unwrap().interval.max(), Some(0));
/// ```
pub struct Metered<L: ?Sized, S = ConcurrentMutableStat> {
    metrics: Arc<LockMetrics<S>>,
    lock: L,
}

impl<L, S> Metered<L, S> {
    /// Meters `lock` in `metrics`.
    pub fn new(lock: L, metrics: Arc<LockMetrics<S>>) -> Self {
        Self { metrics, lock }
    }

    /// The lock, no longer metered.
    pub fn into_unmetered(self) -> L {
        self.lock
    }
}

impl<L: ?Sized, S> Metered<L, S> {
    /// The lock itself: what is done with it is not recorded.
    ///
    /// ```
    /// use interval_stat::LockMetrics;
    /// use interval_stat::metered::Metered;
    /// use std::sync::{Arc, Mutex};
    ///
    /// let lock = Metered::new(Mutex::new(5), Arc::new(<LockMetrics>::new()));
    /// drop(lock.unmetered().lock());
    /// assert_eq!(lock.metrics().write.longest_held(), None);
    /// ```
    pub fn unmetered(&self) -> &L {
        &self.lock
    }

    /// As [`unmetered`](Self::unmetered), for what takes `&mut`.
    pub fn unmetered_mut(&mut self) -> &mut L {
        &mut self.lock
    }

    /// Where it records.
    pub fn metrics(&self) -> &Arc<LockMetrics<S>> {
        &self.metrics
    }
}

impl<L: fmt::Debug + ?Sized, S> fmt::Debug for Metered<L, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Metered").field(&&self.lock).finish()
    }
}

/// The guard `G` of a [`Metered`] lock. Its drop unlocks, then records how long
/// the lock was held.
///
/// It goes where its guard may go: it is `Send` if `G` is.
///
/// # Examples
///
/// ```
/// use interval_stat::metered::{Held, Metered};
/// use interval_stat::LockMetrics;
/// use std::sync::{Arc, Mutex, MutexGuard};
///
/// fn push(mut list: Held<'_, MutexGuard<'_, Vec<u8>>>) {
///     list.push(1);
/// }
/// let lock = Metered::new(Mutex::new(Vec::new()), Arc::new(<LockMetrics>::new()));
/// push(lock.lock().unwrap());
/// assert!(lock.metrics().write.longest_held().is_some());
/// ```
#[must_use = "dropping it unlocks"]
pub struct Held<'a, G, S: IntervalStat = ConcurrentMutableStat> {
    // Dropped before the timer: the lock is released when the timer records.
    guard: G,
    held: Timer<'a, S>,
    metrics: &'a LockMetrics<S>,
}

impl<'a, G, S: IntervalStat> Held<'a, G, S> {
    fn new((guard, held): (G, Timer<'a, S>), metrics: &'a LockMetrics<S>) -> Self {
        Self {
            guard,
            held,
            metrics,
        }
    }

    /// Turns the guard into another one of the same hold, which goes on, as by
    /// `MutexGuard::map`.
    ///
    /// If `map` panics, the lock may be released before the time held is
    /// recorded, or after it, as `map` has it.
    ///
    /// ```
    /// use interval_stat::LockMetrics;
    /// use interval_stat::metered::{Held, Metered};
    /// use std::sync::{Arc, Mutex};
    ///
    /// let lock = Metered::new(Mutex::new(5), Arc::new(<LockMetrics>::new()));
    /// let held = Held::map_guard(lock.lock().unwrap(), |guard| (guard, "in use"));
    /// drop(held);
    /// assert!(lock.metrics().write.longest_held().is_some());
    /// ```
    pub fn map_guard<H>(held: Self, map: impl FnOnce(G) -> H) -> Held<'a, H, S> {
        let Self {
            guard,
            held,
            metrics,
        } = held;
        Held::new((map(guard), held), metrics)
    }
}

impl<'a, G, S: IntervalStat> Held<'a, G, S> {
    /// Waits, by `wait`, in which the lock is released and taken again, as by a
    /// condition variable. The time held up to there is recorded, another one
    /// begins at the end of the wait.
    ///
    /// ```
    /// use interval_stat::LockMetrics;
    /// use interval_stat::metered::{Held, Metered};
    /// use std::sync::{Arc, Condvar, Mutex};
    /// use std::thread;
    ///
    /// let lock = Metered::new(Mutex::new(false), Arc::new(<LockMetrics>::new()));
    /// let changed = Condvar::new();
    /// thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         *lock.lock().unwrap() = true;
    ///         changed.notify_one();
    ///     });
    ///     let held = Held::wait(lock.lock().unwrap(), |guard| {
    ///         changed.wait_while(guard, |ready| !*ready).unwrap()
    ///     });
    ///     assert!(*held);
    /// });
    /// ```
    ///
    /// The condition variables of `parking_lot` wait by a reference:
    /// `Held::wait(held, |mut guard| { changed.wait(&mut guard); guard })`.
    pub fn wait<H>(held: Self, wait: impl FnOnce(G) -> H) -> Held<'a, H, S> {
        let Self {
            guard,
            held,
            metrics,
        } = held;
        let stat = held.stat();
        drop(held);
        let guard = wait(guard);
        Held::new((guard, Timer::since(stat, Instant::now())), metrics)
    }
}

impl<G: Deref, S: IntervalStat> Deref for Held<'_, G, S> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut, S: IntervalStat> DerefMut for Held<'_, G, S> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

impl<G: fmt::Debug, S: IntervalStat> fmt::Debug for Held<'_, G, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.guard.fmt(f)
    }
}

impl<G: fmt::Display, S: IntervalStat> fmt::Display for Held<'_, G, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.guard.fmt(f)
    }
}
