//! The ledger of orderings: what each atomic step of the source is for, and the
//! mutants that show that it is needed and enough.
//!
//! - [`source`] finds the tokens of the source that need a row.
//! - [`book`] reads `models/ledger.toml`, the rows, and holds it against the
//!   source.
//! - [`mutant`] lists the mutants: every weakening of every ordering, by
//!   itself, and those that the rows name.
//! - [`workshop`] applies a mutant to a scratch copy of the workspace and puts
//!   it to the engines.
//! - [`verdict`] says what came out, why, and whether it was to be expected.
//! - [`campaign`] does so for many, and [`results`] keeps what came out.
//! - [`expect`] says beforehand what each engine must find.
//! - [`map`] keeps the reviewer's map current.

#![forbid(unsafe_code)]

pub mod book;
pub mod campaign;
pub mod expect;
pub mod map;
pub mod mutant;
pub mod results;
pub mod source;
pub mod verdict;
pub mod workshop;

use std::path::PathBuf;

/// The folder of the repository.
pub fn repository() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let repository = package.ancestors().nth(2);
    repository
        .expect("the package lies in the repository")
        .to_owned()
}
