//! The runtime of the loom models.

use std::sync::atomic::Ordering;

use ::loom::cell::UnsafeCell;
use ::loom::sync::atomic;
use ::loom::thread;

use super::handed_on::{AtExit, HandedOn, Threads};
use super::mirror::mirror;
use super::{Cell, Runtime};

/// Primitives whose every interleaving, and every stale read that their orderings
/// permit, loom explores.
#[derive(Debug, Clone, Copy)]
pub enum Loom {}

mirror!(loom::sync);

impl Runtime for Loom {
    type Atomic = atomic::AtomicU64;
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

impl<T> Cell<T> for UnsafeCell<T> {
    fn new(_name: &'static str, value: T) -> Self {
        Self::new(value)
    }

    fn with_mut<O>(&self, access: impl FnOnce(*mut T) -> O) -> O {
        Self::with_mut(self, access)
    }
}
