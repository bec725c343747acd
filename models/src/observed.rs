//! A runtime that wraps another one and logs each step, with the names of the
//! source. It adds no step that the wrapped runtime can see.
//!
//! It is also where a [`Mutant`](crate::mutant::Mutant) of an ordering bites:
//! the statistic's own code runs, and one access of it is made weaker.

use std::marker::PhantomData;
use std::panic::Location;
use std::sync::atomic::Ordering;

use interval_stat::runtime::{Atomic, AtomicPtr, Cell, Mutex, Runtime};

use crate::engine::Engine;
use crate::guarantees::Guarantee;
use crate::mutant;
use crate::trace::{self, Action, Step, What};

/// More turns than a drain waits for an add that goes on. A drain that would
/// wait for ever is stopped here, as a breach of G7, and not by the engine's
/// limit on the length of an execution, which says nothing of the statistic.
const PATIENCE: u32 = 100;

/// `E`, observed.
#[derive(Debug, Clone, Copy)]
pub struct Observed<E>(PhantomData<E>);

#[expect(
    unsafe_code,
    reason = "vouches for a runtime, and has no unsafe code of its own"
)]
// SAFETY: runtime: passes everything on to `E`; an installed mutant breaks the
// contract where a model checker, which runs one thread at a time, looks on.
unsafe impl<E: Engine> Runtime for Observed<E> {
    type Atomic = Watched<E::Atomic, E>;
    type AtomicPtr<T> = Watched<E::AtomicPtr<T>, E>;
    type Cell<T> = Watched<E::Cell<T>, E>;
    type Mutex<T: Send> = Watched<E::Mutex<T>, E>;
    type PerThread<T: Copy + Send + 'static> = E::PerThread<T>;

    fn prepare() {
        E::prepare();
    }

    #[track_caller]
    fn light_fence() {
        E::light_fence();
        log::<E>("", 0, Action::LightFence, Location::caller());
    }

    #[track_caller]
    fn heavy_fence() {
        E::heavy_fence();
        log::<E>("", 0, Action::HeavyFence, Location::caller());
    }

    #[track_caller]
    fn pause(turn: u32) {
        assert!(
            turn < PATIENCE,
            "{}: a drain has waited {turn} turns at one stripe, and no add ends",
            Guarantee::G7
        );
        log::<E>("", 0, Action::Pause, Location::caller());
        E::pause(turn);
    }
}

/// A primitive whose uses are logged.
pub struct Watched<T, E> {
    watched: T,
    name: &'static str,
    instance: usize,
    engine: PhantomData<fn() -> E>,
}

impl<T, E: Engine> Watched<T, E> {
    fn watch(name: &'static str, watched: T) -> Self {
        Self {
            watched,
            name,
            instance: trace::instance(name),
            engine: PhantomData,
        }
    }

    fn log(&self, action: Action, place: &'static Location<'static>) {
        log::<E>(self.name, self.instance, action, place);
    }
}

fn log<E: Engine>(
    object: &'static str,
    instance: usize,
    action: Action,
    place: &'static Location<'static>,
) {
    let step = Step {
        object,
        instance,
        action,
        place,
    };
    trace::log(E::current(), What::Step(step));
}

impl<E: Engine> Atomic for Watched<E::Atomic, E> {
    fn new(name: &'static str, value: u64) -> Self {
        Self::watch(name, Atomic::new(name, value))
    }

    #[track_caller]
    fn load(&self, order: Ordering) -> u64 {
        let order = mutant::load(self.name, order);
        let read = self.watched.load(order);
        self.log(Action::Load { order, read }, Location::caller());
        mutant::read(self.name, order, read)
    }

    #[track_caller]
    fn store(&self, written: u64, order: Ordering) {
        let order = mutant::store(self.name, written, order);
        self.watched.store(written, order);
        self.log(Action::Store { order, written }, Location::caller());
    }

    #[track_caller]
    fn swap(&self, written: u64, order: Ordering) -> u64 {
        let read = self.watched.swap(written, order);
        self.log(
            Action::Swap {
                order,
                read,
                written,
            },
            Location::caller(),
        );
        read
    }

    #[track_caller]
    fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        let answer = self
            .watched
            .compare_exchange(current, new, success, failure);
        let action = match answer {
            Ok(read) => Action::CompareExchange {
                order: success,
                read,
                written: Some(new),
            },
            Err(read) => Action::CompareExchange {
                order: failure,
                read,
                written: None,
            },
        };
        self.log(action, Location::caller());
        answer
    }
}

impl<T, E: Engine> AtomicPtr<T> for Watched<E::AtomicPtr<T>, E> {
    fn new(name: &'static str, target: *mut T) -> Self {
        Self::watch(name, AtomicPtr::new(name, target))
    }

    #[track_caller]
    fn load(&self, order: Ordering) -> *mut T {
        let order = mutant::load(self.name, order);
        let read = self.watched.load(order);
        let null = read.is_null();
        self.log(Action::LoadPointer { order, null }, Location::caller());
        read
    }

    #[track_caller]
    fn store(&self, target: *mut T, order: Ordering) {
        let order = mutant::store(self.name, 0, order);
        self.watched.store(target, order);
        self.log(Action::StorePointer { order }, Location::caller());
    }
}

impl<T, E: Engine> Cell<T> for Watched<E::Cell<T>, E> {
    fn new(name: &'static str, value: T) -> Self {
        Self::watch(name, Cell::new(name, value))
    }

    #[track_caller]
    fn with_mut<O>(&self, access: impl FnOnce(*mut T) -> O) -> O {
        let place = Location::caller();
        self.watched.with_mut(|value| {
            self.log(Action::Access, place);
            access(value)
        })
    }
}

impl<T: Send, E: Engine> Mutex<T> for Watched<E::Mutex<T>, E> {
    fn new(name: &'static str, value: T) -> Self {
        Self::watch(name, Mutex::new(name, value))
    }

    #[track_caller]
    fn with<O>(&self, section: impl FnOnce(&mut T) -> O) -> O {
        let place = Location::caller();
        self.log(Action::Request, place);
        self.watched.with(|value| {
            self.log(Action::Enter, place);
            let answer = section(value);
            self.log(Action::Leave, place);
            answer
        })
    }
}
