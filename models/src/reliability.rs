//! What is thrown at the statistics beside the models: cases that run a command or
//! several, and what came of them, as data.
//!
//! `cargo reliability` runs the [`cases`]; the README and the report show what it
//! wrote.

mod cases;
mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use comfy_table::{Table, presets};
use serde::{Deserialize, Serialize};

pub use cases::{Effort, Group, cases};
pub use run::Case;

use crate::environment::Environment;
use crate::result_file::ResultFile;
use crate::results;

/// Something that was thrown at a statistic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thrown {
    /// What.
    pub what: String,
    /// How much of it,
    pub amount: u64,
    /// in what.
    pub unit: String,
    /// Samples added meanwhile, where they are counted.
    pub samples: Option<u64>,
    /// By how much what was reported differs from them.
    pub lost: u64,
}

/// What begins the line by which a test says what it threw, as JSON.
const MARK: &str = "thrown: ";

impl Thrown {
    /// So much of something that lost nothing, or it would have failed.
    pub fn new(what: &str, amount: u64, unit: &str) -> Self {
        Self {
            what: what.to_owned(),
            amount,
            unit: unit.to_owned(),
            samples: None,
            lost: 0,
        }
    }

    /// Of a case: with its name before what it is of.
    fn in_case(self, case: &str) -> Self {
        Self {
            what: format!("{case}: {}", self.what),
            ..self
        }
    }

    /// Says it, for `cargo reliability` to hear.
    pub fn say(&self) {
        println!("{MARK}{}", serde_json::json!(self));
    }

    /// What a line says, if it does.
    fn heard(line: &str) -> Option<Self> {
        // The test harness leaves the name of a test before it.
        let (_, text) = line.split_once(MARK)?;
        serde_json::from_str(text).ok()
    }
}

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// As it should.
    Held,
    /// Not so.
    Failed {
        /// What went wrong.
        why: String,
    },
    /// It did not begin.
    NotRun {
        /// What it lacks.
        why: String,
    },
}

/// A case, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// What was done.
    pub case: String,
    /// What runs it again.
    pub command: String,
    /// How much of it there was.
    pub effort: Effort,
    /// Where, when, and of what.
    pub environment: Environment,
    /// How long it took, builds included.
    pub seconds: f64,
    /// How it ended.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What was thrown.
    pub thrown: Vec<Thrown>,
}

/// The results that are committed.
pub fn committed() -> PathBuf {
    results::repository().join("reports/reliability.json")
}

/// Where results go if nobody says where; its folder is made.
///
/// # Errors
///
/// If it cannot be written.
pub fn usual_file() -> Result<ResultFile, String> {
    let folder = cases::folder();
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    ResultFile::new(&folder.join("results.json"))
}

/// Reads results that `cargo reliability` wrote; none if there is no such file.
///
/// # Errors
///
/// If there is one that cannot be read, or holds something else.
pub fn read(path: &Path) -> Result<Vec<CaseResult>, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&text).map_err(|error| {
            let path = path.display();
            format!("{path}: {error}; move it away, and it is written anew")
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Results from their text.
///
/// # Errors
///
/// If it is not that.
pub fn parse(text: &str) -> Result<Vec<CaseResult>, String> {
    serde_json::from_str(text)
        .map_err(|error| format!("not results of `cargo reliability`: {error}"))
}

/// Writes results: those of a case that is there already are replaced.
///
/// # Errors
///
/// If the file cannot be read or written.
pub fn update(file: &ResultFile, new: &[CaseResult]) -> Result<(), String> {
    let is_new = |result: &CaseResult| new.iter().any(|new| new.case == result.case);
    let mut results = read(file.path())?;
    results.retain(|result| !is_new(result));
    results.extend_from_slice(new);
    let order = |result: &CaseResult| {
        cases(result.effort)
            .iter()
            .position(|case| case.name == result.case)
    };
    results.sort_by_key(order);
    let text = serde_json::to_string_pretty(&results).map_err(|error| error.to_string())?;
    file.write((text + "\n").as_bytes())
}

/// A table of results, in Markdown.
pub fn table(results: &[CaseResult]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_header(["thrown at it", "how much", "samples", "lost", "by"]);
    for result in results {
        let by = format!("`{}`", result.command);
        match &result.verdict {
            Verdict::Held => {}
            Verdict::Failed { why } => {
                table.add_row([&result.case, &format!("**failed**: {why}"), "", "", &by]);
            }
            Verdict::NotRun { why } => {
                table.add_row([&result.case, &format!("not run: {why}"), "", "", &by]);
            }
        }
        for thrown in &result.thrown {
            let amount = format!("{} {}", grouped(thrown.amount), thrown.unit);
            let samples = thrown.samples.map(grouped).unwrap_or_default();
            table.add_row([&thrown.what, &amount, &samples, &grouped(thrown.lost), &by]);
        }
    }
    // A row a line, however wide.
    let lines = table.lines().map(|line| line.trim().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// Where and when the cases ran: a line a machine and compiler.
pub fn machines(results: &[CaseResult]) -> Vec<String> {
    let mut begun = BTreeMap::<String, Vec<&str>>::new();
    for CaseResult {
        environment: at, ..
    } in results
    {
        let machine = format!(
            "{}, {} processors, {}, {}",
            at.cpu, at.cores, at.kernel, at.rustc
        );
        begun.entry(machine).or_default().push(&at.begun);
    }
    let line = |(machine, begun): (String, Vec<&str>)| {
        let (first, last) = (begun.iter().min()?, begun.iter().max()?);
        let cases = begun.len();
        Some(format!(
            "{machine}: {cases} cases, begun from {first} to {last}"
        ))
    };
    begun.into_iter().filter_map(line).collect()
}

/// With a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_told_apart() {
        let result = |cpu: &str, begun: &str| {
            let mut result = result(Verdict::Held);
            let environment = &mut result.environment;
            environment.cpu = cpu.to_owned();
            environment.begun = begun.to_owned();
            result
        };
        let results = [result("B", "3"), result("A", "2"), result("B", "1")];
        let machines = machines(&results);
        assert_eq!(machines.len(), 2);
        assert!(machines[0].starts_with("A, "), "{machines:?}");
        assert!(machines[0].ends_with(": 1 cases, begun from 2 to 2"));
        assert!(machines[1].ends_with(": 2 cases, begun from 1 to 3"));
    }

    fn result(verdict: Verdict) -> CaseResult {
        CaseResult {
            case: "a case".to_owned(),
            command: "cargo reliability churn".to_owned(),
            effort: Effort::Quick,
            environment: Environment::here(),
            seconds: 1.0,
            verdict,
            thrown: vec![Thrown {
                samples: Some(1_234_567),
                ..Thrown::new("threads", 100_000, "threads")
            }],
        }
    }

    #[test]
    fn a_line_is_heard_wherever_it_begins() {
        let said = r#"test a ... thrown: {"what":"forks","amount":3,"unit":"forks","lost":0}"#;
        assert_eq!(Thrown::heard(said), Some(Thrown::new("forks", 3, "forks")));
        assert_eq!(Thrown::heard("test a ... ok"), None);
    }

    #[test]
    fn the_table_shows_what_did_not_hold() {
        let why = || "there is none".to_owned();
        for (verdict, words) in [
            (
                Verdict::Held,
                "| threads      | 100,000 threads | 1,234,567 | 0    |",
            ),
            (Verdict::NotRun { why: why() }, "not run: there is none"),
            (Verdict::Failed { why: why() }, "**failed**: there is none"),
        ] {
            let table = table(&[result(verdict)]);
            assert!(table.contains(words), "{table}");
        }
    }
}
