//! What happened in one execution, in order: the calls of the operations, and
//! every step that they took on shared memory.

use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::slice;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use crate::batch::Batch;

/// One thing that happened, and in which thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The index of the thread.
    pub thread: usize,
    /// What happened.
    pub what: What,
}

/// What can happen in a thread.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// An operation began.
    Began(Call),
    /// The operation that began last in this thread ended; a drain with what it
    /// reported.
    Ended(Option<Batch>),
    /// A step on shared memory.
    Step(Step),
    /// It started the thread with this index.
    Spawned(usize),
    /// It waited for the thread with this index.
    Joined(usize),
    /// The operation that began last in this thread panicked, and the thread
    /// ended.
    Panicked(String),
    /// It is about to signal what it has done.
    Signalled,
    /// It saw the signal of the thread with this index.
    Heard(usize),
}

/// An operation of the statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `add` of this sample.
    Add(i64),
    /// `add_batch` of these samples.
    AddBatch(&'static [i64]),
    /// A drain, whatever the statistic calls it.
    Drain,
    /// A look at the last interval, which closes none.
    Look,
}

impl Call {
    /// The samples that it adds, all at once.
    pub fn samples(&self) -> &[i64] {
        match self {
            Self::Add(sample) => slice::from_ref(sample),
            Self::AddBatch(samples) => samples,
            Self::Drain | Self::Look => &[],
        }
    }

    /// Whether it adds, as opposed to drains or looks.
    pub fn adds(self) -> bool {
        matches!(self, Self::Add(_) | Self::AddBatch(_))
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(sample) => write!(f, "add {sample}"),
            Self::AddBatch(samples) => write!(f, "add {samples:?}"),
            Self::Drain => f.write_str("drain"),
            Self::Look => f.write_str("look"),
        }
    }
}

/// A step on shared memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The name of the object in the source; empty for a fence or a pause.
    pub object: &'static str,
    /// Tells objects of one name apart: 0, 1, ... in the order they were made.
    pub instance: usize,
    /// What was done.
    pub action: Action,
    /// Where in the source.
    pub place: &'static Location<'static>,
}

impl Step {
    /// Whether both steps are on one object.
    pub fn is_on_object_of(&self, other: &Self) -> bool {
        (self.object, self.instance) == (other.object, other.instance)
    }
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the operations say it")]
pub enum Action {
    Load {
        order: Ordering,
        read: u64,
    },
    Store {
        order: Ordering,
        written: u64,
    },
    Swap {
        order: Ordering,
        read: u64,
        written: u64,
    },
    CompareExchange {
        order: Ordering,
        read: u64,
        written: Option<u64>,
    },
    LoadPointer {
        order: Ordering,
        null: bool,
    },
    StorePointer {
        order: Ordering,
    },
    LightFence,
    HeavyFence,
    /// Asks for a lock.
    Request,
    /// Has got the lock.
    Enter,
    /// Gives the lock back.
    Leave,
    /// Accesses plain memory.
    Access,
    /// Lets other threads run.
    Pause,
}

impl Action {
    /// Whether it touches shared memory, as opposed to waiting for a turn.
    pub fn is_shared(self) -> bool {
        !matches!(self, Self::Pause | Self::Request)
    }
}

#[derive(Default)]
struct Log {
    events: Vec<Event>,
    /// How many objects of each name there are.
    made: Vec<(&'static str, usize)>,
}

/// The log that the threads of an execution share. No runtime sees it.
#[derive(Clone, Default)]
pub(crate) struct SharedLog(Arc<Mutex<Log>>);

thread_local! {
    /// A model checker runs all threads of an execution on one native thread;
    /// native threads adopt the log of the thread that starts them.
    static LOG: RefCell<SharedLog> = RefCell::default();
}

impl SharedLog {
    /// The log of the calling thread.
    pub(crate) fn current() -> Self {
        LOG.with_borrow(Clone::clone)
    }

    /// Makes it the log of the calling thread.
    pub(crate) fn adopt(self) {
        LOG.set(self);
    }
}

fn with_log<O>(use_log: impl FnOnce(&mut Log) -> O) -> O {
    LOG.with_borrow(|log| use_log(&mut log.0.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Starts an empty log.
pub(crate) fn restart() {
    SharedLog::default().adopt();
}

/// Takes what was logged.
pub(crate) fn take() -> Vec<Event> {
    with_log(|log| std::mem::take(&mut log.events))
}

/// Puts back what was taken, so that whoever looks next finds it.
pub(crate) fn resume(events: Vec<Event>) {
    with_log(|log| log.events = events);
}

/// How many events were logged.
#[cfg(feature = "shuttle")]
pub(crate) fn length() -> usize {
    with_log(|log| log.events.len())
}

/// Logs an event; what the unwinding of a panic does is no part of an execution.
pub(crate) fn log(thread: usize, what: What) {
    if std::thread::panicking() {
        return;
    }
    with_log(|log| log.events.push(Event { thread, what }));
}

/// The instance number of a new object called `name`.
pub(crate) fn instance(name: &'static str) -> usize {
    with_log(
        |log| match log.made.iter_mut().find(|(made, _)| *made == name) {
            Some((_, count)) => {
                *count += 1;
                *count - 1
            }
            None => {
                log.made.push((name, 1));
                0
            }
        },
    )
}
