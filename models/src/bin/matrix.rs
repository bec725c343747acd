//! Writes into the README what is generated there: the guarantee matrix, and what
//! was thrown at the statistics.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use models::readme;

/// Writes into the README what is generated there: the guarantee matrix, and what was
/// thrown at the statistics.
#[derive(Parser)]
#[command(name = "cargo matrix", bin_name = "cargo matrix")]
struct Options {}

fn main() -> ExitCode {
    let Options {} = Options::parse();
    match readme::update() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", readme::path().display());
            ExitCode::FAILURE
        }
    }
}
