//! What was explored, and how far.

use super::{Section, View};
use crate::data::Data;
use crate::format::number;
use crate::model_runs::{ModelRun, Verdict};
use anyhow::Result;
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
    run: &'a ModelRun,
    executions: String,
    seconds: String,
    held: String,
    violated: String,
}

fn view(data: &Data) -> Result<View> {
    let rows: Vec<Row> = data.models.iter().map(row).collect();
    let headlines = headline(&data.models).into_iter().collect();
    let context = json!({ "rows": rows });
    Ok(View { headlines, context })
}

fn row(run: &ModelRun) -> Row<'_> {
    Row {
        run,
        executions: number(run.executions as f64),
        seconds: format!("{:.1}", run.seconds),
        held: names(run, Verdict::Holds),
        violated: names(run, Verdict::Violated),
    }
}

fn names(run: &ModelRun, wanted: Verdict) -> String {
    let names = run
        .verdicts
        .iter()
        .filter(|(_, verdict)| **verdict == wanted);
    let names: Vec<String> = names
        .map(|(guarantee, _)| format!("{guarantee:?}"))
        .collect();
    names.join(" ")
}

fn headline(models: &[ModelRun]) -> Option<String> {
    let executions: u64 = models.iter().map(|run| run.executions).sum();
    let seconds: f64 = models.iter().map(|run| run.seconds).sum();
    let exhaustive = models.iter().filter(|run| run.exhaustive).count();
    (!models.is_empty()).then(|| {
        format!(
            "{} models explored {} executions in {} s; {exhaustive} of them every execution within their bound.",
            models.len(),
            number(executions as f64),
            number(seconds),
        )
    })
}
