//! What came out for a mutant, and whether it was to be expected.

use std::collections::BTreeMap;

use models::judge::{Drawing, Finding};
use models::ladder::Engine;
use serde::{Deserialize, Serialize};

use crate::book::Book;
use crate::expect::{Expected, expected};
use crate::mutant::{Kind, Mutant};

/// What an engine found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "found")]
pub enum Found {
    /// The mutant breaks something, for a stated reason.
    Killed {
        /// The guarantee, or what stands for it.
        by: String,
        /// What was wrong.
        fault: String,
        /// Where in the ladder.
        rung: String,
        /// After how many executions of that rung.
        executions: u64,
        /// The counterexample, if the engine saw its steps.
        counterexample: Option<Drawing>,
    },
    /// Nothing in all the ladder.
    Missed {
        /// After how many executions.
        executions: u64,
    },
    /// The harness failed: no verdict.
    Fault {
        /// How.
        what: String,
    },
    /// The engine was not there.
    NotRun {
        /// Why.
        why: String,
    },
}

/// All that was found for a mutant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The mutant.
    pub mutant: String,
    /// Its row.
    pub row: String,
    /// What kind of fault it is.
    pub kind: Kind,
    /// What is wrong with it.
    pub fault: String,
    /// Code removed and code added.
    pub changes: Vec<(String, String)>,
    /// By engine.
    pub found: BTreeMap<Engine, Found>,
}

impl Verdict {
    /// Whether an engine killed it.
    pub fn is_killed(&self) -> bool {
        let mut found = self.found.values();
        found.any(|found| matches!(found, Found::Killed { .. }))
    }

    /// What is not as the ledger says, if anything.
    pub fn surprise(&self, book: &Book, mutant: &Mutant) -> Option<String> {
        let mut surprises = self.found.iter().filter_map(|(&engine, found)| {
            let said = expected(book, mutant, engine);
            let fits = match said {
                Expected::Kill => matches!(found, Found::Killed { .. } | Found::NotRun { .. }),
                Expected::Miss => matches!(found, Found::Missed { .. } | Found::NotRun { .. }),
                Expected::May | Expected::Blind => true,
            };
            (!fits).then(|| format!("{engine} must {said:?}, but {}", found.line()).to_lowercase())
        });
        surprises.next()
    }
}

impl Found {
    /// Drops the picture, which is large, and keeps the table.
    pub fn forget_picture(&mut self) {
        if let Self::Killed {
            counterexample: Some(drawing),
            ..
        } = self
        {
            drawing.picture.clear();
        }
    }

    /// In a few words.
    pub fn line(&self) -> String {
        match self {
            Self::Killed {
                by,
                rung,
                executions,
                ..
            } => {
                format!("killed by {by} after {executions} executions of {rung}")
            }
            Self::Missed { executions } => format!("missed in {executions} executions"),
            Self::Fault { what } => format!("no verdict: {what}"),
            Self::NotRun { why } => format!("not run: {why}"),
        }
    }

    /// Judges what a ladder showed. Only a broken guarantee, loom's report of a
    /// data race and shuttle's of two threads in one cell are kills; any other
    /// panic is a fault of the harness.
    pub fn of(findings: &[Finding]) -> Self {
        let failed = findings
            .iter()
            .find_map(|finding| Some((finding, finding.failure.as_ref()?)));
        let Some((finding, failure)) = failed else {
            let executions = findings.iter().map(|finding| finding.executions).sum();
            return Self::Missed { executions };
        };
        match reason(failure) {
            Some(by) => Self::Killed {
                by,
                fault: failure.clone(),
                rung: finding.rung.clone(),
                executions: finding.executions,
                counterexample: finding.counterexample.clone(),
            },
            None => Self::Fault {
                what: first_line(failure),
            },
        }
    }
}

/// What a failure stands for, if it is a reason to reject a program.
pub fn reason(failure: &str) -> Option<String> {
    let guarantee = (1..=8).map(|number| format!("G{number}"));
    let mut guarantee = guarantee.filter(|name| failure.starts_with(&format!("{name} ")));
    guarantee
        .next()
        .or_else(|| reported(failure, "Causality violation", "data race"))
        .or_else(|| reported(failure, "owners: ", "hand-over"))
        .or_else(|| {
            reported(
                failure,
                "two threads are in one cell",
                "two threads in one cell",
            )
        })
}

fn reported(failure: &str, report: &str, name: &str) -> Option<String> {
    failure.contains(report).then(|| name.to_owned())
}

/// The first line of a message.
pub fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or("no message").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(failure: Option<&str>) -> Finding {
        Finding {
            rung: "a".to_owned(),
            executions: 3,
            exhaustive: true,
            seconds: 0.0,
            failure: failure.map(str::to_owned),
            counterexample: None,
        }
    }

    #[test]
    fn a_broken_guarantee_and_a_reported_race_kill() {
        for (failure, expected) in [
            ("G1 conserved: lost", "G1"),
            ("G7 drain progress: waits", "G7"),
            (
                "Causality violation: Concurrent read and write accesses.",
                "data race",
            ),
            (
                "test failed\ntwo threads are in one cell",
                "two threads in one cell",
            ),
        ] {
            let found = Found::of(&[finding(None), finding(Some(failure))]);
            let Found::Killed { by, .. } = found else {
                panic!("{failure}: {}", found.line())
            };
            assert_eq!(by, expected);
        }
    }

    #[test]
    fn any_other_panic_is_a_fault_of_the_harness() {
        for failure in [
            "Model exceeded maximum number of branches",
            "deadlock; threads = ...",
            "an accumulator's record added to its own stripe",
            "index out of bounds",
        ] {
            let found = Found::of(&[finding(Some(failure))]);
            assert!(matches!(found, Found::Fault { .. }), "{}", found.line());
        }
    }

    #[test]
    fn what_nothing_stops_is_missed() {
        let found = Found::of(&[finding(None), finding(None)]);
        assert_eq!(found, Found::Missed { executions: 6 });
    }
}
