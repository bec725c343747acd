//! The primitives that the statistics are built of, so that one source runs
//! natively, under loom and under shuttle.
//!
//! A statistic is generic over a [`Runtime`]. What ships is the alias on
//! [`Std`]; the models use the same source on `Loom` (feature `loom`) and
//! `Shuttle` (feature `shuttle`). Features only add runtimes, they swap nothing,
//! so `--all-features` builds the same shipped types.
//!
//! Atomics and cells take a name when they are made. [`Std`] ignores it; a
//! runtime that wraps another one (see the `models` package) uses it to show an
//! interleaving in the words of the source.

use std::sync::atomic::Ordering;

mod fences;
#[cfg(any(feature = "loom", feature = "shuttle"))]
mod handed_on;
#[cfg(feature = "loom")]
mod loom;
mod mirror;
mod native;
#[cfg(feature = "shuttle")]
mod shuttle;

#[cfg(feature = "loom")]
pub use self::loom::Loom;
#[cfg(feature = "shuttle")]
pub use self::shuttle::Shuttle;
pub use fences::{Asymmetric, Fences, Symmetric};
pub use native::{Fenced, Native, Std};

/// A set of primitives with the semantics of `std::sync`.
///
/// # Examples
///
/// A flag that publishes, on any runtime:
///
/// ```
/// use interval_stat::runtime::{Atomic, Runtime, Std};
/// use std::sync::atomic::Ordering::{Acquire, Release};
///
/// fn published<R: Runtime>() -> u64 {
///     let flag = R::Atomic::new("flag", 0);
///     flag.store(1, Release);
///     flag.load(Acquire)
/// }
/// assert_eq!(published::<Std>(), 1);
/// ```
///
/// # Safety
///
/// The protocol's `unsafe` code rests on it: each associated type does what its
/// trait says, with the orderings it is given; a [`Cell`] hands out a valid pointer
/// to its value, and may be shared as far as its value may be sent; a [`Mutex`]
/// excludes; a [`PerThread`] value has one live thread, and is handed on with an
/// edge; the fences keep the contract of [`light_fence`](Self::light_fence).
pub unsafe trait Runtime: Sized + 'static {
    /// A shared 64-bit word.
    type Atomic: Atomic;
    /// A shared pointer.
    type AtomicPtr<T>: AtomicPtr<T>;
    /// Plain memory whose accesses the algorithm orders.
    type Cell<T>: Cell<T>;
    /// A mutual-exclusion lock around a value.
    type Mutex<T: Send>: Mutex<T>;
    /// One value a thread, handed on when the thread ends.
    type PerThread<T: Copy + Send + 'static>: PerThread<T>;

    /// Called once before an algorithm uses the fences; may make later light
    /// fences cheaper.
    fn prepare() {}

    /// The frequent half of an asymmetric pair of sequentially consistent
    /// fences.
    ///
    /// All fences are in one total order that each thread's program order is
    /// part of. If a light fence comes before a heavy one in it, what was
    /// written before the light one is visible after the heavy one; if the heavy
    /// one comes first, what was written before it is visible after the light
    /// one. Two light fences promise nothing to each other.
    fn light_fence();

    /// The rare half; see [`light_fence`](Self::light_fence).
    fn heavy_fence();

    /// Lets other threads run; `turn` counts the turns already waited.
    fn pause(turn: u32);
}

/// A shared 64-bit word with the operations and orderings of
/// [`std::sync::atomic::AtomicU64`].
pub trait Atomic: Send + Sync {
    /// A word called `name` that holds `value`.
    fn new(name: &'static str, value: u64) -> Self;
    /// Reads the word.
    fn load(&self, order: Ordering) -> u64;
    /// Writes the word.
    fn store(&self, value: u64, order: Ordering);
    /// Writes the word and returns what it held, in one step.
    fn swap(&self, value: u64, order: Ordering) -> u64;
    /// Writes `new` if the word holds `current`, in one step; returns what it
    /// held, as `Ok` if it was written.
    fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64>;
}

/// A shared pointer with the operations and orderings of
/// [`std::sync::atomic::AtomicPtr`].
pub trait AtomicPtr<T>: Send + Sync {
    /// A pointer called `name` to `target`.
    fn new(name: &'static str, target: *mut T) -> Self;
    /// Reads the pointer.
    fn load(&self, order: Ordering) -> *mut T;
    /// Writes the pointer.
    fn store(&self, target: *mut T, order: Ordering);
}

/// Plain memory shared between threads; what orders the accesses is the
/// algorithm's business, and a model checker reports two that nothing orders.
pub trait Cell<T> {
    /// A cell called `name` that holds `value`.
    fn new(name: &'static str, value: T) -> Self;
    /// Calls `access` with a pointer to the value, good until `access` returns.
    fn with_mut<O>(&self, access: impl FnOnce(*mut T) -> O) -> O;
}

/// A mutual-exclusion lock around a value.
pub trait Mutex<T: Send>: Send + Sync {
    /// A lock called `name` around `value`.
    fn new(name: &'static str, value: T) -> Self;
    /// Calls `section` with the value while no other thread has it.
    ///
    /// Waits for the section of another thread to end; the thread that is in a
    /// section of this lock must not enter another one. A section that panics
    /// leaves the value as it is and the lock usable.
    fn with<O>(&self, section: impl FnOnce(&mut T) -> O) -> O;
}

/// One value a thread.
///
/// A value outlives its thread: it is handed on to a thread that starts later,
/// and everything the old thread did happens-before what the new one does with
/// it.
pub trait PerThread<T: Copy + Send + 'static>: Send + Sync {
    /// No values yet.
    fn new() -> Self;
    /// The calling thread's value, if it has one.
    fn get(&self) -> Option<T>;
    /// The calling thread's value: its own, else one that an ended thread has
    /// left, else what `create` makes.
    ///
    /// `None` if the thread is ending and has left its value: a thread-local
    /// destructor runs.
    fn get_or(&self, create: impl FnOnce() -> T) -> Option<T>;
}
