//! Golden bounds: how many executions each model of the catalogue explores, and
//! whether they are all there are. A model that explores fewer than it did has
//! lost coverage, one that explores more has changed; either way someone has to
//! look.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::catalogue;
use crate::model::Model;
use crate::outcome::Outcome;
use crate::results;

/// What a model explores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// How many executions.
    pub executions: u64,
    /// Whether they are all there are within the bound.
    pub exhaustive: bool,
}

/// By model.
pub type Bounds = BTreeMap<String, Bound>;

/// What accepts a drift.
const COMMAND: &str = "cargo ledger --accept-bounds";

/// What the golden bound of a model is known by.
fn name_of(model: &Model) -> String {
    let Model {
        statistic,
        scenario,
        search,
    } = model;
    format!(
        "{} | {} | {} | {}",
        search.engine(),
        statistic.name(),
        scenario.name(),
        search.name()
    )
}

/// What golden bounds are known by.
fn name(outcome: &Outcome) -> String {
    let Outcome {
        engine,
        statistic,
        scenario,
        search,
        ..
    } = outcome;
    format!("{engine} | {statistic} | {scenario} | {search}")
}

fn bound(outcome: &Outcome) -> Bound {
    Bound {
        executions: outcome.executions,
        exhaustive: outcome.exhaustive,
    }
}

/// Reads the golden bounds.
///
/// # Errors
///
/// If they cannot be read.
pub fn read() -> Result<Bounds, String> {
    let error = |error: &dyn std::fmt::Display| format!("{}: {error}", path().display());
    let text = std::fs::read_to_string(path()).map_err(|cause| error(&cause))?;
    serde_json::from_str(&text).map_err(|cause| error(&cause))
}

/// Whether the outcome explored what its model is known to.
///
/// # Errors
///
/// How it differs, and what accepts that.
pub fn check(outcome: &Outcome) -> Result<(), String> {
    compare(&read()?, outcome)
}

fn compare(golden: &Bounds, outcome: &Outcome) -> Result<(), String> {
    let (name, found) = (name(outcome), bound(outcome));
    match golden.get(&name) {
        Some(known) if *known == found => Ok(()),
        Some(known) => Err(format!(
            "{name}: golden are {}, found are {}; `{COMMAND}` accepts it",
            say(*known),
            say(found)
        )),
        None => Err(format!(
            "{name}: no golden bound, found are {}; `{COMMAND}` accepts it",
            say(found)
        )),
    }
}

fn say(bound: Bound) -> String {
    let extent = if bound.exhaustive { "all" } else { "a sample" };
    format!("{} executions, {extent}", bound.executions)
}

/// Takes what the last test runs left as results for golden, and says what
/// changed, a line a model. What is in no catalogue any more is forgotten.
///
/// # Errors
///
/// If there are no results, or the golden bounds cannot be written.
pub fn accept() -> Result<Vec<String>, String> {
    let outcomes = results::read()?;
    if outcomes.is_empty() {
        let folder = results::folder();
        return Err(format!(
            "{}: no results; run the tests first",
            folder.display()
        ));
    }
    let mut golden = read().unwrap_or_default();
    // The newest result of a model comes last.
    let known: Vec<String> = catalogue::all().iter().map(name_of).collect();
    let ended = outcomes
        .iter()
        .filter(|outcome| outcome.failure.is_none() && known.contains(&name(outcome)));
    let newest: BTreeMap<String, &Outcome> =
        ended.map(|outcome| (name(outcome), outcome)).collect();
    let mut changes = Vec::new();
    for (name, outcome) in newest {
        changes.extend(compare(&golden, outcome).err());
        golden.insert(name, bound(outcome));
    }
    golden.retain(|name, _| known.contains(name));
    let text = serde_json::to_string_pretty(&golden).map_err(|error| error.to_string())?;
    std::fs::write(path(), text + "\n")
        .map_err(|error| format!("{}: {error}", path().display()))?;
    Ok(changes)
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden-bounds.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_of_the_catalogue_has_a_bound_and_no_other() {
        let golden: Vec<String> = read().unwrap().into_keys().collect();
        let mut known: Vec<String> = catalogue::all().iter().map(name_of).collect();
        known.sort();
        assert_eq!(golden, known, "`{COMMAND}` after a run of all tests");
    }

    #[test]
    fn drift_names_the_difference_and_the_command() {
        let outcome = Outcome {
            engine: "loom".to_owned(),
            executions: 7,
            exhaustive: true,
            ..Outcome::default()
        };
        let mut golden = Bounds::from([(name(&outcome), bound(&outcome))]);
        assert_eq!(compare(&golden, &outcome), Ok(()));
        let fewer = Outcome {
            executions: 6,
            ..outcome
        };
        let drift = compare(&golden, &fewer).expect_err("it is not 7");
        assert!(drift.contains("7 executions, all") && drift.contains("6 executions, all"));
        assert!(drift.contains(COMMAND));
        golden.clear();
        assert!(compare(&golden, &fewer).is_err());
    }
}
