//! `cargo counterexample O4`: searches for the smallest execution with a fault
//! and shows it. Without a name it lists what there is.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use models::counterexample::Counterexample;
use models::counterexample::catalogue::{self, Case};
use models::result_file::ResultFile;

/// Shows the smallest execution with a fault; without a name, lists the faults.
#[derive(Parser)]
#[command(name = "cargo counterexample")]
struct Arguments {
    /// Which fault
    name: Option<String>,
    /// Writes the picture there as well
    #[arg(long, value_name = "FILE", requires = "name", value_parser = ResultFile::parser())]
    svg: Option<ResultFile>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(shown) => {
            println!("{}", shown.trim_end());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {}", error.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, String> {
    let Some(name) = &arguments.name else {
        return Ok(list());
    };
    let case = catalogue::find(name)
        .ok_or_else(|| format!("there is no counterexample {name}; there are\n\n{}", list()))?;
    let example = search(&case)?;
    if let Some(file) = &arguments.svg {
        file.write(example.picture().as_bytes())?;
    }
    Ok(example.to_string())
}

fn list() -> String {
    let line = |case: Case| format!("{:22} {}\n", case.name, case.title);
    catalogue::cases().into_iter().map(line).collect()
}

fn search(case: &Case) -> Result<Counterexample, String> {
    let none = || format!("no execution shows {} any more", case.name);
    case.search().ok_or_else(none)
}
