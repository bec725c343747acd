//! Writes into the README what is generated there: the guarantee matrix, and what
//! was thrown at the statistics.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use models::readme;

fn main() -> ExitCode {
    match readme::update() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", readme::path().display());
            ExitCode::FAILURE
        }
    }
}
