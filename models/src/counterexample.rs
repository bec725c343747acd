//! A failing execution, shown so that somebody who has never used a model
//! checker sees the fault: as data, as text ([`Display`](std::fmt::Display)) and
//! as a [picture](Counterexample::picture).

use serde::Serialize;

use crate::batch::Batch;
use crate::history::History;
use crate::table::{Table, summary};

#[cfg(all(feature = "loom", feature = "shuttle"))]
pub mod catalogue;
pub mod failure;
pub mod fault;
mod picture;
#[cfg(feature = "shuttle")]
pub mod search;
mod text;
#[cfg(feature = "loom")]
pub mod weak;

/// For somebody who sees such a table for the first time.
const LEGEND: &str = "A row is a step, and at the right is what the statistic holds after it. \
    swap: a read and a write at once, old → new. cas: a swap, if the word still holds the old \
    value. sd: standard deviation.";

/// What an execution did, what it reported, and what is right.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counterexample {
    /// What it is an example of.
    pub subject: Subject,
    /// How many steps on shared memory it takes.
    pub steps: usize,
    /// How many switches away from a thread that could have gone on, if they
    /// were counted.
    pub preemptions: Option<usize>,
    /// How many samples are added.
    pub samples: usize,
    /// The execution.
    pub table: Table,
    /// Why the row that the table points at is the fatal one.
    pub fatal: String,
    /// What is wrong with what was reported.
    pub fault: String,
    /// What each drain reported, and all together; nothing of an execution that
    /// ended early.
    pub reported: Vec<String>,
    /// What all together should be.
    pub right: Vec<String>,
}

/// What a counterexample is an example of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// The short name, such as `O4`.
    pub name: String,
    /// What goes wrong, in a few words.
    pub title: String,
    /// The statistic.
    pub statistic: String,
    /// What its threads call.
    pub program: String,
    /// What found it.
    pub found_by: String,
    /// Why it goes wrong, in two sentences.
    pub explanation: String,
    /// The command that shows it again.
    pub command: String,
}

impl Counterexample {
    /// The execution as an example of `subject`; its last step is the fatal one
    /// until [`point_at`](Self::point_at) says which is. `ended_by` is what
    /// ended it early, if something did.
    pub fn new(subject: Subject, history: &History, fault: &str, ended_by: Option<&str>) -> Self {
        let mut table = Table::new(history, ended_by);
        if table.fatal.is_none() {
            table.fatal = table.rows.len().checked_sub(1);
        }
        Self {
            subject,
            steps: history.shared_steps(),
            preemptions: None,
            samples: history.added(),
            table,
            fatal: "the last step, where the fault was noticed".to_owned(),
            fault: fault.to_owned(),
            reported: ended_by.map_or_else(|| reported(history), |_| Vec::new()),
            right: ended_by.map_or_else(|| right(history), |_| Vec::new()),
        }
    }

    /// Marks the row that shows the event as the fatal one, and says why.
    pub fn point_at(&mut self, event: usize, why: &str) {
        self.table.point_at(event);
        self.fatal = why.to_owned();
    }

    /// Its picture, an SVG document.
    pub fn picture(&self) -> String {
        picture::draw(self).to_string()
    }
}

fn right(history: &History) -> Vec<String> {
    let all = Batch::summarize(history.samples());
    vec![format!("together: {}", summary(&all))]
}

fn reported(history: &History) -> Vec<String> {
    let drains = history.drains.iter().enumerate().map(|(index, drain)| {
        let batch = drain.batch.as_ref().map_or("nothing".to_owned(), summary);
        format!("drain {}: {batch}", index + 1)
    });
    let all = history.batches().fold(Batch::default(), Batch::merged);
    drains
        .chain([format!("together: {}", summary(&all))])
        .collect()
}
