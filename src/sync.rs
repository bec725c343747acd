//! Locks whose metering is a feature of the build.
//!
//! With feature `metering` they are [`Metered`](crate::metered::Metered) locks
//! that record in the metrics given to them. Without it these are other names
//! for the plain locks, which cost nothing. Code that uses
//! [`mutex`], [`rw_lock`] and the methods that both have compiles either way.
//!
//! The locks of `parking_lot` are in `sync::parking_lot`, with the feature of that
//! name.
//!
//! # Examples
//!
//! ```
//! use interval_stat::{LockMetrics, sync};
//! use std::sync::Arc;
//!
//! let metrics = Arc::new(<LockMetrics>::new());
//! let lock: sync::RwLock<i32> = sync::rw_lock(5, &metrics);
//! *lock.write().unwrap() += 1;
//! assert_eq!(*lock.read().unwrap(), 6);
//! assert_eq!(metrics.read.longest_held().is_some(), cfg!(feature = "metering"));
//! ```

#![forbid(unsafe_code)]

use std::sync::Arc;

use crate::lock_metrics::LockMetrics;

/// Makes, in the module it is called in, the names for the locks of `$plain` and
/// what makes those locks.
macro_rules! locks {
    ($($plain:ident)::+) => {
        /// A mutex.
        #[cfg(feature = "metering")]
        pub type Mutex<T> = $crate::metered::Metered<$($plain)::+::Mutex<T>>;
        /// The guard of a mutex.
        #[cfg(feature = "metering")]
        pub type MutexGuard<'a, T> = $crate::metered::Held<'a, $($plain)::+::MutexGuard<'a, T>>;
        /// A read-write lock.
        #[cfg(feature = "metering")]
        pub type RwLock<T> = $crate::metered::Metered<$($plain)::+::RwLock<T>>;
        /// The guard of a read-write lock taken for reading.
        #[cfg(feature = "metering")]
        pub type RwLockReadGuard<'a, T> = $crate::metered::Held<'a, $($plain)::+::RwLockReadGuard<'a, T>>;
        /// The guard of a read-write lock taken for writing.
        #[cfg(feature = "metering")]
        pub type RwLockWriteGuard<'a, T> = $crate::metered::Held<'a, $($plain)::+::RwLockWriteGuard<'a, T>>;

        #[cfg(not(feature = "metering"))]
        pub use $($plain)::+::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

        /// A mutex around `value` that records in `metrics`, if at all.
        pub fn mutex<T>(value: T, metrics: &Arc<LockMetrics>) -> Mutex<T> {
            meter($($plain)::+::Mutex::new(value), metrics)
        }

        /// A read-write lock around `value` that records in `metrics`, if at
        /// all.
        pub fn rw_lock<T>(value: T, metrics: &Arc<LockMetrics>) -> RwLock<T> {
            meter($($plain)::+::RwLock::new(value), metrics)
        }
    };
}

locks!(std::sync);

/// The locks of the crate `parking_lot`, metered or not.
///
/// # Examples
///
/// ```
/// use interval_stat::{LockMetrics, sync};
/// use std::sync::Arc;
///
/// let lock = sync::parking_lot::mutex(5, &Arc::new(<LockMetrics>::new()));
/// assert_eq!(*lock.lock(), 5);
/// ```
#[cfg(feature = "parking_lot")]
pub mod parking_lot {
    use super::{Arc, LockMetrics, meter};

    use ::parking_lot as plain;
    locks!(plain);
}

#[cfg(feature = "metering")]
fn meter<L>(lock: L, metrics: &Arc<LockMetrics>) -> crate::metered::Metered<L> {
    crate::metered::Metered::new(lock, Arc::clone(metrics))
}

#[cfg(not(feature = "metering"))]
fn meter<L>(lock: L, _metrics: &Arc<LockMetrics>) -> L {
    lock
}

/// Compiles only if the unmetered locks are the plain ones.
#[cfg(all(test, not(feature = "metering")))]
mod tests {
    #[test]
    fn unmetered_locks_are_the_plain_ones() {
        let metrics = super::Arc::new(<super::LockMetrics>::new());
        let _: std::sync::Mutex<u8> = super::mutex(1, &metrics);
        let _: std::sync::RwLock<u8> = super::rw_lock(1, &metrics);
        #[cfg(feature = "parking_lot")]
        let _: ::parking_lot::RwLock<u8> = super::parking_lot::rw_lock(1, &metrics);
    }
}
