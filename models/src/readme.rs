//! The guarantee matrix in the README, generated from the manifest.

use std::fs;
use std::io::{Error, Result};
use std::path::PathBuf;

use crate::results;
use crate::verdicts::Manifest;

const BEGIN: &str = "<!-- matrix -->\n";
const BY_ENGINE: &str = "Which engine says so: [`models/verdicts.toml`](models/verdicts.toml). \
    The tests compare it with what comes out, in both directions.";
const END: &str = "<!-- /matrix -->";

/// Where the README is.
pub fn path() -> PathBuf {
    results::repository().join("README.md")
}

/// Writes the matrix into the README.
///
/// # Errors
///
/// If the README cannot be read or written, or lacks the markers.
pub fn update() -> Result<()> {
    let text = fs::read_to_string(path())?;
    fs::write(path(), with_matrix(&text)?)
}

/// Whether the README shows the matrix of the manifest.
///
/// # Errors
///
/// If the README cannot be read, or lacks the markers.
pub fn is_current() -> Result<bool> {
    let text = fs::read_to_string(path())?;
    Ok(with_matrix(&text)? == text)
}

/// The text with the matrix between its markers.
fn with_matrix(text: &str) -> Result<String> {
    let missing = || Error::other(format!("no {} ... {END}", BEGIN.trim_end()));
    let (before, rest) = text.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    let matrix = Manifest::load().matrix();
    Ok(format!(
        "{before}{BEGIN}\n{matrix}\n\n{BY_ENGINE}\n\n{END}{after}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_put_between_the_markers() {
        let once = with_matrix("a\n<!-- matrix -->\nold\n<!-- /matrix -->\nb").unwrap();
        assert!(once.starts_with("a\n<!-- matrix -->\n\n| |"));
        assert!(once.ends_with("\n\n<!-- /matrix -->\nb"));
        assert_eq!(with_matrix(&once).unwrap(), once);
    }

    #[test]
    fn needs_the_markers() {
        assert!(with_matrix("<!-- /matrix -->").is_err());
    }
}
