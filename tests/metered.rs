//! The metered locks, end to end: what each way to take and to leave a lock
//! records.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, RwLock, TryLockError, mpsc};
use std::thread;
use std::time::Duration;

use interval_stat::metered::{Held, Metered};
use interval_stat::{Emit, Interval, IntervalStat, LockMetrics, LockTimes, MutableStat, Rate};

const SLEEP: Duration = Duration::from_millis(2);

fn metered<L>(lock: L) -> (Metered<L>, Arc<LockMetrics>) {
    let metrics = Arc::new(LockMetrics::new());
    (Metered::new(lock, Arc::clone(&metrics)), metrics)
}

fn count<S: IntervalStat>(rate: &Rate<S>) -> u64 {
    rate.snapshot(Emit::All).expect("all were asked for").count
}

/// How many waits and how many holds were recorded.
fn counts<S: IntervalStat>(times: &LockTimes<S>) -> (u64, u64) {
    (count(&times.waiting), count(&times.held))
}

/// Runs `body` while another thread is in `hold`, which calls its argument when
/// it is to be waited for.
fn beside(hold: impl FnOnce(&dyn Fn()) + Send, body: impl FnOnce()) {
    let (holds, is_held) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || hold(&|| holds.send(()).expect("the test listens")));
        is_held.recv().expect("the holder tells");
        body();
    });
}

/// Many threads, a reporter beside them: the intervals add up to the
/// acquisitions, exactly, and no hold is shorter than the sleep inside.
fn every_acquisition_is_counted<S: IntervalStat + From<interval_stat::Labels> + 'static>() {
    const THREADS: u64 = 8;
    const ROUNDS: u64 = 20;
    let metrics = Arc::new(LockMetrics::<S>::new());
    let lock = Metered::new(RwLock::new(0), Arc::clone(&metrics));
    let waited = AtomicU64::new(0);
    let held = AtomicU64::new(0);
    let report = || {
        let snapshot = metrics.snapshot(Emit::All);
        for statistic in [snapshot.read_waiting(), snapshot.write_waiting()] {
            waited.fetch_add(statistic.unwrap().interval.count(), Relaxed);
        }
        for statistic in [snapshot.read_held(), snapshot.write_held()] {
            let interval = &statistic.unwrap().interval;
            held.fetch_add(interval.count(), Relaxed);
            assert!(
                interval
                    .min()
                    .is_none_or(|min| min >= SLEEP.as_nanos() as i64)
            );
        }
    };
    thread::scope(|scope| {
        for writes in [true, false].into_iter().cycle().take(THREADS as usize) {
            let lock = &lock;
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    if writes {
                        let mut value = lock.write().unwrap();
                        thread::sleep(SLEEP);
                        *value += 1;
                    } else {
                        let _value = lock.read().unwrap();
                        thread::sleep(SLEEP);
                    }
                }
            });
        }
        scope.spawn(|| {
            (0..20).for_each(|_| {
                report();
                thread::sleep(SLEEP);
            })
        });
    });
    report();
    assert_eq!(
        (waited.into_inner(), held.into_inner()),
        (THREADS * ROUNDS, THREADS * ROUNDS)
    );
    assert_eq!(
        counts(&metrics.read),
        (THREADS / 2 * ROUNDS, THREADS / 2 * ROUNDS)
    );
    assert_eq!(
        counts(&metrics.write),
        (THREADS / 2 * ROUNDS, THREADS / 2 * ROUNDS)
    );
    assert_eq!(*lock.read().unwrap(), THREADS / 2 * ROUNDS);
}

#[test]
fn every_acquisition_is_counted_without_a_lock() {
    every_acquisition_is_counted::<interval_stat::ConcurrentMutableStat>();
}

#[test]
fn every_acquisition_is_counted_behind_a_lock() {
    every_acquisition_is_counted::<MutableStat>();
}

#[test]
fn a_free_lock_is_not_waited_for() {
    let (lock, metrics) = metered(RwLock::new(()));
    drop(lock.read());
    drop(lock.write());
    assert_eq!(metrics.read.longest_waiting(), Some(Duration::ZERO));
    assert_eq!(metrics.write.longest_waiting(), Some(Duration::ZERO));
}

#[test]
fn a_wait_is_as_long_as_the_hold_before_it() {
    let (lock, metrics) = metered(Mutex::new(()));
    let hold = |tell: &dyn Fn()| {
        let _held = lock.lock();
        tell();
        thread::sleep(10 * SLEEP);
    };
    beside(hold, || drop(lock.lock()));
    assert!(metrics.write.longest_waiting() > Some(SLEEP));
    assert!(metrics.write.longest_held() >= Some(10 * SLEEP));
}

#[test]
fn a_try_never_waits() {
    let (lock, metrics) = metered(RwLock::new(()));
    let reading = lock.try_read().unwrap();
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    drop(reading);
    drop(lock.try_write());
    assert_eq!(counts(&metrics.read), (0, 1));
    assert_eq!(counts(&metrics.write), (0, 1));
}

#[test]
fn a_hold_is_recorded_after_the_unlock() {
    /// Says, when it is dropped, whether its lock's hold was recorded by then.
    struct Probe<'a>(&'a LockMetrics, &'a mut Option<u64>);
    impl Drop for Probe<'_> {
        fn drop(&mut self) {
            *self.1 = Some(count(&self.0.write.held));
        }
    }
    let (lock, metrics) = metered(Mutex::new(()));
    let mut recorded = None;
    let held = Held::map_guard(lock.lock().unwrap(), |guard| {
        (guard, Probe(&metrics, &mut recorded))
    });
    drop(held);
    assert_eq!(recorded, Some(0));
    assert_eq!(count(&metrics.write.held), 1);
}

#[test]
fn a_panic_poisons_and_is_recorded() {
    let (lock, metrics) = metered(RwLock::new(1));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut value = lock.write().unwrap();
        *value = 2;
        panic!("while holding");
    }));
    assert!(panicked.is_err());
    assert_eq!(counts(&metrics.write), (1, 1));
    assert!(lock.is_poisoned());

    let poisoned = lock.read().unwrap_err();
    assert_eq!(**poisoned.get_ref(), 2);
    drop(poisoned);
    assert!(matches!(lock.try_write(), Err(TryLockError::Poisoned(_))));
    assert_eq!(counts(&metrics.read), (1, 1));
    assert_eq!(counts(&metrics.write), (1, 2));
    lock.clear_poison();
    assert_eq!(*lock.read().unwrap(), 2);
}

#[test]
fn a_leaked_guard_holds_the_lock_and_records_nothing() {
    let (lock, metrics) = metered(Mutex::new(()));
    std::mem::forget(lock.lock());
    assert_eq!(counts(&metrics.write), (1, 0));
    assert!(lock.try_lock().is_err());
}

#[test]
fn a_guard_goes_where_the_lock_lets_it() {
    fn is_send<T: Send>(held: T) -> T {
        held
    }
    let (lock, metrics) = metered(Mutex::new(()));
    // Nothing in `Held` ties it to a thread but its guard.
    let held = Held::map_guard(lock.lock().unwrap(), drop);
    let held = is_send(held);
    thread::scope(|scope| {
        scope.spawn(move || drop(held));
    });
    assert_eq!(counts(&metrics.write), (1, 1));
}

/// The time in which the lock is released is no time held.
#[test]
fn a_wait_for_a_condition_ends_a_hold_and_begins_another() {
    let (lock, metrics) = metered(Mutex::new(false));
    let changed = Condvar::new();
    thread::scope(|scope| {
        let mut held = lock.lock().unwrap();
        scope.spawn(|| {
            *lock.lock().unwrap() = true;
            changed.notify_one();
        });
        held = Held::wait(held, |guard| changed.wait_while(guard, |is| !*is).unwrap());
        assert!(*held);
    });
    assert_eq!(counts(&metrics.write), (2, 3));
}

#[test]
fn locks_can_share_metrics() {
    let metrics = Arc::new(<LockMetrics>::new());
    let locks = [(); 3].map(|()| Metered::new(Mutex::new(0), Arc::clone(&metrics)));
    locks.iter().for_each(|lock| *lock.lock().unwrap() += 1);
    assert_eq!(counts(&metrics.write), (3, 3));
}

#[cfg(feature = "parking_lot")]
mod parking_lot {
    use super::{Duration, Held, LockMetrics, SLEEP, beside, counts, metered, thread};
    use parking_lot::{Condvar, Mutex, RwLock};
    use std::time::Instant;

    #[test]
    fn a_timeout_acquires_nothing() {
        let (lock, metrics) = metered(RwLock::new(()));
        let lock = &lock;
        let writing = lock.write();
        thread::scope(|scope| {
            scope.spawn(|| assert!(lock.try_read_for(SLEEP).is_none()));
            scope.spawn(|| assert!(lock.try_write_for(SLEEP).is_none()));
            scope.spawn(|| assert!(lock.try_upgradable_read_for(SLEEP).is_none()));
            let deadline = Instant::now() + SLEEP;
            scope.spawn(move || assert!(lock.try_read_until(deadline).is_none()));
            scope.spawn(move || assert!(lock.try_write_until(deadline).is_none()));
            scope.spawn(move || assert!(lock.try_upgradable_read_until(deadline).is_none()));
        });
        drop(writing);
        assert_eq!(counts(&metrics.read), (0, 0));
        assert_eq!(counts(&metrics.write), (1, 1));
    }

    #[test]
    fn a_wait_in_time_is_a_wait() {
        let (lock, metrics) = metered(Mutex::new(()));
        let hold = |tell: &dyn Fn()| {
            let _held = lock.lock();
            tell();
            thread::sleep(10 * SLEEP);
        };
        beside(hold, || {
            assert!(lock.try_lock_for(Duration::from_secs(60)).is_some())
        });
        assert!(metrics.write.longest_waiting() > Some(SLEEP));
        assert_eq!(counts(&metrics.write), (2, 2));
        let deadline = Instant::now() + Duration::from_secs(60);
        beside(hold, || assert!(lock.try_lock_until(deadline).is_some()));
        assert_eq!(counts(&metrics.write), (4, 4));
    }

    #[test]
    fn an_upgrade_in_time_is_a_wait_and_a_late_one_goes_on_reading() {
        let (lock, metrics) = metered(RwLock::new(1));
        let hold = |tell: &dyn Fn()| {
            let _reading = lock.read();
            tell();
            thread::sleep(10 * SLEEP);
        };
        let reading = lock.read();
        let upgradable = lock.upgradable_read();
        let upgradable = Held::try_upgrade_for(upgradable, SLEEP).expect_err("there is a reader");
        let deadline = Instant::now() + SLEEP;
        let upgradable =
            Held::try_upgrade_until(upgradable, deadline).expect_err("there is a reader");
        assert_eq!(
            (counts(&metrics.read), counts(&metrics.write)),
            ((2, 0), (0, 0))
        );
        drop((reading, upgradable));
        beside(hold, || {
            let upgradable = lock.upgradable_read();
            let writing = Held::try_upgrade_for(upgradable, Duration::from_secs(60));
            *writing.expect("the reader leaves") += 1;
        });
        assert_eq!(
            (counts(&metrics.read), counts(&metrics.write)),
            ((4, 4), (1, 1))
        );
    }

    #[test]
    fn a_condition_is_waited_for() {
        let (lock, metrics) = metered(Mutex::new(false));
        let changed = Condvar::new();
        thread::scope(|scope| {
            let held = lock.lock();
            scope.spawn(|| {
                *lock.lock() = true;
                changed.notify_one();
            });
            let held = Held::wait(held, |mut guard| {
                changed.wait_while(&mut guard, |is| !*is);
                guard
            });
            assert!(*held);
        });
        assert_eq!(counts(&metrics.write), (2, 3));
    }

    #[test]
    fn a_failed_try_records_nothing() {
        let (lock, metrics) = metered(RwLock::new(()));
        let writing = lock.write();
        assert!(lock.try_read().is_none());
        assert!(lock.try_upgradable_read().is_none());
        drop(writing);
        assert_eq!(counts(&metrics.read), (0, 0));
    }

    #[test]
    fn a_downgrade_ends_the_write_and_waits_for_nobody() {
        let (lock, metrics) = metered(RwLock::new(()));
        let writing = lock.write();
        thread::sleep(SLEEP);
        let reading = Held::downgrade(writing);
        assert!(metrics.write.longest_held() >= Some(SLEEP));
        assert!(lock.try_read().is_some(), "others read beside it");
        drop(reading);
        assert_eq!(counts(&metrics.write), (1, 1));
        assert_eq!(counts(&metrics.read), (0, 2));
    }

    #[test]
    fn an_upgrade_waits_for_readers() {
        let (lock, metrics) = metered(RwLock::new(1));
        let hold = |tell: &dyn Fn()| {
            let _reading = lock.read();
            tell();
            thread::sleep(10 * SLEEP);
        };
        beside(hold, || {
            let reading = lock.upgradable_read();
            let reading = Held::try_upgrade(reading).expect_err("there is a reader");
            assert_eq!(*reading, 1);
            *Held::upgrade(reading) += 1;
        });
        assert!(metrics.write.longest_waiting() > Some(SLEEP));
        assert_eq!(counts(&metrics.read), (2, 2));
        assert_eq!(counts(&metrics.write), (1, 1));
    }

    #[test]
    fn an_upgrade_that_cannot_wait_records_no_wait() {
        let (lock, metrics) = metered(RwLock::new(1));
        let reading = lock.upgradable_read();
        drop(Held::try_upgrade(reading).expect("there is no reader"));
        assert_eq!(counts(&metrics.read), (1, 1));
        assert_eq!(counts(&metrics.write), (0, 1));
    }

    #[test]
    fn an_upgradable_read_may_become_a_plain_one() {
        let (lock, metrics) = metered(RwLock::new(1));
        let reading = Held::downgrade_upgradable(lock.upgradable_read());
        assert!(lock.try_upgradable_read().is_some());
        drop(reading);
        assert_eq!(counts(&metrics.read), (1, 2));
    }

    #[test]
    fn a_panic_does_not_poison_and_is_recorded() {
        let (lock, metrics) = metered(Mutex::new(1));
        let panicked = thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _held = lock.lock();
                panic!("while holding");
            });
            panics.join().is_err()
        });
        assert!(panicked);
        assert_eq!(*lock.lock(), 1);
        assert_eq!(counts(&metrics.write), (2, 2));
    }

    /// With feature `metering` the names of `sync` are metered locks, without it
    /// the plain ones; both are used alike.
    #[test]
    fn sync_is_metered_if_the_build_says_so() {
        let metrics = std::sync::Arc::new(<LockMetrics>::new());
        let lock = interval_stat::sync::parking_lot::rw_lock(1, &metrics);
        *lock.write() += 1;
        assert_eq!(*lock.read(), 2);
        assert_eq!(
            counts(&metrics.read).0,
            u64::from(cfg!(feature = "metering"))
        );
    }
}
