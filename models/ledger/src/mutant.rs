//! The mutants: every weakening of every ordering, by itself, and those that the
//! rows name.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::book::{Book, Listed, Row, Sources};
use crate::source::{Site, Token};

/// A fault that can be put into the source.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Its name: that of its row and what is wrong.
    pub id: String,
    /// Its row.
    pub row: String,
    /// What is wrong, in a few words.
    pub fault: String,
    /// What kind of fault it is.
    pub kind: Kind,
    /// The file of its row, which says who can see it.
    pub file: String,
    edits: Vec<Edit>,
}

/// What kind of fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An ordering is weaker, or a fence gone.
    Ordering,
    /// A step is missing, misplaced or wrong.
    Structure,
    /// The accumulator computes something else.
    Arithmetic,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ordering, Self::Structure, Self::Arithmetic];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ordering => "ordering",
            Self::Structure => "structure",
            Self::Arithmetic => "arithmetic",
        }
    }
}

/// Bytes of a file to replace.
#[derive(Debug, Clone)]
struct Edit {
    file: String,
    range: Range<usize>,
    replace: String,
}

/// Every mutant of the ledger, in its order.
///
/// # Errors
///
/// If one does not apply to the source.
pub fn all(book: &Book, sources: &Sources) -> Result<Vec<Mutant>, String> {
    let mut mutants = Vec::new();
    for row in &book.rows {
        if row.unmutated.is_none() {
            mutants.extend(weakenings(row, sources)?);
        }
        for listed in &row.mutants {
            mutants.push(named(row, listed, sources)?);
        }
    }
    Ok(mutants)
}

impl Mutant {
    /// The files it changes, changed.
    pub fn apply(&self, sources: &Sources) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut edits: Vec<&Edit> = self.edits.iter().collect();
        // From the end of a file to its beginning, so that ranges stay right.
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
        for edit in edits {
            let text = files
                .entry(edit.file.clone())
                .or_insert_with(|| sources[&edit.file].text.clone());
            text.replace_range(edit.range.clone(), &edit.replace);
        }
        files
    }

    /// What it changes, as removed and added code.
    pub fn changes(&self, sources: &Sources) -> Vec<(String, String)> {
        let old = |edit: &Edit| sources[&edit.file].text[edit.range.clone()].to_owned();
        let edits = self.edits.iter();
        edits
            .map(|edit| (old(edit), edit.replace.clone()))
            .collect()
    }
}

/// Every weaker ordering of each ordering in the row's code.
fn weakenings(row: &Row, sources: &Sources) -> Result<Vec<Mutant>, String> {
    let mut mutants = Vec::new();
    for site in row.sites(sources)? {
        let text = &sources[&row.file].text;
        match &site.token {
            Token::Ordering { name, of } => {
                for weaker in weaker(name, of) {
                    mutants.push(weakened(row, site, name, weaker, text));
                }
            }
            Token::Call(name) if is_fence(name) => mutants.push(unfenced(row, site, text)),
            _ => {}
        }
    }
    Ok(mutants)
}

fn is_fence(call: &str) -> bool {
    matches!(
        call,
        "fence" | "compiler_fence" | "light_fence" | "heavy_fence"
    )
}

/// The orderings that are weaker than `ordering` and that `call` can have. A
/// fence without any ordering is no fence: see [`unfenced`].
fn weaker(ordering: &str, call: &str) -> &'static [&'static str] {
    match (call, ordering) {
        ("load", "SeqCst") => &["Acquire", "Relaxed"],
        ("store", "SeqCst") => &["Release", "Relaxed"],
        ("load", "Acquire") | ("store", "Release") => &["Relaxed"],
        ("fence" | "compiler_fence", "SeqCst") => &["AcqRel", "Acquire", "Release"],
        ("swap", "SeqCst") => &["AcqRel", "Acquire", "Release", "Relaxed"],
        _ => &[],
    }
}

fn mutant(row: &Row, id: &str, fault: String, edits: Vec<Edit>) -> Mutant {
    let arithmetic = ["src/moments.rs", "src/extremes.rs"];
    let kind = if arithmetic.contains(&row.file.as_str()) {
        Kind::Arithmetic
    } else {
        Kind::Structure
    };
    Mutant {
        id: format!("{}/{id}", row.id),
        row: row.id.clone(),
        fault,
        kind,
        file: row.file.clone(),
        edits,
    }
}

fn weakened(row: &Row, site: &Site, from: &str, to: &str, text: &str) -> Mutant {
    let is_qualified = text[..site.range.start].ends_with("::");
    let replace = if is_qualified {
        to.to_owned()
    } else {
        format!("::std::sync::atomic::Ordering::{to}")
    };
    let edit = Edit {
        file: row.file.clone(),
        range: site.range.clone(),
        replace,
    };
    let fault = format!("{from} weakened to {to}");
    Mutant {
        kind: Kind::Ordering,
        ..mutant(row, &to.to_lowercase(), fault, vec![edit])
    }
}

/// The whole call of a fence is replaced by nothing.
fn unfenced(row: &Row, site: &Site, text: &str) -> Mutant {
    let path = |c: char| c.is_alphanumeric() || c == ':' || c == '_';
    let begin = text[..site.range.end].trim_end_matches(path).len();
    let end = text[begin..]
        .find(')')
        .map_or(text.len(), |at| begin + at + 1);
    let edit = Edit {
        file: row.file.clone(),
        range: begin..end,
        replace: "()".to_owned(),
    };
    Mutant {
        kind: Kind::Ordering,
        ..mutant(row, "none", "the fence is removed".to_owned(), vec![edit])
    }
}

fn named(row: &Row, listed: &Listed, sources: &Sources) -> Result<Mutant, String> {
    let find = listed.find.as_deref().unwrap_or(&row.code);
    let edit = |file: &str, function: &str, find: &str, replace: &str| {
        let source = sources.get(file);
        let source = source.ok_or_else(|| format!("{}: no file {file}", listed.id))?;
        let range = source.locate(function, find);
        let range = range.map_err(|error| format!("{}/{}: {error}", row.id, listed.id))?;
        Ok::<_, String>(Edit {
            file: file.to_owned(),
            range,
            replace: replace.to_owned(),
        })
    };
    let mut edits = vec![edit(&row.file, &row.function, find, &listed.replace)?];
    for also in &listed.also {
        let file = also.file.as_deref().unwrap_or(&row.file);
        let function = also.function.as_deref().unwrap_or(&row.function);
        edits.push(edit(file, function, &also.find, &also.replace)?);
    }
    Ok(mutant(row, &listed.id, listed.fault.clone(), edits))
}
