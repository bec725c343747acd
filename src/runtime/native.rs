//! The runtime that ships: `std::sync`, and the `thread_local` crate for
//! per-thread values.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic;

use thread_local::ThreadLocal;

use super::fences::{Asymmetric, Fences, Symmetric};
use super::mirror::mirror;
use super::{Cell, PerThread, Runtime};

/// Spins this often before it gives the core away: about as long as an add on
/// another core takes.
const SPINS: u32 = 64;

/// Native threads and atomics, with the fences of `F`.
pub struct Native<F>(PhantomData<fn() -> F>);

/// What ships: light fences cost nothing where the system can make them so.
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
pub type Std = Native<Asymmetric>;

/// For whoever wants nothing but the language's memory model: both fences are
/// sequentially consistent fences.
///
/// # Examples
///
/// ```
/// use interval_stat::runtime::Fenced;
/// use interval_stat::{Interval, Moments, Striped};
///
/// let samples: Striped<Moments, (), Fenced> = Striped::new(Moments::EMPTY, ());
/// samples.add(3);
/// assert_eq!(samples.drain().count(), 1);
/// ```
pub type Fenced = Native<Symmetric>;

impl<F> fmt::Debug for Native<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Native")
    }
}

mirror!(std::sync);

// SAFETY: runtime: the types are those of `std::sync`, `UnsafeCell` and the
// `thread_local` crate; the fences are those of `F`, which vouches for them.
unsafe impl<F: Fences> Runtime for Native<F> {
    type Atomic = atomic::AtomicU64;
    type AtomicPtr<T> = atomic::AtomicPtr<T>;
    type Cell<T> = UnsafeCell<T>;
    type Mutex<T: Send> = std::sync::Mutex<T>;
    type PerThread<T: Copy + Send + 'static> = ThreadLocal<T>;

    fn prepare() {
        F::prepare();
    }

    #[inline]
    fn light_fence() {
        F::light();
    }

    fn heavy_fence() {
        F::heavy();
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
    fn get(&self) -> Option<T> {
        Self::get(self).copied()
    }

    fn get_or(&self, create: impl FnOnce() -> T) -> Option<T> {
        // `ThreadLocal` panics when a thread without a value asks for one after
        // the crate's own thread-local is destroyed.
        if ENDING.get() {
            return None;
        }
        let mut creating = false;
        let create = || {
            creating = true;
            create()
        };
        match catch_unwind(AssertUnwindSafe(|| *Self::get_or(self, create))) {
            Ok(value) => {
                // Made after the crate's thread-local, and so destroyed before it.
                FAREWELL.with(|_| ());
                Some(value)
            }
            // The caller's own.
            Err(payload) if creating => resume_unwind(payload),
            // It panics on a thread whose number it has taken back before `FAREWELL`
            // was made: one that got its number through another user of the crate.
            Err(_) => {
                ENDING.set(true);
                None
            }
        }
    }
}

thread_local! {
    /// Whether the calling thread's thread-locals are being destroyed. Has no
    /// destructor, and so is there to the end.
    static ENDING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    static FAREWELL: Farewell = const { Farewell };
}

/// Its destruction marks the thread as ending.
struct Farewell;

impl Drop for Farewell {
    fn drop(&mut self) {
        ENDING.set(true);
    }
}
