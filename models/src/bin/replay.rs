//! `cargo replay FILE`: runs the one execution again that a failing shuttle
//! model left as a file, and shows it.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use models::counterexample::failure;
use models::explore::shuttle::Recording;
use models::mutant::Mutant;

/// Runs the execution again that a failing shuttle model left, and shows it.
#[derive(Parser)]
#[command(name = "cargo replay")]
struct Arguments {
    /// The schedule, target/models/schedules/MODEL.json
    file: PathBuf,
    /// Installs a mutant, in place of the one that the file names
    #[arg(long)]
    mutant: Option<Mutant>,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(shown) => {
            println!("{}", shown.trim_end());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<String, String> {
    let mut recording = Recording::read(&arguments.file)?;
    recording.mutant = arguments.mutant.or(recording.mutant);
    let replay = recording.replay()?;
    if let Some(left) = replay.left {
        eprintln!("not the execution that was recorded: {left}");
    }
    let exploration = replay.exploration;
    Ok(match failure::of(&recording.model, &exploration) {
        Some(example) => example.to_string(),
        None => format!(
            "The schedule breaks nothing: {}",
            exploration.outcome.line()
        ),
    })
}
