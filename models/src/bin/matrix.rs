//! Writes the guarantee matrix of the manifest into the README.

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
