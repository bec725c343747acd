//! The reviewer's map, `models/README.md`: its generated parts, and whether they
//! are current.

use std::fmt::Write;
use std::path::Path;

use models::golden;
use models::ladder::Engine;

use crate::book::{Book, Sources, Survival};
use crate::expect::{Expected, expected};
use crate::mutant::{Kind, Mutant};
use crate::results::Results;
use crate::verdict::{Found, Verdict};

/// Takes results into `models/mutants.json`, and all that is generated into the
/// map.
///
/// # Errors
///
/// If one of them cannot be read or written.
pub fn accept(
    repository: &Path,
    book: &Book,
    sources: &Sources,
    mutants: &[Mutant],
    results: &Results,
) -> Result<(), String> {
    let mut known = Results::load(&repository.join(VERDICTS)).unwrap_or_default();
    known.absorb(results, mutants);
    known.save(&repository.join(VERDICTS))?;
    write(repository, book, sources, mutants)
}

/// Writes the generated parts anew.
///
/// # Errors
///
/// As [`accept`].
pub fn write(
    repository: &Path,
    book: &Book,
    sources: &Sources,
    mutants: &[Mutant],
) -> Result<(), String> {
    let text = current(repository, book, sources, mutants)?;
    let path = repository.join(MAP);
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The committed verdicts.
pub const VERDICTS: &str = "models/mutants.json";
/// The map.
pub const MAP: &str = "models/README.md";

/// The map as it should be.
///
/// # Errors
///
/// If something that goes into it cannot be read, or it lacks a marker.
pub fn current(
    repository: &Path,
    book: &Book,
    sources: &Sources,
    mutants: &[Mutant],
) -> Result<String, String> {
    let path = repository.join(MAP);
    let text = std::fs::read_to_string(&path);
    let mut text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    let results = Results::load(&repository.join(VERDICTS))?;
    for (name, part) in [
        ("bounds", bounds()?),
        ("ledger", rows(book, sources)?),
        ("counts", counts(book, &results)),
        ("survivors", survivors(book)),
        ("matrix", matrix(book, mutants, &results)),
    ] {
        text = replace(&text, name, &part)?;
    }
    Ok(text)
}

/// Puts `part` between the markers called `name`.
fn replace(text: &str, name: &str, part: &str) -> Result<String, String> {
    let (begin, end) = (
        format!("<!-- begin {name} -->"),
        format!("<!-- end {name} -->"),
    );
    let parts = text.split_once(&begin).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(&end)?;
        Some((before, after))
    });
    let (before, after) = parts.ok_or_else(|| format!("{MAP} lacks the markers of {name}"))?;
    Ok(format!("{before}{begin}\n{part}{end}{after}"))
}

fn bounds() -> Result<String, String> {
    let mut text = "| engine | statistic | program | search | executions | all |\n".to_owned();
    text += "| --- | --- | --- | --- | ---: | --- |\n";
    for (name, bound) in golden::read()? {
        let all = if bound.exhaustive { "all" } else { "sample" };
        let _ = writeln!(text, "| {name} | {} | {all} |", bound.executions);
    }
    Ok(text)
}

fn rows(book: &Book, sources: &Sources) -> Result<String, String> {
    let mut text = "| row | where | step | edge | with | serves |\n".to_owned();
    text += "| --- | --- | --- | --- | --- | --- |\n";
    for row in &book.rows {
        let source = &sources[&row.file];
        let line = source.line(source.locate(&row.function, &row.code)?.start);
        let _ = writeln!(
            text,
            "| {} | `{}` ({}:{line}) | {} | {} | {} | {} |",
            row.id,
            row.function,
            row.file,
            row.step,
            row.edge,
            row.with.join(", "),
            row.serves.join(", ")
        );
    }
    Ok(text)
}

fn counts(book: &Book, results: &Results) -> String {
    let mut text = "| kind | mutants | killed | equivalent | not observable | open |\n".to_owned();
    text += "| --- | ---: | ---: | ---: | ---: | ---: |\n";
    for kind in Kind::ALL {
        let of_kind = || {
            results
                .verdicts
                .iter()
                .filter(|verdict| verdict.kind == kind)
        };
        let killed = of_kind().filter(|verdict| verdict.is_killed()).count();
        let survive = |why| {
            let survives = |verdict: &&Verdict| {
                let survival = book.survival(&verdict.mutant);
                !verdict.is_killed() && survival.is_some_and(|known| known.kind == why)
            };
            of_kind().filter(survives).count()
        };
        let (equivalent, hidden) = (
            survive(Survival::Equivalent),
            survive(Survival::Unobservable),
        );
        let all = of_kind().count();
        let open = all - killed - equivalent - hidden;
        let _ = writeln!(
            text,
            "| {} | {all} | {killed} | {equivalent} | {hidden} | {open} |",
            kind.name()
        );
    }
    text
}

fn survivors(book: &Book) -> String {
    let mut text = String::new();
    for survivor in &book.equivalents {
        let kind = match survivor.kind {
            Survival::Equivalent => "equivalent",
            Survival::Unobservable => "not observable",
        };
        let _ = writeln!(
            text,
            "- `{}` ({kind}): {}",
            survivor.mutant, survivor.argument
        );
    }
    text
}

fn matrix(book: &Book, mutants: &[Mutant], results: &Results) -> String {
    let engines = Engine::ALL.map(Engine::name).join(" | ");
    let mut text = format!("| mutant | fault | {engines} |\n");
    text += &format!("| --- | --- |{}\n", " --- |".repeat(Engine::ALL.len()));
    for mutant in mutants {
        let verdict = results
            .verdicts
            .iter()
            .find(|verdict| verdict.mutant == mutant.id);
        let cells = Engine::ALL.map(|engine| {
            let found = verdict.and_then(|verdict| verdict.found.get(&engine));
            cell(expected(book, mutant, engine), found)
        });
        let _ = writeln!(
            text,
            "| `{}` | {} | {} |",
            mutant.id,
            mutant.fault,
            cells.join(" | ")
        );
    }
    text
}

/// What was found, and in brackets what must be.
fn cell(said: Expected, found: Option<&Found>) -> String {
    let found = match found {
        Some(Found::Killed { by, .. }) => format!("**{by}**"),
        Some(Found::Missed { .. }) => "missed".to_owned(),
        Some(Found::Fault { .. }) => "no verdict".to_owned(),
        Some(Found::NotRun { .. }) => "not run".to_owned(),
        None if said == Expected::Blind => return String::new(),
        None => "-".to_owned(),
    };
    match said {
        Expected::Kill => format!("{found} (must kill)"),
        Expected::Miss => format!("{found} (must miss)"),
        Expected::May | Expected::Blind => found,
    }
}
