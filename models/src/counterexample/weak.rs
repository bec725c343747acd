//! Faults that take a weak memory model, found by loom: within ever more
//! preemptions, the first failure of ever larger programs.
//!
//! Loom stops at its first failure, so among the executions of one program the
//! one with the fewest steps is not sought.

use super::{Counterexample, Subject};
use crate::explore::loom;
use crate::explore::quiet::quietly;
use crate::history::History;
use crate::script::Script;
use crate::statistic::Statistic;

/// How it is found.
pub const METHOD: &str = "loom 0.7.3, within ever more preemptions, in ever larger programs";

/// An execution that loom stopped at.
#[derive(Debug, Clone)]
pub struct Stopped {
    /// The program.
    pub program: Script,
    /// The bound within which no smaller program has a failure.
    pub preemptions: usize,
    /// Loom's message.
    pub message: String,
    /// The execution, up to where it stopped.
    pub history: History,
}

/// The first failure, if there is one with at most so many preemptions.
pub fn first(
    statistic: Statistic,
    programs: &[Script],
    most_preemptions: usize,
) -> Option<Stopped> {
    let bounds = 0..=most_preemptions;
    let mut runs =
        bounds.flat_map(|preemptions| programs.iter().map(move |program| (preemptions, program)));
    quietly(|| {
        runs.find_map(|(preemptions, program)| {
            let (message, history) = loom::failure(statistic, program, preemptions)?;
            Some(Stopped {
                program: program.clone(),
                preemptions,
                message,
                history,
            })
        })
    })
}

impl Stopped {
    /// The execution as an example; the access that loom stopped at is marked.
    pub fn show(&self, subject: Subject) -> Counterexample {
        let message = self.message.lines().next().unwrap_or_default();
        let mut example = Counterexample::new(subject, &self.history, message, Some(message));
        example.preemptions = Some(self.preemptions);
        example.fatal =
            "the access that nothing orders after an earlier one of another thread".to_owned();
        example
    }
}
