//! The engine that needs no feature, and the README.

use models::verdicts::Manifest;
use models::{arithmetic, readme, results};

#[test]
fn numbers_are_as_exact_as_expected() {
    let outcomes = arithmetic::explore();
    for (_, outcome) in &outcomes {
        println!("{}", outcome.line());
        results::append(outcome).unwrap();
    }
    let compared = Manifest::load().compare(arithmetic::ENGINE, &outcomes);
    compared.unwrap_or_else(|differences| panic!("{differences}"));
}

#[test]
fn what_is_generated_in_the_readme_is_current() {
    assert!(readme::is_current().unwrap(), "run: cargo matrix");
}
