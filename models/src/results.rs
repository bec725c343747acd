//! Where results are left for the report.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use crate::counterexample::failure;
use crate::explore::Exploration;
use crate::golden;
use crate::model::Model;
use crate::outcome::Outcome;

/// The repository.
pub(crate) fn repository() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let repository = package.parent();
    repository
        .expect("the package lies in the repository")
        .to_owned()
}

/// The folder of results: `target/models`.
pub fn folder() -> PathBuf {
    repository().join("target/models")
}

/// Runs the model, prints its line and leaves it as JSON, and says whether it
/// shows what it is there to show, in as many executions as it is known to.
///
/// # Errors
///
/// What it does not show, with the execution that failed, how the number of
/// executions drifted, or that the results folder cannot be written.
pub fn record(model: &Model) -> Result<Outcome, String> {
    let exploration = model.explore();
    println!("{}", exploration.outcome.line());
    append(&exploration.outcome).map_err(inaccessible)?;
    judge(model, &exploration)?;
    golden::check(&exploration.outcome)?;
    Ok(exploration.outcome)
}

/// As [`record`], for a model that is no result.
///
/// # Errors
///
/// As [`record`].
pub fn check(model: &Model) -> Result<(), String> {
    judge(model, &model.explore())
}

fn judge(model: &Model, exploration: &Exploration) -> Result<(), String> {
    exploration.outcome.meets(model).or_else(|missing| {
        let shown = failure::show(model, exploration).map_err(inaccessible)?;
        Err(format!("{missing}\n\n{shown}"))
    })
}

fn inaccessible(error: std::io::Error) -> String {
    format!("{}: {error}", folder().display())
}

/// What test runs have left, the oldest first.
///
/// # Errors
///
/// If a file of results cannot be read.
pub fn read() -> Result<Vec<Outcome>, String> {
    let Ok(entries) = std::fs::read_dir(folder()) else {
        return Ok(Vec::new());
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let results = paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let mut outcomes = Vec::new();
    for path in results {
        let text = std::fs::read_to_string(&path).map_err(inaccessible)?;
        let lines = text.lines().map(|line| {
            let outcome = serde_json::from_str(line);
            outcome.map_err(|error| format!("{}: {error}", path.display()))
        });
        outcomes.extend(lines.collect::<Result<Vec<Outcome>, String>>()?);
    }
    Ok(outcomes)
}

/// Leaves an outcome as a line of JSON in `<engine>.jsonl`.
///
/// # Errors
///
/// If the folder cannot be written.
pub fn append(outcome: &Outcome) -> std::io::Result<()> {
    std::fs::create_dir_all(folder())?;
    let path = folder().join(format!("{}.jsonl", outcome.engine));
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{}", serde_json::to_string(outcome)?)
}
