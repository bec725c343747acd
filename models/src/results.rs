//! Where results are left for the report.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use crate::counterexample::failure;
use crate::explore::Exploration;
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
/// shows what it is there to show.
///
/// # Errors
///
/// What it does not show, with the execution that failed, or that the results
/// folder cannot be written.
pub fn record(model: &Model) -> Result<Outcome, String> {
    let exploration = model.explore();
    println!("{}", exploration.outcome.line());
    append(&exploration.outcome).map_err(unwritable)?;
    judge(model, &exploration)?;
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
        let shown = failure::show(model, exploration).map_err(unwritable)?;
        Err(format!("{missing}\n\n{shown}"))
    })
}

fn unwritable(error: std::io::Error) -> String {
    format!("{}: {error}", folder().display())
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
