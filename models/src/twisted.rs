//! A runtime that wraps another one and twists its words: what the source does
//! with them stays.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use interval_stat::runtime::{Atomic, Runtime};

/// `R`, with words twisted by `T`.
#[derive(Debug, Clone, Copy)]
pub struct Twisted<R, T>(PhantomData<(R, T)>);

/// What happens to a word.
pub trait Twist: 'static {
    /// What a word holds that the source makes with `value`.
    fn begin(value: u64) -> u64 {
        value
    }

    /// The ordering of an access that the source makes with `order`.
    fn order(order: Ordering) -> Ordering {
        order
    }
}

/// Words begin two below their wrap-around: the first add wraps a stripe's
/// sequence number, the second drain the epoch.
#[derive(Debug, Clone, Copy)]
pub enum NearWrap {}

impl Twist for NearWrap {
    fn begin(value: u64) -> u64 {
        // Two: the parity, which means something, stays.
        value.wrapping_sub(2)
    }
}

/// No access orders anything. A tool that looks for data races has to find one.
#[derive(Debug, Clone, Copy)]
pub enum Unordered {}

impl Twist for Unordered {
    fn order(_: Ordering) -> Ordering {
        Ordering::Relaxed
    }
}

#[expect(
    unsafe_code,
    reason = "vouches for a runtime, and has no unsafe code of its own"
)]
// SAFETY: runtime: passes everything on to `R`, but for what `T` twists; a twist that
// breaks the contract is only run under what looks for that.
unsafe impl<R: Runtime, T: Twist> Runtime for Twisted<R, T> {
    type Atomic = Word<R::Atomic, T>;
    type AtomicPtr<P> = R::AtomicPtr<P>;
    type Cell<V> = R::Cell<V>;
    type Mutex<V: Send> = R::Mutex<V>;
    type PerThread<V: Copy + Send + 'static> = R::PerThread<V>;

    fn prepare() {
        R::prepare();
    }

    #[track_caller]
    fn light_fence() {
        R::light_fence();
    }

    #[track_caller]
    fn heavy_fence() {
        R::heavy_fence();
    }

    #[track_caller]
    fn pause(turn: u32) {
        R::pause(turn);
    }
}

/// A word, twisted.
pub struct Word<A, T> {
    word: A,
    twist: PhantomData<fn() -> T>,
}

impl<A: Atomic, T: Twist> Atomic for Word<A, T> {
    #[track_caller]
    fn new(name: &'static str, value: u64) -> Self {
        Self {
            word: A::new(name, T::begin(value)),
            twist: PhantomData,
        }
    }

    #[track_caller]
    fn load(&self, order: Ordering) -> u64 {
        self.word.load(T::order(order))
    }

    #[track_caller]
    fn store(&self, value: u64, order: Ordering) {
        self.word.store(value, T::order(order));
    }

    #[track_caller]
    fn swap(&self, value: u64, order: Ordering) -> u64 {
        self.word.swap(value, T::order(order))
    }

    #[track_caller]
    fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        let (success, failure) = (T::order(success), T::order(failure));
        self.word.compare_exchange(current, new, success, failure)
    }
}
