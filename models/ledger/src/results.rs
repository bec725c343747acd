//! What came out of a campaign, as data.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use models::ladder::Engine;
use serde::{Deserialize, Serialize};

use crate::book::Book;
use crate::mutant::{Kind, Mutant};
use crate::verdict::{Found, Verdict};

/// What came out.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Results {
    /// The unmutated source, by engine.
    pub control: BTreeMap<Engine, Found>,
    /// The mutants, in the order of the ledger.
    pub verdicts: Vec<Verdict>,
    /// What was not as the ledger says.
    pub surprises: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Results {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn load(path: &Path) -> Result<Self, String> {
        let error = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|cause| error(&cause))?;
        serde_json::from_str(&text).map_err(|cause| error(&cause))
    }

    /// Leaves them as JSON.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        write(path, &(text + "\n"))
    }

    /// Leaves each counterexample as a table and as a picture, in `folder`.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn draw(&self, folder: &Path) -> Result<(), String> {
        for verdict in &self.verdicts {
            let name = verdict.mutant.replace('/', "-");
            for (engine, found) in &verdict.found {
                if let Found::Killed {
                    counterexample: Some(drawing),
                    ..
                } = found
                {
                    write(&folder.join(format!("{name}-{engine}.txt")), &drawing.text)?;
                    write(
                        &folder.join(format!("{name}-{engine}.svg")),
                        &drawing.picture,
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Takes over newer results, without the pictures, and
    /// forgets mutants that are no more.
    pub fn absorb(&mut self, newer: &Self, mutants: &[Mutant]) {
        self.control.extend(newer.control.clone());
        let mut known: BTreeMap<String, Verdict> = std::mem::take(&mut self.verdicts)
            .into_iter()
            .map(|verdict| (verdict.mutant.clone(), verdict))
            .collect();
        for verdict in &newer.verdicts {
            let mut found = known
                .remove(&verdict.mutant)
                .map(|old| old.found)
                .unwrap_or_default();
            for (&engine, newer) in &verdict.found {
                // What was found once is not forgotten where the engine is missing.
                if matches!(newer, Found::NotRun { .. }) {
                    found.entry(engine).or_insert_with(|| newer.clone());
                } else {
                    found.insert(engine, newer.clone());
                }
            }
            found.values_mut().for_each(Found::forget_picture);
            let merged = Verdict {
                found,
                ..verdict.clone()
            };
            known.insert(merged.mutant.clone(), merged);
        }
        let of_today = mutants.iter().filter_map(|mutant| known.remove(&mutant.id));
        self.verdicts = of_today.collect();
    }

    /// The counts, what was not run, and what was not as the ledger says.
    pub fn summary(&self, book: &Book) -> String {
        let mut text = String::new();
        for kind in Kind::ALL {
            let of_kind = || self.verdicts.iter().filter(|verdict| verdict.kind == kind);
            let killed = of_kind().filter(|verdict| verdict.is_killed()).count();
            let survives = |verdict: &&Verdict| {
                !verdict.is_killed() && book.survival(&verdict.mutant).is_some()
            };
            let argued = of_kind().filter(survives).count();
            let all = of_kind().count();
            let name = kind.name();
            let _ = writeln!(
                text,
                "{name}: {all} mutants, {killed} killed, {argued} survive with an argument"
            );
        }
        for verdict in &self.verdicts {
            for (engine, found) in &verdict.found {
                if let Found::NotRun { why } = found {
                    let _ = writeln!(text, "{} by {engine}: not run: {why}", verdict.mutant);
                }
            }
        }
        for surprise in &self.surprises {
            let _ = writeln!(text, "not as expected: {surprise}");
        }
        let _ = writeln!(text, "{:.0} s", self.seconds);
        text
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
