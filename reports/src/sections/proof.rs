//! What is proved.

use super::{Section, View};
use crate::data::Data;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "proof",
    title: "Proof",
    command: "make -C proofs",
    template: include_str!("proof.html"),
    view,
};

/// What `make -C proofs` wrote and compares.
const RESULTS: &str = include_str!("../../../proofs/results.json");

#[derive(Deserialize, Serialize)]
struct Results {
    theorems: Vec<Theorem>,
    files: Vec<File>,
    versions: serde_json::Map<String, serde_json::Value>,
    trusted: Vec<String>,
}

#[derive(Deserialize, Serialize)]
struct Theorem {
    name: String,
    file: String,
    guarantee: String,
    says: String,
    assumptions: String,
}

#[derive(Deserialize, Serialize)]
struct File {
    file: String,
    role: String,
    /// Lines.
    statements: usize,
    /// Lines.
    proof_scripts: usize,
}

/// What Coq prints of a theorem that assumes nothing.
const CLOSED: &str = "Closed under the global context";

fn view(_: &Data) -> Result<View> {
    let results: Results = serde_json::from_str(RESULTS).context("proofs/results.json")?;
    let headlines = vec![headline(&results)];
    let context = json!(results);
    Ok(View { headlines, context })
}

fn headline(results: &Results) -> String {
    let closed = results
        .theorems
        .iter()
        .filter(|theorem| theorem.assumptions == CLOSED);
    let version = |of: &str| {
        let version = results
            .versions
            .get(of)
            .and_then(|version| version.as_str());
        version.unwrap_or("of an unknown version").to_owned()
    };
    format!(
        "{} of {} theorems on the protocol, for any number of threads and samples, are checked by Coq {} with Iris {} and assume nothing.",
        closed.count(),
        results.theorems.len(),
        version("coq"),
        version("iris"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_theorem_that_assumes_something_is_not_counted() {
        let mut results: Results = serde_json::from_str(RESULTS).unwrap();
        let theorems = results.theorems.len();
        assert!(headline(&results).starts_with(&format!("{theorems} of {theorems} ")));
        results.theorems[0].assumptions = "Axioms: anything".to_owned();
        assert!(headline(&results).starts_with(&format!("{} of {theorems} ", theorems - 1)));
    }
}
