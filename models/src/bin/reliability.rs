//! Throws everything at the statistics, and writes what came of it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use models::reliability::{self, CaseResult, Effort, Group, Verdict, cases};
use models::result_file::ResultFile;

/// Throws everything at the statistics (Miri, sanitizers, threads that come and go,
/// faults, full load) and fails if a sample is lost.
///
/// What a machine lacks is not run, and said so.
#[derive(Parser)]
#[command(name = "cargo reliability", bin_name = "cargo reliability")]
struct Options {
    /// Only these; all if not given
    #[arg(value_enum)]
    only: Vec<Group>,
    /// Far more of it
    #[arg(long)]
    full: bool,
    /// Where the results go, as JSON, if not to target/reliability/results.json;
    /// those of other cases stay there
    #[arg(long, value_name = "FILE", value_parser = ResultFile::parser())]
    out: Option<ResultFile>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing failed.
fn run(options: &Options) -> Result<bool, String> {
    let out = match &options.out {
        Some(file) => file.clone(),
        None => reliability::usual_file()?,
    };
    // Before the work: results that cannot be kept are known at once.
    reliability::read(out.path())?;
    let effort = if options.full {
        Effort::Full
    } else {
        Effort::Quick
    };
    let is_asked_for = |group| options.only.is_empty() || options.only.contains(&group);
    let asked_for = cases(effort)
        .into_iter()
        .filter(|case| is_asked_for(case.group));
    let mut results = Vec::new();
    for case in asked_for {
        let result = case.run(effort);
        println!("{}", line(&result));
        // Each at once: hours may follow.
        reliability::update(&out, std::slice::from_ref(&result))?;
        results.push(result);
    }
    println!("\n{}\n", reliability::table(&results));
    let failed = |result: &CaseResult| matches!(result.verdict, Verdict::Failed { .. });
    Ok(!results.iter().any(failed))
}

fn line(result: &CaseResult) -> String {
    let verdict = match &result.verdict {
        Verdict::Held => "nothing lost".to_owned(),
        Verdict::Failed { why } => format!("FAILED: {why}"),
        Verdict::NotRun { why } => format!("not run: {why}"),
    };
    format!("{} ({:.0} s): {verdict}", result.case, result.seconds)
}
