//! What is expected of every statistic, guarantee and engine, as data, and
//! whether that is what came out.
//!
//! `verdicts.toml` holds the expectations. A violation that is expected and
//! does not appear is as much a fault as one that appears and is not expected:
//! the first means that a model has lost its power to find it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::guarantees::Guarantee;
use crate::model::Model;
use crate::outcome::Outcome;
use crate::results;
use crate::statistic::Statistic;

/// What models say of a guarantee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// No execution explored breaks it.
    Holds,
    /// Executions break it.
    Violated,
}

/// What is expected of a statistic by an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The statistic.
    pub statistic: Statistic,
    /// The engine.
    pub engine: String,
    /// What no model of it breaks.
    pub holds: BTreeSet<Guarantee>,
    /// What a model of it breaks.
    pub violated: BTreeSet<Guarantee>,
}

/// All that is expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    expected: Vec<Expected>,
}

impl Manifest {
    /// The manifest of this package.
    ///
    /// # Panics
    ///
    /// If it is malformed.
    pub fn load() -> Self {
        let text = include_str!("../verdicts.toml");
        toml::from_str(text).expect("verdicts.toml is well-formed")
    }

    /// What is expected, statistic by statistic.
    pub fn expected(&self) -> &[Expected] {
        &self.expected
    }

    /// Compares what is expected of `engine` with what came out.
    ///
    /// # Errors
    ///
    /// Every difference, one a line.
    pub fn compare(&self, engine: &str, outcomes: &[(Statistic, Outcome)]) -> Result<(), String> {
        let mut differences = String::new();
        let expected = self.expected.iter().filter(|row| row.engine == engine);
        for row in expected {
            for guarantee in Guarantee::ALL {
                if let Some(difference) = row.difference(guarantee, outcomes) {
                    writeln!(differences, "{difference}").expect("a string takes all");
                }
            }
        }
        for (statistic, outcome) in outcomes
            .iter()
            .filter(|(_, outcome)| outcome.engine == engine)
        {
            if !self
                .expected
                .iter()
                .any(|row| row.is_about(*statistic, &outcome.engine))
            {
                writeln!(differences, "nothing is expected of {}", outcome.line())
                    .expect("a string takes all");
            }
        }
        match differences.as_str() {
            "" => Ok(()),
            _ => Err(differences),
        }
    }

    /// The matrix of the README: a row a statistic, a column a guarantee.
    pub fn matrix(&self) -> String {
        let mut table = String::from("| | |");
        for guarantee in Guarantee::ALL {
            write!(table, " {guarantee:?} {} |", guarantee.name()).expect("a string takes all");
        }
        table.push_str("\n| --- | --- |");
        table.push_str(&" --- |".repeat(Guarantee::ALL.len()));
        for statistic in self.statistics() {
            write!(table, "\n| {} | {} |", statistic.name(), statistic.role())
                .expect("a string takes all");
            for guarantee in Guarantee::ALL {
                write!(table, " {} |", self.cell(statistic, guarantee))
                    .expect("a string takes all");
            }
        }
        table
    }

    /// In the order of the manifest.
    fn statistics(&self) -> Vec<Statistic> {
        let mut statistics: Vec<_> = self.expected.iter().map(|row| row.statistic).collect();
        statistics.dedup();
        statistics
    }

    /// A violation outweighs what other engines did not see.
    fn cell(&self, statistic: Statistic, guarantee: Guarantee) -> &'static str {
        let rows = self
            .expected
            .iter()
            .filter(|row| row.statistic == statistic);
        match rows.filter_map(|row| row.verdict(guarantee)).max() {
            Some(Verdict::Violated) => "**violated**",
            Some(Verdict::Holds) => "holds",
            None => "not judged",
        }
    }
}

impl Expected {
    fn is_about(&self, statistic: Statistic, engine: &str) -> bool {
        self.statistic == statistic.row() && self.engine == engine
    }

    fn verdict(&self, guarantee: Guarantee) -> Option<Verdict> {
        if self.violated.contains(&guarantee) {
            Some(Verdict::Violated)
        } else {
            self.holds.contains(&guarantee).then_some(Verdict::Holds)
        }
    }

    fn difference(
        &self,
        guarantee: Guarantee,
        outcomes: &[(Statistic, Outcome)],
    ) -> Option<String> {
        let own = outcomes
            .iter()
            .filter(|(statistic, outcome)| self.is_about(*statistic, &outcome.engine))
            .map(|(_, outcome)| outcome);
        let (expected, came_out) = (self.verdict(guarantee), verdict(guarantee, own));
        let text = |verdict: Option<Verdict>| match verdict {
            Some(verdict) => format!("{verdict:?}"),
            None => "not judged".to_owned(),
        };
        (expected != came_out).then(|| {
            format!(
                "{}, {guarantee}, by {}: expected {}, came out {}",
                self.statistic.name(),
                self.engine,
                text(expected),
                text(came_out)
            )
        })
    }
}

/// What several models say together; nothing if none of them judges it.
fn verdict<'a>(
    guarantee: Guarantee,
    outcomes: impl Iterator<Item = &'a Outcome>,
) -> Option<Verdict> {
    let judged = outcomes.filter(|outcome| outcome.checked.contains(&guarantee));
    let of = |outcome: &Outcome| match outcome.holds(guarantee) {
        true => Verdict::Holds,
        false => Verdict::Violated,
    };
    judged.map(of).max()
}

/// Collects what models of one engine show, to compare it in the end.
#[derive(Debug, Default)]
pub struct CameOut(Mutex<Vec<(Statistic, Outcome)>>);

impl CameOut {
    /// Runs the model, prints its line and leaves it as JSON, and says whether it
    /// shows what it is there to show.
    ///
    /// # Errors
    ///
    /// What it does not show, or that the results folder cannot be written.
    pub fn record(&self, model: &Model) -> Result<(), String> {
        let outcome = results::record(model)?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((model.statistic, outcome));
        Ok(())
    }

    /// Compares all that came out with what the manifest expects of `engines`,
    /// and says if it differs.
    pub fn conclude(&self, engines: &[&str]) -> ExitCode {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let manifest = Manifest::load();
        let compared = engines.iter().map(|engine| manifest.compare(engine, &all));
        let differences: String = compared.filter_map(Result::err).collect();
        if differences.is_empty() {
            println!("the verdicts are those of models/verdicts.toml");
            return ExitCode::SUCCESS;
        }
        eprintln!("not what models/verdicts.toml expects:\n{differences}");
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn manifest() -> Manifest {
        let text = r#"
            [[expected]]
            statistic = "MergedJdk9"
            engine = "loom"
            holds = ["G4"]
            violated = ["G3"]
        "#;
        toml::from_str(text).unwrap()
    }

    fn outcome(broken: &[Guarantee]) -> (Statistic, Outcome) {
        let outcome = Outcome {
            engine: "loom".to_owned(),
            tool: "loom".to_owned(),
            statistic: "merged".to_owned(),
            scenario: "a scenario".to_owned(),
            search: "a search".to_owned(),
            exhaustive: true,
            executions: 1,
            seconds: 0.0,
            checked: vec![Guarantee::G3, Guarantee::G4],
            broken: broken.iter().map(|&guarantee| (guarantee, 1)).collect(),
            add_steps: BTreeSet::new(),
            witnesses: BTreeMap::new(),
            failure: None,
        };
        (Statistic::MergedJdk9, outcome)
    }

    #[test]
    fn one_violation_among_models_is_a_violation() {
        let outcomes = [outcome(&[]), outcome(&[Guarantee::G3])];
        assert_eq!(manifest().compare("loom", &outcomes), Ok(()));
    }

    #[test]
    fn a_violation_that_disappears_is_a_difference() {
        let differences = manifest().compare("loom", &[outcome(&[])]).unwrap_err();
        assert_eq!(
            differences,
            "merged (JDK 9+), G3 whole, by loom: expected Violated, came out Holds\n"
        );
    }

    #[test]
    fn a_violation_that_appears_is_a_difference() {
        let broken = [outcome(&[Guarantee::G3, Guarantee::G4])];
        let differences = manifest().compare("loom", &broken).unwrap_err();
        assert_eq!(
            differences,
            "merged (JDK 9+), G4 timely, by loom: expected Holds, came out Violated\n"
        );
    }

    #[test]
    fn what_was_not_run_is_a_difference() {
        let differences = manifest().compare("loom", &[]).unwrap_err();
        assert_eq!(differences.lines().count(), 2, "{differences}");
    }

    #[test]
    fn what_nobody_expected_is_a_difference() {
        let stray = (Statistic::Recorder, outcome(&[]).1);
        let outcomes = [outcome(&[Guarantee::G3]), stray];
        let differences = manifest().compare("loom", &outcomes).unwrap_err();
        assert!(
            differences.starts_with("nothing is expected of"),
            "{differences}"
        );
    }
}
