//! What is generated in the README: the guarantee matrix, from the manifest, and
//! what was thrown at the statistics, from the committed results.

use std::fs;
use std::io::{Error, Result};
use std::path::PathBuf;

use crate::reliability;
use crate::results;
use crate::verdicts::Manifest;

const BY_ENGINE: &str = "*Holds*: in every execution that was run, within the bounds of [the map](models/README.md); \
    *violated*: in one at least, which `cargo counterexample` prints. Which engine says so: \
    [`models/verdicts.toml`](models/verdicts.toml); the tests compare it with what comes out, in both \
    directions.";

/// Where the README is.
pub fn path() -> PathBuf {
    results::repository().join("README.md")
}

/// Writes what is generated into the README.
///
/// # Errors
///
/// If the README cannot be read or written, or lacks the markers, or there are no
/// results that can be read.
pub fn update() -> Result<()> {
    let text = fs::read_to_string(path())?;
    fs::write(path(), generated(&text)?)
}

/// Whether the README shows what is generated.
///
/// # Errors
///
/// As of [`update`].
pub fn is_current() -> Result<bool> {
    let text = fs::read_to_string(path())?;
    Ok(generated(&text)? == text)
}

fn generated(text: &str) -> Result<String> {
    let matrix = format!("{}\n\n{BY_ENGINE}", Manifest::load().matrix());
    let results = reliability::read(&reliability::committed()).map_err(Error::other)?;
    let text = with(text, "matrix", &matrix)?;
    let machines = reliability::machines(&results).join("; ");
    let thrown = format!("{}\n\nRun on {machines}.", reliability::table(&results));
    with(&text, "thrown", &thrown)
}

/// The text with `content` between the markers of that name.
fn with(text: &str, name: &str, content: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let missing = || Error::other(format!("no {} ... {end}", begin.trim_end()));
    let (before, rest) = text.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}\n{content}\n\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_put_between_the_markers() {
        let put = |text: &str| with(text, "matrix", "| new |").unwrap();
        let once = put("a\n<!-- matrix -->\nold\n<!-- /matrix -->\nb");
        assert_eq!(once, "a\n<!-- matrix -->\n\n| new |\n\n<!-- /matrix -->\nb");
        assert_eq!(put(&once), once);
    }

    #[test]
    fn needs_the_markers() {
        assert!(with("<!-- /matrix -->", "matrix", "").is_err());
    }
}
