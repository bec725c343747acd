//! Per-thread values for the model checkers, with the contract of the
//! `thread_local` crate: a value belongs to one live thread, and what its owner
//! did happens-before what the next owner does.
//!
//! The crate makes that edge by a lock around its list of free thread numbers.
//! Here each value carries a lock of its own, taken when its owner ends and when
//! it is handed on, so that threads which hand on nothing add no interleavings
//! to a model.

use std::collections::HashMap;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex as Unseen, MutexGuard, PoisonError};

use super::{Mutex, PerThread, Runtime};

/// What a model checker's threads offer.
pub trait Threads: Runtime {
    /// Tells live threads apart.
    type Id: Eq + Hash + Copy + Send;
    /// The calling thread.
    fn current() -> Self::Id;
    /// Runs `action` on the calling thread when it ends.
    fn at_exit(action: Box<dyn FnOnce()>);
}

/// Actions that run when the holder, a thread-local, is dropped.
#[derive(Default)]
pub(super) struct AtExit(std::cell::RefCell<Vec<Box<dyn FnOnce()>>>);

impl AtExit {
    pub(super) fn push(&self, action: Box<dyn FnOnce()>) {
        self.0.borrow_mut().push(action);
    }
}

impl Drop for AtExit {
    fn drop(&mut self) {
        for action in self.0.take() {
            action();
        }
    }
}

/// One value a thread, handed on by an edge that the checker sees.
pub struct HandedOn<T, H: Threads> {
    /// Who owns what, and what is free. The checker does not see it.
    slots: Arc<Unseen<Slots<T, H>>>,
    threads: PhantomData<fn() -> H>,
}

struct Slots<T, H: Threads> {
    owned: HashMap<H::Id, T>,
    /// What ended threads have left, each with its edge to the next owner.
    left: Vec<(T, Arc<H::Mutex<()>>)>,
}

impl<T: Copy + Send + 'static, H: Threads> PerThread<T> for HandedOn<T, H> {
    fn new() -> Self {
        let slots = Slots {
            owned: HashMap::new(),
            left: Vec::new(),
        };
        Self {
            slots: Arc::new(Unseen::new(slots)),
            threads: PhantomData,
        }
    }

    fn get(&self) -> Option<T> {
        lock(&self.slots).owned.get(&H::current()).copied()
    }

    fn get_or(&self, create: impl FnOnce() -> T) -> Option<T> {
        if let value @ Some(_) = self.get() {
            return value;
        }
        let thread = H::current();
        let left = lock(&self.slots).left.pop();
        let (value, edge) = match left {
            Some((value, edge)) => {
                edge.with(|()| ());
                (value, edge)
            }
            None => (create(), Arc::new(Mutex::new("edge", ()))),
        };
        lock(&self.slots).owned.insert(thread, value);
        self.leave_at_exit(thread, value, edge);
        Some(value)
    }
}

impl<T: Copy + Send + 'static, H: Threads> HandedOn<T, H> {
    fn leave_at_exit(&self, thread: H::Id, value: T, edge: Arc<H::Mutex<()>>) {
        let slots = Arc::clone(&self.slots);
        H::at_exit(Box::new(move || {
            edge.with(|()| ());
            let mut slots = lock(&slots);
            slots.owned.remove(&thread);
            slots.left.push((value, edge));
        }));
    }
}

fn lock<V>(unseen: &Unseen<V>) -> MutexGuard<'_, V> {
    unseen.lock().unwrap_or_else(PoisonError::into_inner)
}
