//! The smallest execution with a fault, found by search: least preemptions, then
//! fewest steps, then fewest samples.

use std::ops::ControlFlow;

use super::fault::Fault;
use super::{Counterexample, Subject};
use crate::explore::bounded::{Bounds, Decision, Visitor, each};
use crate::explore::quiet::quietly;
use crate::history::History;
use crate::script::Script;
use crate::statistic::Statistic;
use crate::trace::What;

/// How it is found.
pub const METHOD: &str =
    "the smallest of all schedules of all programs up to a size, on shuttle's threads";

/// The preemptions that a schedule may use to avoid a fault.
const EVASIONS: usize = 2;

/// An execution with a fault, and what it took to find it.
#[derive(Debug, Clone)]
pub struct Found {
    /// What was run.
    pub statistic: Statistic,
    /// The program.
    pub program: Script,
    /// What was looked for.
    pub fault: Fault,
    /// What is wrong.
    pub message: String,
    /// The execution.
    pub history: History,
    /// How many preemptions it has.
    pub preemptions: usize,
    decisions: Vec<Decision>,
}

/// The smallest execution of one of the programs that has the fault, if one with
/// at most so many preemptions has it.
pub fn smallest(
    statistic: Statistic,
    programs: &[Script],
    fault: Fault,
    most_preemptions: usize,
) -> Option<Found> {
    quietly(|| {
        (0..=most_preemptions)
            .find_map(|preemptions| smallest_with(statistic, programs, fault, preemptions))
    })
}

fn smallest_with(
    statistic: Statistic,
    programs: &[Script],
    fault: Fault,
    preemptions: usize,
) -> Option<Found> {
    let found = programs.iter().filter_map(|program| {
        let bounds = Bounds {
            prefix: Vec::new(),
            preemptions,
        };
        let visitor = each(statistic, program, bounds, Smallest::new(fault));
        let (message, history, decisions) = visitor.found?;
        Some(Found {
            statistic,
            program: program.clone(),
            fault,
            message,
            history,
            preemptions,
            decisions,
        })
    });
    found.min_by_key(|found| size(&found.history))
}

fn size(history: &History) -> (usize, usize) {
    (history.shared_steps(), history.added())
}

/// Keeps the first of the smallest executions that have the fault.
struct Smallest {
    fault: Fault,
    found: Option<(String, History, Vec<Decision>)>,
}

impl Smallest {
    fn new(fault: Fault) -> Self {
        Self { fault, found: None }
    }
}

impl Visitor for Smallest {
    fn visit(&mut self, history: History, decisions: &[Decision]) -> ControlFlow<()> {
        let message = self.fault.of(&history);
        let history = up_to_a_panic(history);
        let is_smaller = |(_, found, _): &(_, History, _)| size(&history) < size(found);
        if let Some(message) = message
            && self.found.as_ref().is_none_or(is_smaller)
        {
            self.found = Some((message, history, decisions.to_vec()));
        }
        ControlFlow::Continue(())
    }
}

/// What comes after a panic shows nothing more.
fn up_to_a_panic(history: History) -> History {
    let panicked = |event: &crate::trace::Event| matches!(event.what, What::Panicked(_));
    match history.events.iter().position(panicked) {
        Some(panicked) => history.up_to(panicked + 1),
        None => history,
    }
}

impl Found {
    /// The execution as an example, its fatal step marked.
    pub fn show(&self, subject: Subject) -> Counterexample {
        let mut example =
            Counterexample::new(subject, &self.history, &self.message, self.ended_by());
        example.preemptions = Some(self.preemptions);
        if let Fault::Broken([guarantee]) = self.fault {
            example.right.push(guarantee.promise().to_owned());
        }
        match quietly(|| self.fatal()) {
            Some(event) => example.point_at(
                event,
                "the fatal step; after it no schedule with up to 2 more preemptions avoids the fault",
            ),
            None => example.fatal = "no step decides it: no schedule of this program avoids the fault".to_owned(),
        }
        example
    }

    /// The panic that ended it early, if one did.
    fn ended_by(&self) -> Option<&str> {
        let last = self.history.events.last()?;
        matches!(last.what, What::Panicked(_)).then_some(self.message.as_str())
    }

    /// The event of the first step after which no schedule avoids the fault; if
    /// none does from the beginning, there is no such step.
    fn fatal(&self) -> Option<usize> {
        let decisive = (0..self.decisions.len())
            .rev()
            .find(|&made| self.can_avoid(made))?;
        // A decision takes effect in the step that its thread takes first.
        let from = self.decisions[decisive].events;
        let until = self
            .decisions
            .get(decisive + 1)
            .map_or(self.history.events.len(), |next| next.events);
        let mut steps = (from..until.min(self.history.events.len())).filter(|&event| {
            matches!(&self.history.events[event].what, What::Step(step) if step.action.is_shared())
        });
        steps.next().or(Some(from))
    }

    /// Whether a schedule that begins with the first so many decisions avoids the
    /// fault.
    fn can_avoid(&self, made: usize) -> bool {
        let bounds = Bounds {
            prefix: self.decisions[..made]
                .iter()
                .map(|decision| decision.thread)
                .collect(),
            preemptions: EVASIONS,
        };
        let escape = Escape {
            fault: self.fault,
            found: false,
        };
        each(self.statistic, &self.program, bounds, escape).found
    }
}

/// Stops at an execution without the fault.
struct Escape {
    fault: Fault,
    found: bool,
}

impl Visitor for Escape {
    fn visit(&mut self, history: History, _: &[Decision]) -> ControlFlow<()> {
        self.found = self.fault.of(&history).is_none();
        if self.found {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
