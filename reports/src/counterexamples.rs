//! The smallest interleavings that refute the merged algorithm, and those that
//! kill the drafts of the striped one.

use models::counterexample::{self, Counterexample};
use serde::{Deserialize, Serialize};

/// A counterexample, drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
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
    /// How many preemptions it takes, if they were counted.
    pub preemptions: Option<usize>,
    /// How many steps on shared memory it takes.
    pub steps: usize,
    /// How many samples are added.
    pub samples: usize,
    /// What is wrong with what was reported.
    pub fault: String,
    /// What was reported, a line a drain.
    pub reported: Vec<String>,
    /// What is right.
    pub right: Vec<String>,
    /// Why it goes wrong.
    pub explanation: String,
    /// The command that shows it again.
    pub command: String,
    /// The execution as a picture.
    pub svg: String,
}

impl From<Counterexample> for Drawn {
    fn from(example: Counterexample) -> Self {
        let svg = example.picture();
        let subject = example.subject;
        Self {
            name: subject.name,
            title: subject.title,
            statistic: subject.statistic,
            program: subject.program,
            found_by: subject.found_by,
            preemptions: example.preemptions,
            steps: example.steps,
            samples: example.samples,
            fault: example.fault,
            reported: example.reported,
            right: example.right,
            explanation: subject.explanation,
            command: subject.command,
            svg,
        }
    }
}

/// Searches for them all.
pub(crate) fn search() -> Vec<Drawn> {
    let found = counterexample::catalogue::all();
    found.into_iter().map(Drawn::from).collect()
}
