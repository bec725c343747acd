//! The history of an execution: its operations, what they answered, and which
//! of them precede which.

use crate::batch::Batch;
use crate::trace::{Action, Call, Event, Step, What};

/// An operation from its call to its return.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The thread that called it.
    pub thread: usize,
    /// What was called.
    pub call: Call,
    /// What a drain reported; `None` for an add, or if it reported nothing.
    pub batch: Option<Batch>,
    /// The index of the event that began it.
    pub began: usize,
    /// The index of the event that ended it.
    pub ended: usize,
    clock: Clock,
    /// The clock when it ended.
    ended_clock: Clock,
}

/// An execution, ordered.
#[derive(Debug, Clone)]
pub struct History {
    /// Everything that happened, in order.
    pub events: Vec<Event>,
    /// The adds, in the order they began.
    pub adds: Vec<Operation>,
    /// The drains, in the order they began.
    pub drains: Vec<Operation>,
    /// The looks, in the order they began.
    pub looks: Vec<Operation>,
    sequential: bool,
}

impl History {
    /// Orders what was logged. In a `sequential` history what ended before
    /// something began precedes it; otherwise only happens-before counts: program
    /// order, starting and joining threads, and signals.
    pub fn new(events: Vec<Event>, sequential: bool) -> Self {
        let mut clocks = Clocks::default();
        let mut open: Vec<Operation> = Vec::new();
        let (mut adds, mut drains, mut looks) = (Vec::new(), Vec::new(), Vec::new());
        for (index, event) in events.iter().enumerate() {
            let clock = clocks.tick(event);
            match event.what {
                What::Began(call) => open.push(Operation {
                    thread: event.thread,
                    call,
                    batch: None,
                    began: index,
                    ended: index,
                    ended_clock: clock.clone(),
                    clock,
                }),
                What::Ended(batch) => {
                    let own = open.iter().rposition(|open| open.thread == event.thread);
                    let mut operation = open.remove(own.expect("what ends has begun"));
                    operation.batch = batch;
                    operation.ended = index;
                    operation.ended_clock = clock;
                    match operation.call {
                        Call::Add(_) | Call::AddBatch(_) => adds.push(operation),
                        Call::Drain => drains.push(operation),
                        Call::Look => looks.push(operation),
                    }
                }
                _ => {}
            }
        }
        adds.sort_by_key(|operation| operation.began);
        drains.sort_by_key(|operation| operation.began);
        looks.sort_by_key(|operation| operation.began);
        Self {
            events,
            adds,
            drains,
            looks,
            sequential,
        }
    }

    /// The history of the first so many events.
    #[must_use]
    pub fn up_to(mut self, events: usize) -> Self {
        self.events.truncate(events);
        Self::new(self.events, self.sequential)
    }

    /// Whether no two operations overlap.
    pub fn is_sequential(&self) -> bool {
        let mut operations: Vec<&Operation> = self.operations().collect();
        operations.sort_by_key(|operation| operation.began);
        operations
            .windows(2)
            .all(|pair| pair[0].ended < pair[1].began)
    }

    /// All operations.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.adds.iter().chain(&self.drains).chain(&self.looks)
    }

    /// Whether an add is in flight during a drain or a look.
    pub fn drains_meet_an_add(&self) -> bool {
        let mut drains = self.drains.iter().chain(&self.looks);
        drains.any(|drain| self.adds.iter().any(|add| drain.overlaps(add)))
    }

    /// Whether `first` returned before `second` was called, in the order that
    /// counts.
    pub fn precedes(&self, first: &Operation, second: &Operation) -> bool {
        if self.sequential {
            first.ended < second.began
        } else {
            first.ended_clock.get(first.thread) <= second.clock.get(first.thread)
        }
    }

    /// All samples.
    pub fn samples(&self) -> impl Iterator<Item = i64> {
        let adds = self.adds.iter();
        adds.flat_map(|add| add.call.samples().iter().copied())
    }

    /// What the drains reported.
    pub fn batches(&self) -> impl Iterator<Item = Batch> {
        self.drains.iter().map(Operation::reported)
    }

    /// The steps that an operation's thread took during it, with their index.
    pub fn steps<'a>(
        &'a self,
        operation: &Operation,
    ) -> impl Iterator<Item = (usize, &'a Step)> + use<'a> {
        let (began, thread) = (operation.began, operation.thread);
        let during = &self.events[began..operation.ended];
        during
            .iter()
            .enumerate()
            .filter_map(move |(offset, event)| match &event.what {
                What::Step(step) if event.thread == thread => Some((began + offset, step)),
                _ => None,
            })
    }

    /// How many samples there are, those of adds that did not end included.
    pub fn added(&self) -> usize {
        let adds = self.events.iter().map(|event| match &event.what {
            What::Began(call) => call.samples().len(),
            _ => 0,
        });
        adds.sum()
    }

    /// How many steps on shared memory there are, outside of operations as well.
    pub fn shared_steps(&self) -> usize {
        let shared =
            |event: &&Event| matches!(&event.what, What::Step(step) if step.action.is_shared());
        self.events.iter().filter(shared).count()
    }

    /// When the drain began to keep later adds out: its flip of the epoch, or
    /// for a statistic without one, its getting the lock.
    pub fn flip(&self, drain: &Operation) -> usize {
        let is = |wanted: fn(&Step) -> bool| {
            self.steps(drain)
                .find(|(_, step)| wanted(step))
                .map(|(index, _)| index)
        };
        let flips =
            |step: &Step| step.object == "epoch" && matches!(step.action, Action::Store { .. });
        let enters = |step: &Step| step.action == Action::Enter;
        is(flips).or_else(|| is(enters)).unwrap_or(drain.began)
    }

    /// Whether the operation had to wait for a lock that another thread held.
    pub fn was_blocked(&self, operation: &Operation) -> bool {
        let mut requests = self
            .steps(operation)
            .filter(|(_, step)| step.action == Action::Request);
        requests.any(|(asked, step)| self.is_held_by_another(asked, operation, step))
    }

    /// Whether another thread was in the section of `lock` at any time from
    /// when the operation asked for it until it got it.
    fn is_held_by_another(&self, asked: usize, operation: &Operation, lock: &Step) -> bool {
        let mut holder = None;
        for (index, event) in self.events[..operation.ended].iter().enumerate() {
            match &event.what {
                What::Step(step) if step.is_on_object_of(lock) => match step.action {
                    Action::Enter => holder = Some(event.thread),
                    Action::Leave => holder = None,
                    _ => {}
                },
                _ => {}
            }
            if index >= asked && holder.is_some() {
                return holder != Some(operation.thread);
            }
        }
        false
    }
}

impl Operation {
    /// The summary of what it adds.
    pub fn added(&self) -> Batch {
        Batch::summarize(self.call.samples().iter().copied())
    }

    /// Whether another operation was under way at the same time.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.began != other.began && self.began < other.ended && other.began < self.ended
    }

    /// What a drain reported; nothing reported is the summary of nothing.
    pub fn reported(&self) -> Batch {
        self.batch.unwrap_or_default()
    }
}

/// A vector clock: how many events of each thread happened before.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clock(Vec<usize>);

impl Clock {
    pub(crate) fn get(&self, thread: usize) -> usize {
        self.0.get(thread).copied().unwrap_or(0)
    }

    fn set(&mut self, thread: usize, events: usize) {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] = events;
    }

    fn merge(&mut self, other: &Self) {
        for (thread, &events) in other.0.iter().enumerate() {
            self.set(thread, events.max(self.get(thread)));
        }
    }
}

/// The clocks of all threads.
#[derive(Default)]
pub(crate) struct Clocks {
    now: Vec<Clock>,
    /// By thread: its clock when it signalled.
    signalled: Vec<Clock>,
}

fn of(clocks: &mut Vec<Clock>, thread: usize) -> &mut Clock {
    if clocks.len() <= thread {
        clocks.resize_with(thread + 1, Clock::default);
    }
    &mut clocks[thread]
}

impl Clocks {
    /// The thread comes after what `clock` says, beyond what the events say.
    pub(crate) fn learn(&mut self, thread: usize, clock: Option<&Clock>) {
        if let Some(clock) = clock {
            of(&mut self.now, thread).merge(clock);
        }
    }

    pub(crate) fn tick(&mut self, event: &Event) -> Clock {
        let thread = event.thread;
        let learned = match event.what {
            What::Joined(ended) => Some(of(&mut self.now, ended).clone()),
            What::Heard(from) => Some(of(&mut self.signalled, from).clone()),
            _ => None,
        };
        let own = of(&mut self.now, thread);
        own.merge(&learned.unwrap_or_default());
        own.set(thread, own.get(thread) + 1);
        let now = own.clone();
        match event.what {
            What::Spawned(started) => *of(&mut self.now, started) = now.clone(),
            What::Signalled => *of(&mut self.signalled, thread) = now.clone(),
            _ => {}
        }
        now
    }
}

#[cfg(test)]
pub(crate) mod written {
    //! Histories written by hand.

    use std::panic::Location;
    use std::sync::atomic::Ordering::{Acquire, Release};

    use super::*;

    /// Reads a history of `thread:event` words, on one clock. `+8` calls add(8),
    /// `+1,8` add_batch(1, 8), `.` returns from it, `?` calls a drain, `=1,8` returns from it with the
    /// summary of 1 and 8, `>` signals, `<1` hears the signal of thread 1. Of the steps, `o7` and `s7` store and load 7 as a
    /// stripe's sequence number, `!` flips the epoch, `p` pauses, and `r`, `e`,
    /// `l` request, enter and leave a lock.
    pub(crate) fn history(text: &str) -> History {
        History::new(text.split_whitespace().map(event).collect(), true)
    }

    fn event(word: &str) -> Event {
        let (thread, what) = word.split_once(':').expect("thread:event");
        let (kind, value) = what.split_at(1);
        let number = || value.parse().expect("a number");
        let step = |object, action| {
            let place = Location::caller();
            What::Step(Step {
                object,
                instance: 0,
                action,
                place,
            })
        };
        let what = match kind {
            "+" => What::Began(match &*samples(value).collect::<Vec<_>>() {
                &[sample] => Call::Add(sample),
                samples => Call::AddBatch(samples.to_vec().leak()),
            }),
            "." => What::Ended(None),
            "?" => What::Began(Call::Drain),
            "=" => What::Ended(Some(Batch::summarize(samples(value)))),
            "o" => step(
                "seq",
                Action::Store {
                    order: Release,
                    written: number(),
                },
            ),
            "s" => step(
                "seq",
                Action::Load {
                    order: Acquire,
                    read: number(),
                },
            ),
            "!" => step(
                "epoch",
                Action::Store {
                    order: Release,
                    written: 1,
                },
            ),
            ">" => What::Signalled,
            "<" => What::Heard(value.parse().expect("a thread")),
            "p" => step("", Action::Pause),
            "r" => step("lock", Action::Request),
            "e" => step("lock", Action::Enter),
            "l" => step("lock", Action::Leave),
            _ => panic!("unknown event {word}"),
        };
        Event {
            thread: thread.parse().expect("a thread"),
            what,
        }
    }

    fn samples(text: &str) -> impl Iterator<Item = i64> {
        let samples = text.split(',').filter(|sample| !sample.is_empty());
        samples.map(|sample| sample.parse().expect("a sample"))
    }
}
