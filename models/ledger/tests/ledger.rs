//! The ledger accounts for the source, and every mutant applies to it.

use ledger::book::{self, Book, Sources};
use ledger::results::Results;
use ledger::source::Source;
use ledger::{map, mutant};

fn read() -> (Book, Sources) {
    let repository = ledger::repository();
    let book = book::read(&repository).unwrap_or_else(|error| panic!("{error}"));
    let sources = book::sources(&repository).unwrap_or_else(|error| panic!("{error}"));
    (book, sources)
}

#[test]
fn every_step_of_the_source_has_a_row_and_every_row_a_place() {
    let (book, sources) = read();
    let faults = book.faults(&sources);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_row_has_mutants_or_says_why_not() {
    let (book, sources) = read();
    let mutants = mutant::all(&book, &sources).unwrap_or_else(|error| panic!("{error}"));
    for row in &book.rows {
        let has = mutants.iter().any(|mutant| mutant.row == row.id);
        assert_ne!(has, row.unmutated.is_some(), "{}", row.id);
    }
}

#[test]
fn every_mutant_is_another_program_that_parses() {
    let (book, sources) = read();
    let mutants = mutant::all(&book, &sources).unwrap_or_else(|error| panic!("{error}"));
    let mut names: Vec<&str> = mutants.iter().map(|mutant| mutant.id.as_str()).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "two mutants have one name");
    for mutant in &mutants {
        for (file, text) in mutant.apply(&sources) {
            assert_ne!(text, sources[&file].text, "{}", mutant.id);
            Source::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", mutant.id));
        }
    }
}

#[test]
fn the_map_is_current() {
    let (book, sources) = read();
    let mutants = mutant::all(&book, &sources).unwrap_or_else(|error| panic!("{error}"));
    let repository = ledger::repository();
    let current = map::current(&repository, &book, &sources, &mutants);
    let current = current.unwrap_or_else(|error| panic!("{error}"));
    let committed = std::fs::read_to_string(repository.join(map::MAP)).expect("it is there");
    assert!(
        current == committed,
        "{} is not current: `cargo ledger --accept-map` writes it anew",
        map::MAP
    );
}

#[test]
fn every_mutant_has_a_verdict_that_was_to_be_expected() {
    let (book, sources) = read();
    let mutants = mutant::all(&book, &sources).unwrap_or_else(|error| panic!("{error}"));
    let path = ledger::repository().join(map::VERDICTS);
    let results = Results::load(&path).unwrap_or_else(|error| panic!("{error}"));
    for mutant in &mutants {
        let mut verdicts = results.verdicts.iter();
        let verdict = verdicts.find(|verdict| verdict.mutant == mutant.id);
        let verdict = verdict.unwrap_or_else(|| panic!("{} has no verdict", mutant.id));
        assert_eq!(verdict.surprise(&book, mutant), None, "{}", mutant.id);
        let is_decided = verdict.is_killed() || book.survival(&mutant.id).is_some();
        assert!(is_decided, "{} survives without an argument", mutant.id);
    }
}
