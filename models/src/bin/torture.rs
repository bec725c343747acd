//! Runs the statistics on real threads and counts what goes wrong.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::num::{NonZeroUsize, ParseFloatError};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use models::bar;
use models::environment::Environment;
use models::result_file::ResultFile;
use models::statistic::Statistic;
use models::torture::{self, Course, Effort, Pace, Run, Session, courses};

/// Runs the statistics on real threads and counts impossible intervals, and what
/// is lost when all has come to rest.
///
/// Without an option: each statistic, flat out, beside one reader that reads
/// from once a second to without a pause, two seconds each. It fails if a
/// statistic that promises to lose nothing does, or has fewer samples than the
/// effort asks for.
#[derive(Parser)]
#[command(name = "cargo torture", bin_name = "cargo torture")]
struct Options {
    /// 10^7 samples and more in all, within half a minute
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// At least 10^9 samples for each statistic that promises to lose none
    #[arg(long)]
    full: bool,
    /// Only this statistic; can be given several times
    #[arg(long, value_parser = statistic)]
    statistic: Vec<Statistic>,
    /// Threads that add
    #[arg(long, default_value = "2", value_parser = clap::value_parser!(u16).range(1..=1024))]
    writers: u16,
    /// Adds a second of each writer: a number, or flat-out
    #[arg(long, value_parser = pace)]
    write_rate: Option<Pace>,
    /// Threads that close intervals
    #[arg(long, value_parser = clap::value_parser!(u16).range(..=64))]
    readers: Option<u16>,
    /// Threads that ask for the last interval, as a log line does
    #[arg(long, value_parser = clap::value_parser!(u16).range(..=64))]
    lookers: Option<u16>,
    /// Reads a second of each reader and looker: a number, or flat-out
    #[arg(long, value_parser = pace)]
    read_rate: Option<Pace>,
    /// Seconds that a run lasts at most
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,
    /// Writes the runs, and where they were made, to this file, as JSON
    #[arg(long, value_name = "FILE", value_parser = ResultFile::parser())]
    json: Option<ResultFile>,
    /// Writes the runs to this file, as CSV
    #[arg(long, value_name = "FILE", value_parser = ResultFile::parser())]
    csv: Option<ResultFile>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match options.run() {
        Ok(faults) if faults.is_empty() => ExitCode::SUCCESS,
        Ok(faults) => {
            eprintln!("should not be:\n{}", faults.join("\n"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

impl Options {
    /// What should not have come out.
    fn run(&self) -> Result<Vec<String>, String> {
        let courses = self.courses();
        announce(&courses);
        let environment = Environment::here();
        let runs = bar::run_all(
            &courses,
            |course, over| torture::run(course, over),
            Run::line,
        );
        if let Some(file) = &self.csv {
            file.write(&torture::csv(&runs).map_err(|error| error.to_string())?)?;
        }
        let session = Session { environment, runs };
        if let Some(file) = &self.json {
            let text = serde_json::to_string_pretty(&session).map_err(|error| error.to_string());
            file.write(text?.as_bytes())?;
        }
        Ok(torture::faults(&session.runs, self.effort()))
    }

    fn effort(&self) -> Effort {
        match (self.quick, self.full) {
            (true, _) => Effort::Quick,
            (_, true) => Effort::Full,
            _ => Effort::Usual,
        }
    }

    fn courses(&self) -> Vec<Course> {
        let writers = NonZeroUsize::new(self.writers.into()).expect("in range");
        let statistics = match self.statistic.as_slice() {
            [] => &torture::STATISTICS,
            some => some,
        };
        let mut courses = courses(self.effort(), statistics, writers);
        courses.iter_mut().for_each(|course| self.change(course));
        // With what distinguished them set alike, some are the same now.
        courses.dedup();
        courses
    }

    fn change(&self, course: &mut Course) {
        let Course {
            writing,
            readers,
            lookers,
            reading,
            limit,
            ..
        } = course;
        *writing = self.write_rate.unwrap_or(*writing);
        *readers = self.readers.map_or(*readers, usize::from);
        *lookers = self.lookers.map_or(*lookers, usize::from);
        *reading = self.read_rate.unwrap_or(*reading);
        *limit = self.seconds.map_or(*limit, Duration::from_secs);
    }
}

/// Says how many runs there are, and what bounds them.
fn announce(courses: &[Course]) {
    let mut bounds = BTreeMap::<String, usize>::new();
    for course in courses {
        *bounds.entry(course.ends()).or_default() += 1;
    }
    for (ends, runs) in bounds {
        println!("{runs} runs that end {ends}");
    }
}

/// By its name in results.
fn statistic(name: &str) -> Result<Statistic, String> {
    let all = Statistic::ALL;
    let names = all
        .map(|statistic| format!("{:?}", statistic.name()))
        .join(", ");
    all.into_iter()
        .find(|statistic| statistic.name() == name)
        .ok_or_else(|| format!("not one of {names}"))
}

fn pace(text: &str) -> Result<Pace, String> {
    if text == "flat-out" {
        return Ok(Pace::FlatOut);
    }
    let rate: Result<f64, ParseFloatError> = text.parse();
    match rate {
        Ok(rate) if (0.1..=1e6).contains(&rate) => Ok(Pace::PerSecond(rate)),
        _ => Err("neither flat-out nor a number from 0.1 to 1000000".to_owned()),
    }
}
