//! What running a model showed, as data.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::guarantees::{Guarantee, steps_of_adds};
use crate::history::History;
use crate::model::Model;
use crate::witness::{self, Witness};

/// The result of one model: a statistic, a scenario and an engine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The engine that ran it.
    pub engine: String,
    /// The engine and its version.
    pub tool: String,
    /// The statistic checked.
    pub statistic: String,
    /// The program that was run.
    pub scenario: String,
    /// How the executions were chosen.
    pub search: String,
    /// Whether all executions within the bound were explored, and the search
    /// was not cut off.
    pub exhaustive: bool,
    /// How many executions were explored.
    pub executions: u64,
    /// How long it took.
    pub seconds: f64,
    /// What the engine can judge.
    pub checked: Vec<Guarantee>,
    /// By guarantee: in how many executions it was broken.
    pub broken: BTreeMap<Guarantee, u64>,
    /// The numbers of steps that adds took, each thread's first not counted.
    pub add_steps: BTreeSet<usize>,
    /// In how many executions the interesting states were reached.
    pub witnesses: BTreeMap<Witness, u64>,
    /// What stopped the search early: a data race that loom found, a deadlock,
    /// a panic.
    pub failure: Option<String>,
}

impl Outcome {
    /// Whether the guarantee was judged, held in every execution and over all of
    /// them, and none was cut short.
    pub fn holds(&self, guarantee: Guarantee) -> bool {
        self.failure.is_none() && self.checked.contains(&guarantee) && !self.breaks(guarantee)
    }

    /// Whether an execution breaks the guarantee, or two of them together: adds
    /// are not wait-free if their numbers of steps differ.
    pub fn breaks(&self, guarantee: Guarantee) -> bool {
        self.broken.contains_key(&guarantee)
            || guarantee == Guarantee::G6 && self.add_steps.len() > 1
    }

    /// Whether it is what the model is there to show: every guarantee that the
    /// statistic keeps holds, adds take one number of steps if they are
    /// wait-free, and every interesting state was reached.
    ///
    /// # Errors
    ///
    /// What is missing.
    pub fn meets(&self, model: &Model) -> Result<(), String> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let keeps = model.statistic.keeps();
        if let Some(broken) = keeps.iter().find(|guarantee| self.breaks(**guarantee)) {
            return Err(format!("{broken} is broken: {}", self.line()));
        }
        let missed = |witness: &&Witness| !self.witnesses.contains_key(*witness);
        match model.must_reach().iter().find(missed) {
            Some(witness) => Err(format!("no execution reached {witness:?}")),
            None => Ok(()),
        }
    }

    /// The line for people.
    pub fn line(&self) -> String {
        let broken: Vec<String> = self
            .broken
            .iter()
            .map(|(guarantee, executions)| format!("{guarantee:?} broken in {executions}"))
            .collect();
        let extent = if self.exhaustive {
            "exhaustive"
        } else {
            "sampled"
        };
        let mut broken = broken;
        if self.add_steps.len() > 1 {
            broken.push(format!("adds of {:?} steps", self.add_steps));
        }
        let verdict = match (&self.failure, broken.is_empty()) {
            (Some(failure), _) => failure.clone(),
            (None, true) => format!("{} hold", first_to_last(&self.checked)),
            (None, false) => broken.join(", "),
        };
        format!(
            "{}: {} | {} | {} | {extent} | {} executions | {:.1} s | {verdict}",
            self.tool, self.statistic, self.scenario, self.search, self.executions, self.seconds
        )
    }
}

/// Such as `G1-G7`.
fn first_to_last(checked: &[Guarantee]) -> String {
    match checked {
        [first, .., last] => format!("{first:?}-{last:?}"),
        few => format!("{few:?}"),
    }
}

/// Gathers the executions of a model.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) executions: u64,
    pub(crate) breaches: BTreeMap<Guarantee, Breach>,
    pub(crate) add_steps: BTreeSet<usize>,
    pub(crate) witnesses: BTreeMap<Witness, u64>,
}

/// How a guarantee was broken.
#[derive(Debug, Clone)]
pub struct Breach {
    /// In how many executions.
    pub executions: u64,
    /// What was wrong in the first of them.
    pub fault: String,
    /// The first of them.
    pub history: History,
}

impl Tally {
    /// Counts an execution, and says which guarantee that the statistic keeps it
    /// breaks, if any.
    pub(crate) fn count(&mut self, history: &History, model: &Model) -> Option<String> {
        self.executions += 1;
        for witness in witness::reached(history) {
            *self.witnesses.entry(witness).or_default() += 1;
        }
        self.add_steps.extend(steps_of_adds(history));
        let mut first = None;
        for &guarantee in model.search.checks() {
            if let Err(fault) = guarantee.check(history) {
                if first.is_none() && model.statistic.keeps().contains(&guarantee) {
                    first = Some(format!("{guarantee}: {fault}"));
                }
                self.breach(guarantee, fault, history);
            }
        }
        first
    }

    fn breach(&mut self, guarantee: Guarantee, fault: String, history: &History) {
        let first = || Breach {
            executions: 0,
            fault,
            history: history.clone(),
        };
        self.breaches
            .entry(guarantee)
            .or_insert_with(first)
            .executions += 1;
    }

    pub(crate) fn executions_by_guarantee(&self) -> BTreeMap<Guarantee, u64> {
        let executions =
            |(&guarantee, breach): (&Guarantee, &Breach)| (guarantee, breach.executions);
        self.breaches.iter().map(executions).collect()
    }
}
