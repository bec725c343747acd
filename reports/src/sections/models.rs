//! What was explored, and how far.

use super::{Section, View};
use crate::data::Data;
use crate::format::{count, number};
use crate::model_runs::{ModelRun, Verdict};
use anyhow::Result;
use models::guarantees::Guarantee;
use models::outcome::Outcome;
use serde::Serialize;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "models",
    title: "Models",
    command: "cargo reports",
    template: include_str!("models.html"),
    view,
};

#[derive(Serialize)]
struct Row<'a> {
    outcome: &'a Outcome,
    shortfall: Option<&'a str>,
    executions: String,
    seconds: String,
    held: String,
    violated: String,
}

fn view(data: &Data) -> Result<View> {
    let mut rows: Vec<Row> = data.models.iter().map(row).collect();
    rows.sort_by_key(|row| row.outcome.statistic.as_str());
    let same = |a: &Row<'_>, b: &Row<'_>| a.outcome.statistic == b.outcome.statistic;
    let groups: Vec<&[Row]> = rows.chunk_by(same).collect();
    let headlines = headline(&data.models).into_iter().collect();
    let context = json!({ "groups": groups });
    Ok(View { headlines, context })
}

fn row(run: &ModelRun) -> Row<'_> {
    Row {
        outcome: &run.outcome,
        shortfall: run.shortfall.as_deref(),
        executions: count(run.outcome.executions),
        seconds: format!("{:.1}", run.outcome.seconds),
        held: names(run, Verdict::Holds),
        violated: names(run, Verdict::Violated),
    }
}

/// The guarantees with a verdict, neighbours together: "G1–G5 G7".
fn names(run: &ModelRun, wanted: Verdict) -> String {
    let has = |guarantee: &Guarantee| run.verdict(*guarantee) == Some(wanted);
    let runs = Guarantee::ALL.chunk_by(|a, b| has(a) == has(b));
    let names: Vec<String> = runs.filter(|run| has(&run[0])).map(name_of_run).collect();
    names.join(" ")
}

fn name_of_run(run: &[Guarantee]) -> String {
    match run {
        [first, .., last] => format!("{first:?}–{last:?}"),
        _ => run.iter().map(|only| format!("{only:?}")).collect(),
    }
}

fn headline(models: &[ModelRun]) -> Option<String> {
    let executions: u64 = models.iter().map(|run| run.outcome.executions).sum();
    let seconds: f64 = models.iter().map(|run| run.outcome.seconds).sum();
    let exhaustive = models.iter().filter(|run| run.outcome.exhaustive).count();
    (!models.is_empty()).then(|| {
        format!(
            "{} models explored {} executions in {} s; {exhaustive} of them every execution within their bound.",
            models.len(),
            count(executions),
            number(seconds),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_runs::tests::told;

    #[test]
    fn neighbours_are_named_together() {
        let mut run = told("A", true, Verdict::Holds);
        run.outcome.checked = vec![
            Guarantee::G1,
            Guarantee::G2,
            Guarantee::G3,
            Guarantee::G4,
            Guarantee::G6,
        ];
        run.outcome.broken.insert(Guarantee::G4, 1);
        assert_eq!(names(&run, Verdict::Holds), "G1–G3 G6");
        assert_eq!(names(&run, Verdict::Violated), "G4");
    }
}
