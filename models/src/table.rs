//! A history as a table for people: a column a thread, a row a step, and beside
//! each row what the statistic holds.
//!
//! An add whose steps nothing comes between is one row: that it took several
//! steps did not matter. So is a drain during which no other operation is under
//! way, and so are the steps that a thread takes between its operations. Only
//! where nothing runs at once the steps of drains are shown all the same, since
//! the fault is in them then.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::Ordering;

use serde::Serialize;

use crate::batch::Batch;
use crate::history::History;
use crate::trace::{Action, Call, Event, Step, What};

/// An execution, row by row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The headings: a column a thread.
    pub columns: Vec<String>,
    /// What happened, in order.
    pub rows: Vec<Row>,
    /// The index of the row to point at, if there is one.
    pub fatal: Option<usize>,
}

/// What one thread did, and what the statistic holds after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Which thread, by its column.
    pub column: usize,
    /// What it did.
    pub entry: Entry,
    /// The values of the words that change in this execution, as far as they
    /// are known.
    pub state: Vec<Value>,
    /// The events that it shows.
    #[serde(skip)]
    pub events: Range<usize>,
}

/// What a row shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// An operation begins.
    Began {
        /// Such as `add 5`.
        call: String,
    },
    /// A step on shared memory.
    Step {
        /// What is done, in a word.
        operation: &'static str,
        /// To what, by its name in the source; empty for a fence.
        object: String,
        /// The value read or written.
        value: String,
        /// The memory ordering, if it has one.
        ordering: &'static str,
    },
    /// Several steps that nothing came between.
    Whole {
        /// The operation, or what they are for.
        call: String,
        /// How many.
        steps: usize,
        /// What it reports, if it reports something.
        reported: Option<String>,
    },
    /// An operation returns.
    Ended {
        /// Its call.
        call: String,
        /// What it reports, if it reports something.
        reported: Option<String>,
    },
    /// An operation panics, or the model checker stops at it.
    Failed {
        /// Why.
        message: String,
    },
}

/// A value that the statistic holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Value {
    /// The name of the word in the source.
    pub object: String,
    /// What it holds.
    pub value: String,
    /// Whether the row's own step left it there.
    pub written: bool,
}

impl Table {
    /// The history as a table; `failure` is what ended it early, if something
    /// did.
    pub fn new(history: &History, failure: Option<&str>) -> Self {
        let names = Names::of(&history.events);
        let mut rows = Vec::new();
        let mut next = 0;
        while next < history.events.len() {
            let events = next..whole(history, next);
            next = events.end;
            if let Some((thread, entry)) = entry(history, &events, &names) {
                rows.push(Row {
                    column: thread,
                    entry,
                    state: Vec::new(),
                    events,
                });
            }
        }
        let fatal = failure
            .filter(|_| !ends_in_a_panic(history))
            .map(|message| {
                let last = history.events.last();
                rows.push(Row {
                    column: last.map_or(0, |event| event.thread),
                    entry: Entry::Failed {
                        message: message.to_owned(),
                    },
                    state: Vec::new(),
                    events: history.events.len()..history.events.len(),
                });
                rows.len() - 1
            });
        let mut table = Self {
            columns: Vec::new(),
            rows,
            fatal,
        };
        table.fill_in_states(&history.events, &names);
        table.name_columns(history);
        table
    }

    /// The memory ordering of all steps that have one, if it is the same.
    pub fn common_ordering(&self) -> Option<&'static str> {
        let mut orderings = self.rows.iter().filter_map(|row| match row.entry {
            Entry::Step { ordering, .. } if !ordering.is_empty() => Some(ordering),
            _ => None,
        });
        let first = orderings.next()?;
        orderings.all(|ordering| ordering == first).then_some(first)
    }

    /// Whether the column shows single steps.
    pub fn has_steps(&self, column: usize) -> bool {
        let mut rows = self.rows.iter().filter(|row| row.column == column);
        rows.any(|row| matches!(row.entry, Entry::Step { .. }))
    }

    /// Points at the row that shows the event.
    pub fn point_at(&mut self, event: usize) {
        self.fatal = self.rows.iter().position(|row| event < row.events.end);
    }

    fn fill_in_states(&mut self, events: &[Event], names: &Names) {
        let mut state = State::before(events, names);
        let mut next = 0;
        for row in &mut self.rows {
            state.unmark();
            state.note_a_stale_read(&mut row.entry);
            let shown = events[next..row.events.end].iter();
            shown.for_each(|event| state.take(event, names));
            next = row.events.end;
            row.state = state.values();
        }
    }

    /// The main thread comes last: it acts at the end.
    fn name_columns(&mut self, history: &History) {
        let mut threads: Vec<usize> = self.rows.iter().map(|row| row.column).collect();
        threads.sort_unstable();
        threads.dedup();
        if threads.first() == Some(&0) {
            threads.rotate_left(1);
        }
        let heading = |&thread: &usize| heading(history, thread);
        self.columns = threads.iter().map(heading).collect();
        let column = |thread| threads.iter().position(|&other| other == thread);
        for row in &mut self.rows {
            row.column = column(row.column).expect("its thread is one of them");
        }
    }
}

fn ends_in_a_panic(history: &History) -> bool {
    let last = history.events.last();
    last.is_some_and(|event| matches!(event.what, What::Panicked(_)))
}

fn heading(history: &History, thread: usize) -> String {
    let calls = |wanted: fn(Call) -> bool| {
        history.events.iter().any(|event| {
            event.thread == thread && matches!(event.what, What::Began(call) if wanted(call))
        })
    };
    let adds = calls(|call| call.adds());
    let role = match (thread, adds) {
        (0, _) => return "main thread".to_owned(),
        (_, true) => "adds",
        (_, false) if calls(|call| call == Call::Drain) => "drains",
        (_, false) => "looks",
    };
    format!("thread {thread} ({role})")
}

/// The end of what is shown in one row with the event.
fn whole(history: &History, first: usize) -> usize {
    let events = &history.events;
    let run = events[first..]
        .iter()
        .take_while(|next| next.thread == events[first].thread);
    let mut rest = events[first..first + run.clone().count()].iter();
    match events[first].what {
        What::Began(call) if !shows_steps(history, call, first) => rest
            .position(|event| matches!(event.what, What::Ended(_)))
            .map_or(first + 1, |ended| first + ended + 1),
        What::Step(_) if open_call(events, first).is_none() => {
            first
                + rest
                    .take_while(|event| matches!(event.what, What::Step(_)))
                    .count()
        }
        _ => first + 1,
    }
}

/// Whether the call that begins with the event is shown step by step even if
/// nothing comes between its steps.
fn shows_steps(history: &History, call: Call, began: usize) -> bool {
    let overlapped = || {
        let mut drains = history.drains.iter().chain(&history.looks);
        drains.any(|drain| {
            drain.began == began && history.operations().any(|other| drain.overlaps(other))
        })
    };
    !call.adds() && (history.is_sequential() || overlapped())
}

/// The call that the event's thread is in.
fn open_call(events: &[Event], event: usize) -> Option<Call> {
    let thread = events[event].thread;
    let own = events[..event]
        .iter()
        .rev()
        .filter(|event| event.thread == thread);
    let mut bounds = own.filter_map(|event| match event.what {
        What::Began(call) => Some(Some(call)),
        What::Ended(_) => Some(None),
        _ => None,
    });
    bounds.next().flatten()
}

fn entry(history: &History, events: &Range<usize>, names: &Names) -> Option<(usize, Entry)> {
    let event = &history.events[events.start];
    let entry = match (&event.what, events.len()) {
        (What::Began(call), 1) => Entry::Began {
            call: call.to_string(),
        },
        (What::Began(call), _) => Entry::Whole {
            call: call.to_string(),
            steps: shared_steps(&history.events[events.clone()]),
            reported: match &history.events[events.end - 1].what {
                What::Ended(batch) => batch.as_ref().map(brief),
                _ => None,
            },
        },
        (What::Step(step), 1) if open_call(&history.events, events.start).is_some() => {
            step_entry(history, events.start, step, names)?
        }
        (What::Step(_), _) => Entry::Whole {
            call: "between calls".to_owned(),
            steps: shared_steps(&history.events[events.clone()]),
            reported: None,
        },
        (What::Ended(batch), _) => Entry::Ended {
            call: open_call(&history.events, events.start)
                .expect("what ends has begun")
                .to_string(),
            reported: batch.as_ref().map(brief),
        },
        (What::Panicked(message), _) => Entry::Failed {
            message: message.clone(),
        },
        (What::Spawned(_) | What::Joined(_) | What::Signalled | What::Heard(_), _) => return None,
    };
    Some((event.thread, entry))
}

fn shared_steps(events: &[Event]) -> usize {
    let shared =
        |event: &&Event| matches!(&event.what, What::Step(step) if step.action.is_shared());
    events.iter().filter(shared).count()
}

/// A request for a lock is shown only if the lock had to be waited for.
fn step_entry(history: &History, index: usize, step: &Step, names: &Names) -> Option<Entry> {
    let own = history.events[index + 1..].iter();
    let next_is_own = own
        .clone()
        .next()
        .is_some_and(|next| next.thread == history.events[index].thread);
    if step.action == Action::Request && next_is_own {
        return None;
    }
    let (operation, value) = match step.action {
        Action::Load { read, .. } => ("read", number(read)),
        Action::Store { written, .. } => ("write", number(written)),
        Action::Swap { read, written, .. } => {
            ("swap", format!("{} → {}", number(read), number(written)))
        }
        Action::CompareExchange {
            read,
            written: Some(written),
            ..
        } => ("cas", format!("{} → {}", number(read), number(written))),
        Action::CompareExchange { read, .. } => ("cas", format!("fails at {}", number(read))),
        Action::LoadPointer { null: true, .. } => ("read", "null".to_owned()),
        Action::LoadPointer { .. } => ("read", "not null".to_owned()),
        Action::StorePointer { .. } => ("write", "not null".to_owned()),
        Action::LightFence => ("light fence", String::new()),
        Action::HeavyFence => ("heavy fence", String::new()),
        Action::Request => ("wait for", String::new()),
        Action::Enter => ("lock", String::new()),
        Action::Leave => ("unlock", String::new()),
        Action::Access => ("access", String::new()),
        Action::Pause => ("pause", String::new()),
    };
    Some(Entry::Step {
        operation,
        object: names.of_step(step),
        value,
        ordering: ordering(step.action),
    })
}

/// A word as the number that it most likely stands for.
fn number(word: u64) -> String {
    sample(i64::from_ne_bytes(word.to_ne_bytes()))
}

fn ordering(action: Action) -> &'static str {
    match action {
        Action::Load { order, .. }
        | Action::Store { order, .. }
        | Action::Swap { order, .. }
        | Action::CompareExchange { order, .. }
        | Action::LoadPointer { order, .. }
        | Action::StorePointer { order } => match order {
            Ordering::Relaxed => "Relaxed",
            Ordering::Acquire => "Acquire",
            Ordering::Release => "Release",
            Ordering::AcqRel => "AcqRel",
            _ => "SeqCst",
        },
        _ => "",
    }
}

/// The figures of a summary, by name.
pub fn figures(batch: &Batch) -> [(&'static str, String); 6] {
    let extreme = |extreme: Option<i64>| extreme.map_or("none".to_owned(), sample);
    let real = |real: Option<f64>| {
        let rounded = real.map(|real| (real * 1e3).round() / 1e3);
        rounded.map_or("none".to_owned(), |real| real.to_string())
    };
    [
        ("n", batch.count.to_string()),
        ("sum", batch.sum.to_string()),
        ("mean", real(batch.mean())),
        ("sd", real(batch.deviation())),
        ("min", extreme(batch.min)),
        ("max", extreme(batch.max)),
    ]
}

/// What fits in a cell: `n 3, sum 12, min 3, max 5`.
fn brief(batch: &Batch) -> String {
    let figures = figures(batch).map(|(name, figure)| format!("{name} {figure}"));
    let [n, sum, _, _, min, max] = figures;
    [n, sum, min, max].join(", ")
}

/// Such as `n 3, sum 12, mean 4, sd 1.5, min 3, max 5`.
pub fn summary(batch: &Batch) -> String {
    figures(batch)
        .map(|(name, figure)| format!("{name} {figure}"))
        .join(", ")
}

/// Such as `together, sum is 2030, not 1030`.
pub fn differences(reported: &Batch, right: &Batch) -> String {
    let pairs = figures(reported).into_iter().zip(figures(right));
    let pairs = pairs.filter(|(reported, right)| reported != right);
    let pairs =
        pairs.map(|((name, reported), (_, right))| format!("{name} is {reported}, not {right}"));
    format!("together, {}", pairs.collect::<Vec<_>>().join("; "))
}

/// The largest and the smallest sample have names.
fn sample(sample: i64) -> String {
    match sample {
        i64::MAX => "MAX".to_owned(),
        i64::MIN => "MIN".to_owned(),
        sample => sample.to_string(),
    }
}

/// What objects are called: by their name in the source, with an index where
/// there are several.
struct Names(BTreeMap<&'static str, usize>);

impl Names {
    fn of(events: &[Event]) -> Self {
        let mut last = BTreeMap::new();
        for event in events {
            if let What::Step(step) = &event.what {
                let last = last.entry(step.object).or_insert(0);
                *last = step.instance.max(*last);
            }
        }
        Self(last)
    }

    fn of_step(&self, step: &Step) -> String {
        match self.0.get(step.object) {
            Some(1..) => format!("{}[{}]", step.object, step.instance),
            _ => step.object.to_owned(),
        }
    }
}

/// What the words that change hold.
struct State {
    changing: Vec<String>,
    held: BTreeMap<String, (u64, bool)>,
}

impl State {
    /// Before the first event. What a word held then, is known if its first
    /// access reads it.
    fn before(events: &[Event], names: &Names) -> Self {
        let mut held = BTreeMap::new();
        let mut accessed = BTreeSet::new();
        let mut changing = Vec::new();
        for event in events {
            let What::Step(step) = &event.what else {
                continue;
            };
            let (read, written) = read_and_written(step.action);
            let name = names.of_step(step);
            if written.is_some() && !changing.contains(&name) {
                changing.push(name.clone());
            }
            if accessed.insert(name.clone())
                && let Some(read) = read
            {
                held.insert(name, (read, false));
            }
        }
        held.retain(|name, _| changing.contains(name));
        Self { changing, held }
    }

    fn take(&mut self, event: &Event, names: &Names) {
        if let What::Step(step) = &event.what
            && let (_, Some(written)) = read_and_written(step.action)
        {
            self.held.insert(names.of_step(step), (written, true));
        }
    }

    /// On weak memory a read may return less than the newest value.
    fn note_a_stale_read(&self, entry: &mut Entry) {
        if let Entry::Step {
            operation: "read",
            object,
            value,
            ..
        } = entry
            && let Some(&(newest, _)) = self.held.get(object)
            && *value != number(newest)
        {
            *value += &format!(" (newest {})", number(newest));
        }
    }

    fn unmark(&mut self) {
        self.held
            .values_mut()
            .for_each(|(_, written)| *written = false);
    }

    fn values(&self) -> Vec<Value> {
        let value = |object: &String| {
            let &(value, written) = self.held.get(object)?;
            Some(Value {
                object: object.clone(),
                value: number(value),
                written,
            })
        };
        self.changing.iter().filter_map(value).collect()
    }
}

fn read_and_written(action: Action) -> (Option<u64>, Option<u64>) {
    match action {
        Action::Load { read, .. } => (Some(read), None),
        Action::Store { written, .. } => (None, Some(written)),
        Action::Swap { read, written, .. } => (Some(read), Some(written)),
        Action::CompareExchange { read, written, .. } => (Some(read), written),
        _ => (None, None),
    }
}
