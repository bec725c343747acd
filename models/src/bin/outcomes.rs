//! Prints the outcome tables of all statistics, or writes them as JSON.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use models::outcome_table;
use models::result_file::ResultFile;

/// Prints what the intervals of small scenarios can be, for every statistic.
#[derive(Parser)]
#[command(name = "cargo outcomes", bin_name = "cargo outcomes")]
struct Options {
    /// Writes the tables to this file as JSON, as well
    #[arg(long, value_name = "FILE", value_parser = ResultFile::parser())]
    json: Option<ResultFile>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let tables = outcome_table::all();
    tables.iter().for_each(|table| println!("{table}"));
    let Some(file) = options.json else {
        return ExitCode::SUCCESS;
    };
    let text = serde_json::to_string_pretty(&tables).expect("tables are plain data");
    match file.write(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
