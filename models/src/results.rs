//! Where results are left for the report.

use std::io::Write;
use std::path::PathBuf;

use crate::outcome::Outcome;

/// The folder of results: `target/models`.
pub fn folder() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let repository = package
        .parent()
        .expect("the package lies in the repository");
    repository.join("target/models")
}

/// Leaves an outcome as a line of JSON in `<engine>.jsonl`.
///
/// # Errors
///
/// If the folder cannot be written.
pub fn append(outcome: &Outcome) -> std::io::Result<()> {
    std::fs::create_dir_all(folder())?;
    let path = folder().join(format!("{}.jsonl", outcome.engine));
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    writeln!(file, "{}", serde_json::to_string(outcome)?)
}
