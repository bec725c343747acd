//! The ledger accounts for the source, and every mutant applies to it.

use ledger::book::{self, Book, Sources};
use ledger::mutant;
use ledger::source::Source;

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
