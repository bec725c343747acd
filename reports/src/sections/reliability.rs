//! What was thrown at the statistics.

use super::{Section, View};
use crate::data::Data;
use crate::format::{count, number};
use anyhow::{Context, Error, Result};
use models::reliability::{self, CaseResult, Effort, Thrown, Verdict};
use serde::Serialize;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "reliability",
    title: "What was thrown at it",
    command: "cargo reliability",
    template: include_str!("reliability.html"),
    view,
};

/// What `cargo reliability --out reports/reliability.json` wrote.
const RESULTS: &str = include_str!("../../reliability.json");

#[derive(Serialize)]
struct Row<'a> {
    case: &'a str,
    command: &'a str,
    seconds: String,
    /// How it ended, if not well.
    instead: Option<String>,
    thrown: Vec<Cells<'a>>,
}

#[derive(Serialize)]
struct Cells<'a> {
    what: &'a str,
    amount: String,
    samples: Option<String>,
    lost: String,
}

fn view(_: &Data) -> Result<View> {
    let results = reliability::parse(RESULTS);
    let results = results
        .map_err(Error::msg)
        .context("reports/reliability.json")?;
    let rows: Vec<Row> = results.iter().map(Row::of).collect();
    let full = results
        .iter()
        .filter(|result| result.effort == Effort::Full);
    let machines = reliability::machines(&results);
    let context = json!({ "rows": rows, "full": full.count(), "machines": machines });
    let headlines = headline(&results).into_iter().collect();
    Ok(View { headlines, context })
}

impl<'a> Row<'a> {
    fn of(result: &'a CaseResult) -> Self {
        Self {
            case: &result.case,
            command: &result.command,
            seconds: number(result.seconds.round()),
            instead: match &result.verdict {
                Verdict::Held => None,
                Verdict::Failed { why } => Some(format!("failed: {why}")),
                Verdict::NotRun { why } => Some(format!("not run: {why}")),
            },
            thrown: result.thrown.iter().map(Cells::of).collect(),
        }
    }
}

impl<'a> Cells<'a> {
    fn of(thrown: &'a Thrown) -> Self {
        Self {
            what: &thrown.what,
            amount: format!("{} {}", count(thrown.amount), thrown.unit),
            samples: thrown.samples.map(count),
            lost: count(thrown.lost),
        }
    }
}

fn headline(results: &[CaseResult]) -> Option<String> {
    let thrown = results.iter().flat_map(|result| &result.thrown);
    let samples: u64 = thrown.clone().filter_map(|thrown| thrown.samples).sum();
    let lost: u64 = thrown.map(|thrown| thrown.lost).sum();
    let not_held = results
        .iter()
        .filter(|result| result.verdict != Verdict::Held);
    let names: Vec<&str> = not_held.map(|result| result.case.as_str()).collect();
    let beside = match names.as_slice() {
        [] => String::new(),
        names => format!("; not run, or failed: {}", names.join(", ")),
    };
    (!results.is_empty()).then(|| {
        format!(
            "Of {} samples under faults, churn, sanitizers and full load, {} were lost{beside}.",
            count(samples),
            count(lost),
        )
    })
}
