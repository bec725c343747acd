//! Happens-before by its edges alone, to see what only a fence orders.
//!
//! Loom takes two sequentially consistent fences for happens-before. The
//! language does not: they restrict what atomic loads read and order no plain
//! accesses. So in each execution that loom runs, the edges are drawn anew from
//! what was logged: program order, starting and joining threads, signals, locks,
//! and each Acquire load with the Release store that it reads from. Two accesses
//! of one buffer that these do not order are a data race.
//!
//! A load is matched with the newest store of the value it read. Stripe numbers
//! and epochs only grow, so there is one. Handing a stripe on at the end of a
//! thread is not logged: these edges are for threads that keep theirs.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use crate::history::{Clock, Clocks};
use crate::trace::{Action, Event, Step, What};

/// What tells objects apart.
type Object = (&'static str, usize);

/// Two accesses of one buffer that no edge orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// The buffer.
    pub object: Object,
    /// The indices of the two events.
    pub events: (usize, usize),
}

/// The first data race of an execution, if there is one.
pub fn race(events: &[Event]) -> Option<Race> {
    let mut edges = Edges::default();
    let mut clocks = Clocks::default();
    events.iter().enumerate().find_map(|(index, event)| {
        if let What::Step(step) = &event.what {
            clocks.learn(event.thread, edges.learned_by(step));
        }
        let now = clocks.tick(event);
        match &event.what {
            What::Step(step) => edges.left_by(index, event.thread, step, &now),
            _ => None,
        }
    })
}

#[derive(Default)]
struct Edges {
    /// By object and value: what a Release store of it publishes.
    released: HashMap<(Object, u64), Clock>,
    /// By lock: what its last section published.
    unlocked: HashMap<Object, Clock>,
    /// By buffer: its last access.
    accessed: HashMap<Object, Access>,
}

struct Access {
    index: usize,
    thread: usize,
    clock: Clock,
}

impl Edges {
    /// What a step learns of other threads.
    fn learned_by(&self, step: &Step) -> Option<&Clock> {
        match step.action {
            Action::Load { order, read } if acquires(order) => {
                self.released.get(&(object(step), read))
            }
            Action::Enter => self.unlocked.get(&object(step)),
            _ => None,
        }
    }

    /// What a step leaves to others; the race that it makes, if it makes one.
    fn left_by(&mut self, index: usize, thread: usize, step: &Step, now: &Clock) -> Option<Race> {
        let object = object(step);
        match step.action {
            Action::Store { order, written } => {
                // A relaxed store publishes nothing, and hides what was there.
                self.released.remove(&(object, written));
                if releases(order) {
                    self.released.insert((object, written), now.clone());
                }
            }
            Action::Leave => {
                self.unlocked.insert(object, now.clone());
            }
            Action::Access => return self.access(index, thread, object, now),
            _ => {}
        }
        None
    }

    fn access(&mut self, index: usize, thread: usize, object: Object, now: &Clock) -> Option<Race> {
        let clock = now.clone();
        let last = self.accessed.insert(
            object,
            Access {
                index,
                thread,
                clock,
            },
        )?;
        let is_ordered = last.clock.get(last.thread) <= now.get(last.thread);
        (!is_ordered).then_some(Race {
            object,
            events: (last.index, index),
        })
    }
}

fn object(step: &Step) -> Object {
    (step.object, step.instance)
}

fn acquires(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
    )
}

fn releases(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
    )
}
