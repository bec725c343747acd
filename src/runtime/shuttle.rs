//! The runtime of the shuttle models.

use std::sync::atomic::Ordering;

use ::shuttle::sync::atomic;
use ::shuttle::thread;

use super::handed_on::{AtExit, HandedOn, Threads};
use super::mirror::mirror;
use super::{Cell, Runtime};

/// Primitives whose interleavings shuttle samples; every atomic access counts as
/// sequentially consistent.
#[derive(Debug, Clone, Copy)]
pub enum Shuttle {}

mirror!(shuttle::sync);

// SAFETY: runtime: shuttle runs one thread at a time; `Exclusive` refuses two.
unsafe impl Runtime for Shuttle {
    type Atomic = atomic::AtomicU64;
    type AtomicPtr<T> = atomic::AtomicPtr<T>;
    type Cell<T> = Exclusive<T>;
    type Mutex<T: Send> = ::shuttle::sync::Mutex<T>;
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

impl Threads for Shuttle {
    type Id = thread::ThreadId;

    fn current() -> Self::Id {
        thread::current().id()
    }

    fn at_exit(action: Box<dyn FnOnce()>) {
        ::shuttle::thread_local! {
            static AT_EXIT: AtExit = AtExit::default();
        }
        AT_EXIT.with(|at_exit| at_exit.push(action));
    }
}

/// Plain memory that notices when two threads are in it at once.
///
/// Shuttle has no cell of its own and would run an access to plain memory as
/// one step. The two atomic accesses around it let other threads in.
pub struct Exclusive<T> {
    busy: atomic::AtomicBool,
    value: std::cell::UnsafeCell<T>,
}

impl<T> Cell<T> for Exclusive<T> {
    fn new(name: &'static str, value: T) -> Self {
        let _ = name;
        Self {
            busy: atomic::AtomicBool::new(false),
            value: std::cell::UnsafeCell::new(value),
        }
    }

    fn with_mut<O>(&self, access: impl FnOnce(*mut T) -> O) -> O {
        let overlaps = self.busy.swap(true, Ordering::SeqCst);
        assert!(!overlaps, "two threads are in one cell");
        let answer = access(self.value.get());
        self.busy.store(false, Ordering::SeqCst);
        answer
    }
}
