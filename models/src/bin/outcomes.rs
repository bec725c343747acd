//! Prints the outcome tables of all statistics, or writes them as JSON.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use models::outcome_table;

/// Prints what the intervals of small scenarios can be, for every statistic.
#[derive(Parser)]
#[command(name = "cargo outcomes", bin_name = "cargo outcomes")]
struct Options {
    /// Writes the tables to this file as JSON, as well
    #[arg(long)]
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let tables = outcome_table::all();
    tables.iter().for_each(|table| println!("{table}"));
    let Some(path) = options.json else {
        return ExitCode::SUCCESS;
    };
    let text = serde_json::to_string_pretty(&tables).expect("tables are plain data");
    match std::fs::write(&path, text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}
