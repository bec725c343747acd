//! The runtime of the loom models.

use std::sync::atomic::Ordering;

use ::loom::cell::UnsafeCell;
use ::loom::sync::atomic;
use ::loom::thread;

use super::handed_on::{AtExit, HandedOn, Threads};
use super::mirror::mirror;
use super::{Atomic, Cell, Runtime};

/// Primitives whose every interleaving, and every stale read that their orderings
/// permit, loom explores.
#[derive(Debug, Clone, Copy)]
pub enum Loom {}

mirror!(loom::sync);

// SAFETY: runtime: loom's own, and `Word`, which only strengthens them; loom reports
// any access that they do not order.
unsafe impl Runtime for Loom {
    type Atomic = Word;
    type AtomicPtr<T> = atomic::AtomicPtr<T>;
    type Cell<T> = UnsafeCell<T>;
    type Mutex<T: Send> = ::loom::sync::Mutex<T>;
    type PerThread<T: Copy + Send + 'static> = HandedOn<T, Self>;

    fn light_fence() {
        atomic::fence(Ordering::SeqCst);
    }

    fn heavy_fence() {
        atomic::fence(Ordering::SeqCst);
    }

    fn pause(_turn: u32) {
        thread::yield_now();
    }
}

impl Threads for Loom {
    type Id = thread::ThreadId;

    fn current() -> Self::Id {
        thread::current().id()
    }

    fn at_exit(action: Box<dyn FnOnce()>) {
        ::loom::thread_local! {
            static AT_EXIT: AtExit = AtExit::default();
        }
        AT_EXIT.with(|at_exit| at_exit.push(action));
    }
}

/// Loom's word, with sequentially consistent accesses that are so.
///
/// Loom lets such a load look past newer stores to the value that the word was
/// made with, and orders two stores only if one happens before the other. And it
/// looks for interleavings at the last access only: after a load, a store of the
/// same thread is not moved before what other threads did earlier. All that ends
/// if every access is a read-modify-write, a load one that changes nothing: each
/// reads what the one before it wrote, and depends on it.
pub struct Word(atomic::AtomicU64);

impl Atomic for Word {
    fn new(name: &'static str, value: u64) -> Self {
        Self(Atomic::new(name, value))
    }

    fn load(&self, order: Ordering) -> u64 {
        match order {
            // Acquire, and below Release: all that a load, or a store, may be.
            Ordering::SeqCst => self.0.fetch_or(0, Ordering::Acquire),
            _ => self.0.load(order),
        }
    }

    fn store(&self, value: u64, order: Ordering) {
        match order {
            Ordering::SeqCst => {
                self.0.swap(value, Ordering::Release);
            }
            _ => self.0.store(value, order),
        }
    }

    fn swap(&self, value: u64, order: Ordering) -> u64 {
        self.0.swap(value, order)
    }

    fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        self.0.compare_exchange(current, new, success, failure)
    }
}

impl<T> Cell<T> for UnsafeCell<T> {
    fn new(_name: &'static str, value: T) -> Self {
        Self::new(value)
    }

    fn with_mut<O>(&self, access: impl FnOnce(*mut T) -> O) -> O {
        Self::with_mut(self, access)
    }
}
