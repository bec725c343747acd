//! Runs every caller at full load and checks every interval.

#![forbid(unsafe_code)]

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use models::bar;
use models::result_file::ResultFile;
use models::soak::{self, Course, Soaked};

/// Runs every caller (the statistics, their recorders, performance and lock
/// metrics) at full load, drained from once a second to without a pause, and
/// checks every interval. It fails if one is wrong, or a sample is lost.
#[derive(Parser)]
#[command(name = "cargo soak", bin_name = "cargo soak")]
struct Options {
    /// How long it takes in all, as in 30s, 2m or 1h
    #[arg(long, default_value = "2m", value_parser = time)]
    time: Duration,
    /// Threads that add; as many as there are processors if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    writers: Option<u16>,
    /// Writes what came out to this file, as JSON
    #[arg(long, value_name = "FILE", value_parser = ResultFile::parser())]
    json: Option<ResultFile>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("something was lost, or an interval was wrong");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing was wrong.
fn run(options: &Options) -> Result<bool, String> {
    let writers = match options.writers {
        Some(writers) => NonZeroUsize::new(writers.into()).expect("in range"),
        None => thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    let courses = soak::courses(options.time, writers);
    let soaked = bar::run_all(&courses, Course::run, Soaked::line);
    if let Some(file) = &options.json {
        let text = serde_json::to_string_pretty(&soaked).map_err(|error| error.to_string())?;
        file.write((text + "\n").as_bytes())?;
    }
    let samples: u64 = soaked.iter().map(|soaked| soaked.samples).sum();
    println!("{samples} samples in all");
    Ok(soaked.iter().all(Soaked::is_clean))
}

/// A second at least, so that every caller has its share; a week at most.
fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    let allowed = Duration::from_secs(1)..=Duration::from_secs(7 * 24 * 3600);
    if allowed.contains(&time) {
        return Ok(time);
    }
    Err("it must be from 1s to 7d".to_owned())
}
