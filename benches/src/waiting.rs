//! How a drain waits for the add that it finds in flight: strategies, compared on
//! the shipped protocol by a [`Runtime`] that differs from the shipped one in how
//! it pauses, and that notes how long it did.

use crate::contender::Entrant;
use crate::target::{Recorded, Use};
use interval_stat::runtime::{Runtime, Std};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::hint::spin_loop;
use std::marker::PhantomData;
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

/// How a drain waits for an add in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Wait {
    /// Looks again and again.
    Spin,
    /// As the shipped runtime does.
    Shipped,
    /// Spins, then gives the core to others.
    SpinYield,
    /// Spins, then gives the core to others, then sleeps.
    SpinYieldSleep,
}

impl Entrant for Wait {
    const ALL: &'static [Self] = &[
        Self::Spin,
        Self::Shipped,
        Self::SpinYield,
        Self::SpinYieldSleep,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Spin => "spin",
            Self::Shipped => "as shipped",
            Self::SpinYield => "spin, yield",
            Self::SpinYieldSleep => "spin, yield, sleep",
        }
    }

    fn put_to<U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Spin => purpose.of::<Recorded<Pausing<Spin>>>(),
            Self::Shipped => purpose.of::<Recorded<Pausing<Shipped>>>(),
            Self::SpinYield => purpose.of::<Recorded<Pausing<SpinYield>>>(),
            Self::SpinYieldSleep => purpose.of::<Recorded<Pausing<SpinYieldSleep>>>(),
        }
    }
}

/// A strategy; `turn` counts the turns already waited.
trait Strategy: Send + Sync + 'static {
    fn pause(turn: u32);
}

/// About as long as an add on another core takes.
const SPINS: u32 = 64;
/// About as often as threads that outnumber the cores by ten have their turns.
const YIELDS: u32 = 16;
/// The shortest that a system sleeps, roughly.
const NAP: Duration = Duration::from_micros(50);

#[derive(Debug)]
enum Spin {}

impl Strategy for Spin {
    fn pause(_: u32) {
        spin_loop();
    }
}

#[derive(Debug)]
enum Shipped {}

impl Strategy for Shipped {
    fn pause(turn: u32) {
        Std::pause(turn);
    }
}

#[derive(Debug)]
enum SpinYield {}

impl Strategy for SpinYield {
    fn pause(turn: u32) {
        if turn < SPINS {
            spin_loop();
        } else {
            yield_now();
        }
    }
}

#[derive(Debug)]
enum SpinYieldSleep {}

impl Strategy for SpinYieldSleep {
    fn pause(turn: u32) {
        if turn < SPINS + YIELDS {
            SpinYield::pause(turn);
        } else {
            sleep(NAP);
        }
    }
}

/// What a thread has paused for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pauses {
    pub(crate) count: u64,
    pub(crate) together: Duration,
    pub(crate) longest: Duration,
}

thread_local! {
    static PAUSES: Cell<Pauses> = const {
        Cell::new(Pauses { count: 0, together: Duration::ZERO, longest: Duration::ZERO })
    };
}

impl Pauses {
    /// Those of this thread since it took them last.
    pub(crate) fn take() -> Self {
        PAUSES.take()
    }

    fn note(pause: impl FnOnce()) {
        let start = Instant::now();
        pause();
        let took = start.elapsed();
        let before = PAUSES.get();
        PAUSES.set(Self {
            count: before.count + 1,
            together: before.together + took,
            longest: before.longest.max(took),
        });
    }
}

/// The shipped runtime, but for how it pauses.
#[derive(Debug)]
struct Pausing<W>(PhantomData<fn() -> W>);

#[expect(
    unsafe_code,
    reason = "vouches for a runtime, and has no unsafe code of its own"
)]
// SAFETY: runtime: the primitives and fences of `Std`.
unsafe impl<W: Strategy> Runtime for Pausing<W> {
    type Atomic = <Std as Runtime>::Atomic;
    type AtomicPtr<T> = <Std as Runtime>::AtomicPtr<T>;
    type Cell<T> = <Std as Runtime>::Cell<T>;
    type Mutex<T: Send> = <Std as Runtime>::Mutex<T>;
    type PerThread<T: Copy + Send + 'static> = <Std as Runtime>::PerThread<T>;

    fn prepare() {
        Std::prepare();
    }

    #[inline]
    fn light_fence() {
        Std::light_fence();
    }

    fn heavy_fence() {
        Std::heavy_fence();
    }

    fn pause(turn: u32) {
        Pauses::note(|| W::pause(turn));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_taken_once() {
        Pauses::take();
        Pausing::<Spin>::pause(0);
        Pausing::<SpinYieldSleep>::pause(SPINS + YIELDS);
        let pauses = Pauses::take();
        assert_eq!(pauses.count, 2);
        assert!(pauses.longest >= NAP && pauses.together >= pauses.longest);
        assert_eq!(Pauses::take(), Pauses::default());
    }
}
