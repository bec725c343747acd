//! What each atomic step is for, and whether the checks notice when it is
//! wrong.

use super::{Section, View};
use crate::data::Data;
use crate::format::count;
use anyhow::{Context, Result, anyhow};
use ledger::book::{self, Book, Row, Sources, Survival};
use ledger::expect::{Expected, expected};
use ledger::mutant::{self, Kind, Mutant};
use ledger::results::Results;
use ledger::verdict::{Found, Verdict};
use models::ladder::Engine;
use serde::Serialize;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "ledger",
    title: "Ledger of orderings",
    command: "cargo ledger --full",
    template: include_str!("ledger.html"),
    view,
};

/// What `cargo ledger --accept` committed.
const VERDICTS: &str = include_str!("../../../models/mutants.json");

fn view(_: &Data) -> Result<View> {
    let results: Results = serde_json::from_str(VERDICTS).context("models/mutants.json")?;
    let repository = ledger::repository();
    let book = book::read(&repository).map_err(|error| anyhow!(error))?;
    let sources = book::sources(&repository).map_err(|error| anyhow!(error))?;
    let mutants = mutant::all(&book, &sources).map_err(|error| anyhow!(error))?;
    let rows = book.rows.iter().map(|row| step(row, &sources));
    let context = json!({
        "counts": Kind::ALL.map(|kind| Count::of(kind, &book, &results.verdicts)),
        "engines": Engine::ALL.map(Engine::name),
        "control": Engine::ALL.map(|engine| control(&results, engine)),
        "mutants": mutants.iter().map(|mutant| tried(&book, mutant, &results)).collect::<Vec<_>>(),
        "survivors": results.verdicts.iter().filter_map(|verdict| survivor(&book, verdict)).collect::<Vec<_>>(),
        "rows": rows.collect::<Result<Vec<_>>>()?,
    });
    Ok(View {
        headlines: vec![headline(&book, &results.verdicts)],
        context,
    })
}

/// The mutants of a kind.
#[derive(Serialize)]
struct Count {
    kind: &'static str,
    all: usize,
    killed: usize,
    argued: usize,
    open: usize,
}

impl Count {
    fn of(kind: Kind, book: &Book, verdicts: &[Verdict]) -> Self {
        let of_kind = || verdicts.iter().filter(|verdict| verdict.kind == kind);
        let all = of_kind().count();
        let killed = of_kind().filter(|verdict| verdict.is_killed()).count();
        let argued = of_kind()
            .filter_map(|verdict| survivor(book, verdict))
            .count();
        Self {
            kind: kind.name(),
            all,
            killed,
            argued,
            open: all - killed - argued,
        }
    }
}

fn headline(book: &Book, verdicts: &[Verdict]) -> String {
    let counts = Kind::ALL.map(|kind| Count::of(kind, book, verdicts));
    let total = |of: fn(&Count) -> usize| counts.iter().map(of).sum::<usize>();
    format!(
        "{} steps of the source are accounted for; of {} faults put into them, one at a time, {} are killed, {} survive with an argument, {} without.",
        book.rows.len(),
        total(|count| count.all),
        total(|count| count.killed),
        total(|count| count.argued),
        total(|count| count.open),
    )
}

/// A mutant that nothing killed, with the reason why that may be.
#[derive(Serialize)]
struct Survivor<'a> {
    mutant: &'a str,
    fault: &'a str,
    kind: &'static str,
    argument: &'a str,
}

fn survivor<'a>(book: &'a Book, verdict: &'a Verdict) -> Option<Survivor<'a>> {
    let known = book.survival(&verdict.mutant)?;
    (!verdict.is_killed()).then(|| Survivor {
        mutant: &verdict.mutant,
        fault: &verdict.fault,
        kind: match known.kind {
            Survival::Equivalent => "equivalent",
            Survival::Unobservable => "not observable",
        },
        argument: &known.argument,
    })
}

/// What the unmutated source showed.
fn control(results: &Results, engine: Engine) -> Option<String> {
    let found = match results.control.get(&engine)? {
        Found::Missed { executions } => format!("nothing in {} executions", count(*executions)),
        other => other.line(),
    };
    Some(format!("{engine}: {found}"))
}

/// A mutant, and what each engine made of it.
#[derive(Serialize)]
struct Tried {
    mutant: String,
    fault: String,
    cells: [Cell; Engine::ALL.len()],
    /// How the first engine that killed it did so.
    how: Option<String>,
    counterexample: Option<String>,
}

/// An engine and a mutant.
#[derive(Serialize)]
struct Cell {
    /// Decides the colour.
    class: &'static str,
    text: String,
    must: &'static str,
}

fn tried(book: &Book, mutant: &Mutant, results: &Results) -> Tried {
    let verdict = results
        .verdicts
        .iter()
        .find(|verdict| verdict.mutant == mutant.id);
    let found = |engine| verdict?.found.get(&engine);
    let kill = Engine::ALL
        .into_iter()
        .find_map(|engine| match found(engine) {
            Some(killed @ Found::Killed { .. }) => Some((engine, killed)),
            _ => None,
        });
    let counterexample = match kill {
        Some((_, Found::Killed { counterexample, .. })) => counterexample.as_ref(),
        _ => None,
    };
    Tried {
        mutant: mutant.id.clone(),
        fault: mutant.fault.clone(),
        cells: Engine::ALL.map(|engine| cell(expected(book, mutant, engine), found(engine))),
        how: kill.map(|(engine, killed)| format!("{engine}: {}", killed.line())),
        counterexample: counterexample.map(|drawing| drawing.text.clone()),
    }
}

fn cell(said: Expected, found: Option<&Found>) -> Cell {
    let (class, text) = match found {
        Some(Found::Killed { by, .. }) if said == Expected::Miss => ("violated", by.clone()),
        Some(Found::Killed { by, .. }) => ("holds", by.clone()),
        Some(Found::Missed { .. }) if said == Expected::Kill => ("violated", "missed".to_owned()),
        Some(Found::Missed { .. }) => ("", "missed".to_owned()),
        Some(Found::Fault { .. }) => ("violated", "no verdict".to_owned()),
        Some(Found::NotRun { .. }) => ("", "not run".to_owned()),
        None if said == Expected::Blind => ("", String::new()),
        None => ("", "–".to_owned()),
    };
    let must = match said {
        Expected::Kill => "must kill",
        Expected::Miss => "must miss",
        Expected::May | Expected::Blind => "",
    };
    Cell { class, text, must }
}

/// A row of the ledger, with its place.
#[derive(Serialize)]
struct Step<'a> {
    row: &'a Row,
    line: usize,
}

fn step<'a>(row: &'a Row, sources: &Sources) -> Result<Step<'a>> {
    let source = &sources[&row.file];
    let place = source.locate(&row.function, &row.code);
    let place = place.map_err(|error| anyhow!("{}: {error}", row.id))?;
    Ok(Step {
        row,
        line: source.line(place.start),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(mutant: &str, found: Found) -> Verdict {
        Verdict {
            mutant: mutant.to_owned(),
            row: "row".to_owned(),
            kind: Kind::Ordering,
            fault: "a fence is gone".to_owned(),
            changes: Vec::new(),
            found: [(Engine::Loom, found)].into(),
        }
    }

    #[test]
    fn survivors_with_and_without_an_argument_are_told_apart() {
        let book = Book {
            rows: Vec::new(),
            equivalents: vec![book::Equivalent {
                mutant: "row/argued".to_owned(),
                kind: Survival::Equivalent,
                argument: "it is the same".to_owned(),
            }],
            exceptions: Vec::new(),
        };
        let killed = Found::Killed {
            by: "G1".to_owned(),
            fault: "G1 conserved: lost".to_owned(),
            rung: "loom".to_owned(),
            executions: 1,
            counterexample: None,
        };
        let missed = Found::Missed { executions: 9 };
        let all = [
            verdict("row/killed", killed),
            verdict("row/argued", missed.clone()),
            verdict("row/open", missed),
        ];
        assert_eq!(
            headline(&book, &all),
            "0 steps of the source are accounted for; of 3 faults put into them, one at a time, 1 are killed, 1 survive with an argument, 1 without."
        );
    }
}
