//! The rows of `models/ledger.toml`, held against the source.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::source::{Site, Source, Token};

/// The ledger.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// What is accounted for.
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
    /// Which mutants change nothing, and why.
    #[serde(rename = "equivalent", default)]
    pub equivalents: Vec<Equivalent>,
    /// What an engine is to find where it differs from the rule for its kind.
    #[serde(rename = "exception", default)]
    pub exceptions: Vec<Exception>,
}

/// A step of the source.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its name.
    pub id: String,
    /// Its file, from the folder of the repository.
    pub file: String,
    /// Its function, as [`Function::name`](crate::source::Function::name).
    pub function: String,
    /// Its code, word for word, which is in the function once.
    pub code: String,
    /// What it does, in a few words, with its ordering.
    pub step: String,
    /// The happens-before edge, or the order, that it makes.
    pub edge: String,
    /// The rows at the other end of the edge.
    #[serde(default)]
    pub with: Vec<String>,
    /// The guarantees that rest on it.
    #[serde(default)]
    pub serves: Vec<String>,
    /// Mutants beyond the weakenings of its orderings.
    #[serde(rename = "mutant", default)]
    pub mutants: Vec<Listed>,
    /// Why it has no mutant, if it has none.
    pub unmutated: Option<String>,
}

/// A mutant that a row names.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// What is wrong with it, in a few words.
    pub fault: String,
    /// What to replace; without it the row's code.
    pub find: Option<String>,
    /// By what.
    pub replace: String,
    /// Further edits, here or elsewhere.
    #[serde(default)]
    pub also: Vec<Also>,
}

/// A further edit; where it names no place, it is the row's.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Also {
    /// The file.
    pub file: Option<String>,
    /// The function.
    pub function: Option<String>,
    /// What to replace.
    pub find: String,
    /// By what.
    pub replace: String,
}

/// A mutant that no engine can tell from the source.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    /// Its name.
    pub mutant: String,
    /// Whether it behaves as the source, or differs where no engine looks.
    pub kind: Survival,
    /// Why.
    pub argument: String,
}

/// Why a mutant may survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Survival {
    /// It keeps every guarantee.
    Equivalent,
    /// It breaks one, but no engine at hand can show it.
    Unobservable,
}

/// What an engine is to find for a mutant.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// The mutant.
    pub mutant: String,
    /// The engines that must kill it.
    #[serde(default)]
    pub kill: Vec<models::ladder::Engine>,
    /// The engines that must miss it.
    #[serde(default)]
    pub miss: Vec<models::ladder::Engine>,
    /// The engines of which nothing is said beforehand.
    #[serde(default)]
    pub may: Vec<models::ladder::Engine>,
    /// Why.
    pub why: String,
}

/// The files of a library, parsed, by path.
pub type Sources = BTreeMap<String, Source>;

/// Reads `models/ledger.toml`.
///
/// # Errors
///
/// If it cannot be read.
pub fn read(repository: &Path) -> Result<Book, String> {
    let path = repository.join("models/ledger.toml");
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads every file of `src`.
///
/// # Errors
///
/// If one cannot be read or does not parse.
pub fn sources(repository: &Path) -> Result<Sources, String> {
    let mut sources = Sources::new();
    let mut folders = vec![repository.join("src")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| error.to_string())?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(repository).expect("it lies there");
            let name = name.to_string_lossy().replace('\\', "/");
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
            let source = Source::parse(&text).map_err(|error| format!("{name}: {error}"))?;
            sources.insert(name, source);
        }
    }
    Ok(sources)
}

impl Row {
    /// The sites that it accounts for.
    ///
    /// # Errors
    ///
    /// If its place is not in the source.
    pub fn sites<'a>(&self, sources: &'a Sources) -> Result<Vec<&'a Site>, String> {
        let source = sources.get(&self.file);
        let source =
            source.ok_or_else(|| format!("{}: there is no file {}", self.id, self.file))?;
        let range = source
            .locate(&self.function, &self.code)
            .map_err(|error| format!("{}: {}: {error}", self.id, self.file))?;
        let covers = |site: &&Site| range.start <= site.range.start && site.range.end <= range.end;
        Ok(source.sites.iter().filter(covers).collect())
    }
}

impl Book {
    /// Why the mutant may survive, if it may.
    pub fn survival(&self, mutant: &str) -> Option<&Equivalent> {
        let mut survivors = self.equivalents.iter();
        survivors.find(|survivor| survivor.mutant == mutant)
    }

    /// Everything in which ledger and source differ, a line each.
    pub fn faults(&self, sources: &Sources) -> Vec<String> {
        let mut faults = Vec::new();
        let mut covered: Vec<&Site> = Vec::new();
        for row in &self.rows {
            match row.sites(sources) {
                Ok(sites) => covered.extend(sites),
                Err(fault) => faults.push(fault),
            }
        }
        for (file, source) in sources {
            for site in &source.sites {
                if !covered.iter().any(|known| std::ptr::eq(*known, site)) {
                    faults.push(missing(file, source, site));
                }
            }
        }
        faults.extend(self.loose_ends());
        faults
    }

    /// Names that are used twice or lead nowhere.
    fn loose_ends(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let ids: Vec<&str> = self.rows.iter().map(|row| row.id.as_str()).collect();
        for row in &self.rows {
            if ids.iter().filter(|id| **id == row.id).count() > 1 {
                faults.push(format!("{}: two rows have this name", row.id));
            }
            for with in row.with.iter().filter(|with| !ids.contains(&with.as_str())) {
                faults.push(format!("{}: there is no row {with}", row.id));
            }
        }
        faults
    }
}

fn missing(file: &str, source: &Source, site: &Site) -> String {
    let line = source.line(site.range.start);
    let what = match &site.token {
        Token::Call(name) => format!("{name}(..)"),
        Token::Ordering { name, .. } => name.clone(),
        Token::Unsafe => "unsafe".to_owned(),
    };
    format!("{file}:{line}: {what} in {} has no row", site.function)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLIP: &str = "fn flip() { epoch.store(1, Release); }";

    fn book(code: &str) -> Book {
        let text = format!(
            "[[row]]\nid = 'flip'\nfile = 'a.rs'\nfunction = 'flip'\ncode = '{code}'\nstep = ''\nedge = ''\n"
        );
        toml::from_str(&text).expect("it is a ledger")
    }

    fn sources(text: &str) -> Sources {
        let source = Source::parse(text).expect("it is Rust");
        [("a.rs".to_owned(), source)].into()
    }

    #[test]
    fn accounts_for_what_is_there() {
        let faults = book("epoch.store(1, Release)").faults(&sources(FLIP));
        assert!(faults.is_empty(), "{faults:?}");
    }

    #[test]
    fn misses_a_token_without_a_row() {
        let more = "fn flip() { epoch.store(1, Release); fence(SeqCst); }";
        let faults = book("epoch.store(1, Release)").faults(&sources(more));
        assert_eq!(
            faults,
            [
                "a.rs:1: fence(..) in flip has no row",
                "a.rs:1: SeqCst in flip has no row"
            ]
        );
    }

    #[test]
    fn misses_a_place_that_is_gone() {
        let faults = book("epoch.store(2, Release)").faults(&sources(FLIP));
        assert!(faults[0].contains("0 times, not once"), "{faults:?}");
    }
}
