//! `cargo reports`: runs the models and the scenarios and writes the report.

#![forbid(unsafe_code)]

use anyhow::{Context, Result, ensure};
use clap::Parser;
use clap::error::ErrorKind;
use models::torture::Session;
use report::{
    Data, Destination, Effort, Plan, Progress, Report, ThreadCounts, committed, courses_for,
    expected, gather, models_for,
};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the models and the benchmark scenarios and writes what came out as one
/// self-contained page, index.html, with all data beside it as CSV and JSON.
/// Takes under 9 minutes.
#[derive(Parser)]
#[command(bin_name = "cargo reports")]
struct Arguments {
    /// Take under 2 minutes: fewer and shorter rounds, smaller models
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// Take as long as good figures take: more and longer rounds, all models
    #[arg(long)]
    full: bool,

    /// How many threads add: each of these numbers, 1 to 1024, in turn
    #[arg(long, value_name = "LIST", default_value = "1,2,10,20,40,60,80")]
    threads: ThreadCounts,

    /// The folder of the report; an earlier report there is replaced
    #[arg(long, value_name = "DIR", default_value = "target/report")]
    out: PathBuf,

    /// Shown beside this run's own torture: what `cargo torture --full --json FILE`
    /// wrote; without such a file, nothing
    #[arg(long, value_name = "FILE", default_value = FULL_TORTURE)]
    torture: PathBuf,

    /// Run nothing: draw the data of this earlier report again
    #[arg(long, value_name = "DIR", conflicts_with_all = ["quick", "full", "threads", "torture"])]
    redraw: Option<PathBuf>,
}

/// The one that is committed.
const FULL_TORTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/torture-full.json");

impl Arguments {
    fn effort(&self) -> Effort {
        match (self.quick, self.full) {
            (true, _) => Effort::Quick,
            (_, true) => Effort::Full,
            _ => Effort::Standard,
        }
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return explain(&error),
    };
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Help as it comes, anything else in one line.
fn explain(error: &clap::Error) -> ExitCode {
    if error.kind() == ErrorKind::DisplayHelp {
        print!("{error}");
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let said = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let said: Vec<&str> = said
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let said = said.join("; ");
    let said = said.trim_start_matches("error: ");
    complain(&format!(
        "{said}; `cargo reports --help` lists what there is"
    ));
    ExitCode::from(2)
}

/// In one line, and no command to the terminal, whatever a file has in it.
fn complain(what: &str) {
    let mut line = String::new();
    for character in what.chars() {
        match character.is_control() {
            true => line.extend(character.escape_debug()),
            false => line.push(character),
        }
    }
    eprintln!("cargo reports: {line}");
}

fn run(arguments: Arguments) -> Result<()> {
    // First, so that no run is in vain.
    let destination = Destination::new(&arguments.out).context("--out")?;
    let data = match &arguments.redraw {
        Some(folder) => Report::open(folder).context("--redraw")?,
        None => {
            let full_torture = committed(&arguments.torture).context("--torture")?;
            measure(
                Plan::new(arguments.effort(), arguments.threads),
                full_torture,
            )
        }
    };
    destination.publish(&Report::of(&data)?).context("--out")?;
    println!("{}", destination.folder().join("index.html").display());
    let faults = data.faults();
    ensure!(
        faults.is_empty(),
        "the report is written, and tells of {} faults: {}",
        faults.len(),
        faults.join("; ")
    );
    Ok(())
}

fn measure(plan: Plan, full_torture: Option<Session>) -> Data {
    let models = models_for(plan.effort);
    let courses = courses_for(plan.effort);
    let progress = Progress::new(expected(&plan, &models, &courses));
    gather(plan, &models, &courses, full_torture, &progress)
}
