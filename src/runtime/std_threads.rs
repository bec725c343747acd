//! The runtime that ships: `std::sync`, and the `thread_local` crate for
//! per-thread values.

use std::cell::UnsafeCell;
use std::sync::atomic::{self, Ordering};
use thread_local::ThreadLocal;

use super::mirror::mirror;
use super::{Cell, PerThread, Runtime};

/// Spins this often before it gives the core away: about as long as an add on
/// another core takes.
const SPINS: u32 = 64;

/// Native threads and atomics.
///
/// # Examples
///
/// ```
/// use interval_stat::runtime::{Mutex, Runtime, Std};
///
/// fn next<R: Runtime>(total: &R::Mutex<u64>) -> u64 {
///     total.with(|total| *total + 1)
/// }
/// assert_eq!(next::<Std>(&Mutex::new("total", 1)), 2);
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Std {}

mirror!(std::sync);

impl Runtime for Std {
    type Atomic = atomic::AtomicU64;
    type AtomicPtr<T> = atomic::AtomicPtr<T>;
    type Cell<T> = UnsafeCell<T>;
    type Mutex<T: Send> = std::sync::Mutex<T>;
    type PerThread<T: Copy + Send + 'static> = ThreadLocal<T>;

    #[inline]
    fn fence(order: Ordering) {
        atomic::fence(order);
    }

    fn pause(turn: u32) {
        if turn < SPINS {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

impl<T> Cell<T> for UnsafeCell<T> {
    #[inline]
    fn new(_name: &'static str, value: T) -> Self {
        Self::new(value)
    }

    #[inline]
    fn with_mut<O>(&self, access: impl FnOnce(*mut T) -> O) -> O {
        access(self.get())
    }
}

impl<T: Copy + Send + 'static> PerThread<T> for ThreadLocal<T> {
    fn new() -> Self {
        Self::new()
    }

    #[inline]
    fn get_or(&self, create: impl FnOnce() -> T) -> T {
        *Self::get_or(self, create)
    }
}
