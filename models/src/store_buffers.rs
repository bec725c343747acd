//! A runtime with the store buffers of x86 (x86-TSO), over shuttle, for the one
//! thing that loom cannot model: an asymmetric fence.
//!
//! A store goes to the thread's own buffer; memory gets the stores of a buffer
//! in order, at any later time. A load reads the newest store of its own
//! thread's buffer, else memory. Read-modify-writes, locks, and starting or
//! ending a thread empty the own buffer. The light fence does nothing; the
//! heavy one empties the buffers of all threads, as `membarrier(2)` does.
//!
//! Plain cells are not buffered: in order behind a buffer's stores, what was
//! written before a closing store reaches memory before it.
//!
//! Source of the memory model: Owens, Sarkar, Sewell, "A better x86 memory
//! model: x86-TSO", 2009.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use interval_stat::runtime::{Atomic, Mutex, Runtime, Shuttle};
use shuttle::rand::{Rng, thread_rng};

use crate::engine::Engine;
use crate::mutant::{self, Mutant};

/// Shuttle's threads, with store buffers.
#[derive(Debug, Clone, Copy)]
pub enum StoreBuffers {}

#[expect(
    unsafe_code,
    reason = "vouches for a runtime, and has no unsafe code of its own"
)]
// SAFETY: runtime: as shuttle's, which runs one thread at a time; the heavy fence
// empties the buffers, so that what was stored before it is visible after it.
unsafe impl Runtime for StoreBuffers {
    type Atomic = Word;
    type AtomicPtr<T> = <Shuttle as Runtime>::AtomicPtr<T>;
    type Cell<T> = <Shuttle as Runtime>::Cell<T>;
    type Mutex<T: Send> = Lock<T>;
    type PerThread<T: Copy + Send + 'static> = <Shuttle as Runtime>::PerThread<T>;

    fn light_fence() {}

    fn heavy_fence() {
        if mutant::is_installed(Mutant::HeavyFenceLocal) {
            empty_own();
        } else {
            BUFFERS.with_borrow_mut(|buffers| buffers.values_mut().for_each(empty));
        }
    }

    fn pause(turn: u32) {
        Shuttle::pause(turn);
    }
}

impl Engine for StoreBuffers {
    const NAME: &'static str = "store buffers";
    const SEQUENTIAL: bool = true;
    type Handle = <Shuttle as Engine>::Handle;

    fn spawn(index: usize, body: impl FnOnce() + Send + 'static) -> Self::Handle {
        empty_own();
        Shuttle::spawn(index, move || {
            body();
            empty_own();
        })
    }

    fn join(thread: Self::Handle) {
        Shuttle::join(thread);
    }

    fn current() -> usize {
        Shuttle::current()
    }
}

/// A store that memory has not got yet.
struct Pending {
    memory: Arc<AtomicU64>,
    value: u64,
}

thread_local! {
    /// The buffer of each thread. Shuttle runs them all on one native thread,
    /// and every thread that runs to its end leaves its buffer empty.
    static BUFFERS: RefCell<BTreeMap<usize, VecDeque<Pending>>> = RefCell::default();
}

/// Forgets what the threads of an execution that failed have left in their buffers.
pub(crate) fn forget() {
    BUFFERS.with_borrow_mut(BTreeMap::clear);
}

fn empty(buffer: &mut VecDeque<Pending>) {
    buffer.drain(..).for_each(|pending| pending.reach_memory());
}

fn empty_own() {
    BUFFERS.with_borrow_mut(|buffers| empty(buffers.entry(Shuttle::current()).or_default()));
}

impl Pending {
    fn reach_memory(self) {
        self.memory.store(self.value, Ordering::Relaxed);
    }
}

/// Lets memory get, from each buffer, as many stores as chance has it.
fn reach_memory_by_chance() {
    BUFFERS.with_borrow_mut(|buffers| {
        for buffer in buffers.values_mut() {
            while !buffer.is_empty() && thread_rng().r#gen() {
                buffer
                    .pop_front()
                    .into_iter()
                    .for_each(Pending::reach_memory);
            }
        }
    });
}

/// A shared word; the orderings of its accesses are those of x86, whatever is
/// asked for.
pub struct Word {
    memory: Arc<AtomicU64>,
    /// Accessed at each access, so that shuttle lets other threads in.
    step: <Shuttle as Runtime>::Atomic,
}

impl Word {
    fn step(&self) {
        self.step.load(Ordering::SeqCst);
        reach_memory_by_chance();
    }

    /// The value of the own thread's newest store that is still buffered.
    fn buffered(&self) -> Option<u64> {
        BUFFERS.with_borrow(|buffers| {
            let own = buffers.get(&Shuttle::current())?;
            let here = |pending: &&Pending| Arc::ptr_eq(&pending.memory, &self.memory);
            own.iter().rfind(here).map(|pending| pending.value)
        })
    }
}

impl Atomic for Word {
    fn new(name: &'static str, value: u64) -> Self {
        Self {
            memory: Arc::new(AtomicU64::new(value)),
            step: Atomic::new(name, 0),
        }
    }

    fn load(&self, _order: Ordering) -> u64 {
        self.step();
        self.buffered()
            .unwrap_or_else(|| self.memory.load(Ordering::Relaxed))
    }

    fn store(&self, value: u64, _order: Ordering) {
        self.step();
        let memory = Arc::clone(&self.memory);
        BUFFERS.with_borrow_mut(|buffers| {
            let own = buffers.entry(Shuttle::current()).or_default();
            own.push_back(Pending { memory, value });
        });
    }

    fn swap(&self, value: u64, _order: Ordering) -> u64 {
        self.step();
        empty_own();
        self.memory.swap(value, Ordering::Relaxed)
    }

    fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        _success: Ordering,
        _failure: Ordering,
    ) -> Result<u64, u64> {
        self.step();
        empty_own();
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        self.memory.compare_exchange(current, new, success, failure)
    }
}

/// A lock whose taking and giving back empty the own buffer.
pub struct Lock<T: Send>(<Shuttle as Runtime>::Mutex<T>);

impl<T: Send> Mutex<T> for Lock<T> {
    fn new(name: &'static str, value: T) -> Self {
        Self(Mutex::new(name, value))
    }

    fn with<O>(&self, section: impl FnOnce(&mut T) -> O) -> O {
        self.0.with(|value| {
            empty_own();
            let answer = section(value);
            empty_own();
            answer
        })
    }
}
