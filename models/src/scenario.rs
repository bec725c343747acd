//! Who adds and who drains: the programs that the engines run.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Release};

use interval_stat::runtime::Atomic;

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::explore::Program;
use crate::history::History;
use crate::subject::{Subject, Writer};
use crate::trace::{self, Call, SharedLog, What};

/// The shape of a program. Its main thread is the first drainer; at the end it
/// joins all and drains once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scenario {
    /// Writers and drainers that start together.
    Together {
        /// Threads that add.
        writers: usize,
        /// Adds of each of them.
        adds: usize,
        /// Threads that drain, the main thread included.
        drainers: usize,
        /// Drains of each of them, the last one of all not counted.
        drains: usize,
    },
    /// One thread adds and signals; a second one adds if it hears the signal; the
    /// main thread listens, then drains. So that what precedes what is known
    /// across threads that nothing else orders.
    Signal,
    /// One thread adds and ends, then another one adds; the main thread drains
    /// beside them.
    HandOver {
        /// Drains, the last one not counted.
        drains: usize,
    },
    /// Threads that start together, add once and end, so that each may leave
    /// its stripe to any other with nothing else to order the two; the main
    /// thread drains beside them.
    Relay {
        /// Threads that add.
        writers: usize,
        /// Drains, the last one not counted.
        drains: usize,
    },
    /// One writer and one drainer, beside a thread that asks for the last
    /// interval and closes none. When the writer has ended, there is a drain that
    /// may still be beside a look.
    Watched {
        /// Adds.
        adds: usize,
        /// Drains beside the writer.
        drains: usize,
        /// Times that the thread asks.
        looks: usize,
    },
    /// Writers of batches of two samples, and one drainer.
    Batches {
        /// Threads that add.
        writers: usize,
        /// Batches of each of them.
        batches: usize,
        /// Drains, the last one not counted.
        drains: usize,
    },
}

impl Scenario {
    /// Writers and one drainer.
    pub const fn together(writers: usize, adds: usize, drains: usize) -> Self {
        Self::Together {
            writers,
            adds,
            drainers: 1,
            drains,
        }
    }

    /// Writers of batches, and one drainer.
    pub const fn batches(writers: usize, batches: usize, drains: usize) -> Self {
        Self::Batches {
            writers,
            batches,
            drains,
        }
    }

    /// How many threads it has, the main thread included.
    pub fn threads(&self) -> usize {
        match *self {
            Self::Together {
                writers, drainers, ..
            } => writers.saturating_add(drainers.max(1)),
            Self::Signal | Self::HandOver { .. } | Self::Watched { .. } => 3,
            Self::Relay { writers, .. } | Self::Batches { writers, .. } => {
                writers.saturating_add(1)
            }
        }
    }

    fn samples(&self) -> usize {
        match *self {
            Self::Together { writers, adds, .. } => writers.saturating_mul(adds),
            Self::Signal | Self::HandOver { .. } => 2,
            Self::Relay { writers, .. } => writers,
            Self::Watched { adds, .. } => adds,
            Self::Batches {
                writers, batches, ..
            } => writers.saturating_mul(batches).saturating_mul(2),
        }
    }

    /// Drains and looks of the thread that has most of them.
    fn reads(&self) -> usize {
        match *self {
            Self::Signal => 1,
            Self::Together { drains, .. }
            | Self::HandOver { drains }
            | Self::Relay { drains, .. }
            | Self::Batches { drains, .. } => drains,
            Self::Watched { drains, looks, .. } => drains.max(looks),
        }
    }

    /// Whether an engine can run it: there are as many samples as an `i64` has powers
    /// of two, and a model checker has a stack for each thread.
    ///
    /// # Errors
    ///
    /// What it has too many of.
    pub fn check_size(&self) -> Result<(), String> {
        let sizes = [
            (self.threads(), "threads", 65),
            (self.samples(), "samples", 64),
            (self.reads(), "drains or looks of a thread", 1_000),
        ];
        match sizes.into_iter().find(|&(size, _, most)| size > most) {
            Some((size, what, most)) => Err(format!("{size} {what}, and {most} is the most")),
            None => Ok(()),
        }
    }

    /// Its name in results, such as `2w x 1a, 1d`.
    pub fn name(&self) -> String {
        match self {
            Self::Together {
                writers,
                adds,
                drainers: 1,
                drains,
            } => {
                format!("{writers} writers x {adds} adds, {drains} drains")
            }
            Self::Together {
                writers,
                adds,
                drainers,
                drains,
            } => {
                format!("{writers} writers x {adds} adds, {drainers} drainers x {drains} drains")
            }
            Self::Signal => "signal, 2 writers x 1 adds, 1 drains".to_owned(),
            Self::HandOver { drains } => format!("hand-over, {drains} drains"),
            Self::Relay { writers, drains } => format!("relay of {writers}, {drains} drains"),
            Self::Watched {
                adds,
                drains,
                looks,
            } => {
                format!("1 writers x {adds} adds, {drains} drains, {looks} looks")
            }
            Self::Batches {
                writers,
                batches,
                drains,
            } => format!("{writers} writers x {batches} batches of 2, {drains} drains"),
        }
    }
}

impl Program for Scenario {
    fn run<S: Subject, E: Engine>(&self) -> History {
        trace::restart();
        let subject = Arc::new(S::new());
        match *self {
            Self::Together {
                writers,
                adds,
                drainers,
                drains,
            } => {
                together::<S, E>(&subject, writers, adds, sample, drainers, drains);
            }
            Self::Signal => signal::<S, E>(&subject),
            Self::HandOver { drains } => hand_over::<S, E>(&subject, drains),
            Self::Relay { writers, drains } => relay::<S, E>(&subject, writers, drains),
            Self::Watched {
                adds,
                drains,
                looks,
            } => watched::<S, E>(&subject, adds, drains, looks),
            Self::Batches {
                writers,
                batches,
                drains,
            } => together::<S, E>(&subject, writers, batches, batch, 1, drains),
        }
        drain::<S, E>(&subject);
        History::new(trace::take(), E::SEQUENTIAL)
    }
}

/// Samples are distinct powers of two (the 64th one negative), so that a sum
/// tells its samples.
fn sample(index: usize) -> Call {
    Call::Add(power(index))
}

/// As a [`sample`], two at once.
fn batch(index: usize) -> Call {
    static BATCHES: [[i64; 2]; 32] = {
        let mut batches = [[0; 2]; 32];
        let mut index = 0;
        while index < batches.len() {
            batches[index] = [power(2 * index), power(2 * index + 1)];
            index += 1;
        }
        batches
    };
    Call::AddBatch(&BATCHES[index])
}

const fn power(index: usize) -> i64 {
    1 << index
}

fn together<S: Subject, E: Engine>(
    subject: &Arc<S>,
    writers: usize,
    adds: usize,
    call: fn(usize) -> Call,
    drainers: usize,
    drains: usize,
) {
    let mut threads = Vec::new();
    for writer in 0..writers {
        let calls = (0..adds).map(move |add| call(writer * adds + add));
        threads.push(start::<S, E>(threads.len() + 1, subject, move |subject| {
            // Never handed on, which spares the engine the interleavings of it.
            std::mem::forget(add_all::<S, E>(subject, calls));
        }));
    }
    for _ in 1..drainers {
        threads.push(start::<S, E>(threads.len() + 1, subject, move |subject| {
            (0..drains).for_each(|_| drain::<S, E>(subject));
        }));
    }
    (0..drains).for_each(|_| drain::<S, E>(subject));
    threads.into_iter().for_each(Started::join);
}

fn signal<S: Subject, E: Engine>(subject: &Arc<S>) {
    let signal = Arc::new(E::Atomic::new("signal", 0));
    let (sent, heard) = (Arc::clone(&signal), Arc::clone(&signal));
    let first = start::<S, E>(1, subject, move |subject| {
        std::mem::forget(add_all::<S, E>(subject, [sample(0)]));
        trace::log(E::current(), What::Signalled);
        sent.store(1, Release);
    });
    let second = start::<S, E>(2, subject, move |subject| {
        if hears::<E>(&heard) {
            std::mem::forget(add_all::<S, E>(subject, [sample(1)]));
        }
    });
    hears::<E>(&signal);
    drain::<S, E>(subject);
    first.join();
    second.join();
}

/// Whether the first thread has signalled.
fn hears<E: Engine>(signal: &E::Atomic) -> bool {
    let heard = signal.load(Acquire) == 1;
    if heard {
        trace::log(E::current(), What::Heard(1));
    }
    heard
}

fn hand_over<S: Subject, E: Engine>(subject: &Arc<S>, drains: usize) {
    let second = start::<S, E>(1, subject, |subject| {
        let first = start::<S, E>(2, subject, |subject| {
            drop(add_all::<S, E>(subject, [sample(0)]));
        });
        first.join();
        drop(add_all::<S, E>(subject, [sample(1)]));
    });
    (0..drains).for_each(|_| drain::<S, E>(subject));
    second.join();
}

fn relay<S: Subject, E: Engine>(subject: &Arc<S>, writers: usize, drains: usize) {
    let threads: Vec<_> = (0..writers)
        .map(|writer| {
            start::<S, E>(writer + 1, subject, move |subject| {
                drop(add_all::<S, E>(subject, [sample(writer)]));
            })
        })
        .collect();
    (0..drains).for_each(|_| drain::<S, E>(subject));
    threads.into_iter().for_each(Started::join);
}

fn watched<S: Subject, E: Engine>(subject: &Arc<S>, adds: usize, drains: usize, looks: usize) {
    let looker = start::<S, E>(2, subject, move |subject| {
        (0..looks).for_each(|_| look::<S, E>(subject));
    });
    together::<S, E>(subject, 1, adds, sample, 1, drains);
    drain::<S, E>(subject);
    looker.join();
}

/// A thread of a program.
pub(crate) struct Started<E: Engine> {
    index: usize,
    thread: E::Handle,
}

pub(crate) fn start<S: Subject, E: Engine>(
    index: usize,
    subject: &Arc<S>,
    body: impl FnOnce(&Arc<S>) + Send + 'static,
) -> Started<E> {
    let subject = Arc::clone(subject);
    trace::log(E::current(), What::Spawned(index));
    let log = SharedLog::current();
    let thread = E::spawn(index, move || {
        log.adopt();
        body(&subject);
    });
    Started { index, thread }
}

impl<E: Engine> Started<E> {
    pub(crate) fn join(self) {
        E::join(self.thread);
        trace::log(E::current(), What::Joined(self.index));
    }
}

/// Makes the calls, which add, and returns what it added through.
fn add_all<S: Subject, E: Engine>(
    subject: &S,
    calls: impl IntoIterator<Item = Call>,
) -> S::Writer<'_> {
    let mut writer = subject.writer();
    for call in calls {
        trace::log(E::current(), What::Began(call));
        writer.call(call);
        trace::log(E::current(), What::Ended(None));
    }
    writer
}

fn drain<S: Subject, E: Engine>(subject: &S) {
    trace::log(E::current(), What::Began(Call::Drain));
    let batch = subject.drain();
    trace::log(E::current(), What::Ended(batch));
}

fn look<S: Subject, E: Engine>(subject: &S) {
    trace::log(E::current(), What::Began(Call::Look));
    subject.look();
    trace::log(E::current(), What::Ended(None));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_for_an_engine_is_named() {
        let relay = |writers| Scenario::Relay { writers, drains: 1 };
        let refused = |scenario: Scenario| scenario.check_size().unwrap_err();
        for scenario in [Scenario::Signal, relay(64), Scenario::together(8, 8, 1_000)] {
            assert_eq!(scenario.check_size(), Ok(()));
        }
        assert_eq!(refused(relay(65)), "66 threads, and 65 is the most");
        assert!(refused(Scenario::together(2, usize::MAX, 1)).contains("samples"));
        assert!(refused(Scenario::batches(3, 11, 1)).starts_with("66 samples"));
        assert!(refused(Scenario::HandOver { drains: 1_001 }).starts_with("1001 drains"));
    }

    #[test]
    fn every_thread_is_counted() {
        let two_drainers = Scenario::Together {
            writers: 2,
            adds: 1,
            drainers: 2,
            drains: 1,
        };
        assert_eq!(two_drainers.threads(), 4);
        assert_eq!(Scenario::batches(3, 1, 1).threads(), 4);
    }
}
