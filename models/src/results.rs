//! Where results are left for the report.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

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
/// What it does not show, or that the results folder cannot be written.
pub fn record(model: &Model) -> Result<Outcome, String> {
    let outcome = model.explore().outcome;
    println!("{}", outcome.line());
    append(&outcome).map_err(|error| format!("{}: {error}", folder().display()))?;
    outcome.meets(model)?;
    Ok(outcome)
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
