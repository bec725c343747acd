//! A failing model of this repository, shown as a counterexample.

use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::{Counterexample, Subject};
use crate::explore::Exploration;
use crate::model::{Model, Search};
use crate::results;

/// A longer table is left as a file only.
const MOST_ROWS: usize = 150;

/// The execution that stopped the model's search, if one did.
pub fn of(model: &Model, exploration: &Exploration) -> Option<Counterexample> {
    let failure = exploration.outcome.failure.as_ref()?;
    let fault = failure.lines().next().unwrap_or_default();
    let subject = Subject {
        name: model.id(),
        title: fault.to_owned(),
        statistic: exploration.outcome.statistic.clone(),
        program: exploration.outcome.scenario.clone(),
        found_by: format!(
            "{}, {}",
            exploration.outcome.tool, exploration.outcome.search
        ),
        explanation: EXPLANATION.to_owned(),
        command: command(model),
    };
    let broken = Fault::Broken(model.statistic.keeps()).of(&exploration.last);
    let ended_by = (broken.as_deref() != Some(failure)).then_some(fault);
    Some(Counterexample::new(
        subject,
        &exploration.last,
        fault,
        ended_by,
    ))
}

const EXPLANATION: &str = "The rows are the steps in the order in which they took effect, one \
    column a thread. Look for the first row after which a thread acts on what is no longer so.";

fn command(model: &Model) -> String {
    match model.search {
        Search::Loom { .. } => format!("cargo test --features loom --test loom -- {}", model.id()),
        Search::Shuttle { .. } | Search::Bounded { .. } | Search::StoreBuffers { .. } => {
            format!("cargo replay target/models/schedules/{}.json", model.id())
        }
        Search::Threads { .. } => "no schedule was recorded".to_owned(),
    }
}

/// What to print of a model that failed: the execution as a table, the smallest
/// one with such a fault if it is another, and the file that has the picture.
///
/// # Errors
///
/// If the files cannot be written.
pub fn show(model: &Model, exploration: &Exploration) -> std::io::Result<String> {
    let Some(example) = of(model, exploration) else {
        return Ok("No single execution shows it.".to_owned());
    };
    let picture = leave(&example, &model.id())?;
    let mut shown = format!("The picture: {}\n", picture.display());
    if example.table.rows.len() <= MOST_ROWS {
        shown += &format!("\n{example}");
    }
    if let Some(smallest) = smallest(model) {
        let picture = leave(&smallest, &format!("{}-smallest", model.id()))?;
        shown += &format!(
            "\nThe smallest execution with such a fault: {}\n\n{smallest}",
            picture.display()
        );
    }
    Ok(shown)
}

/// Leaves the example as text and as a picture, whose path is returned.
fn leave(example: &Counterexample, name: &str) -> std::io::Result<PathBuf> {
    let folder = results::folder().join("failures");
    std::fs::create_dir_all(&folder)?;
    let file = |kind: &str| Path::new(&folder).join(format!("{name}.{kind}"));
    std::fs::write(file("txt"), example.to_string())?;
    std::fs::write(file("svg"), example.picture())?;
    Ok(file("svg"))
}

/// Loom's executions are small as they are.
#[cfg(feature = "shuttle")]
fn smallest(model: &Model) -> Option<Counterexample> {
    use super::search;
    use crate::script::Script;

    if matches!(model.search, Search::Loom { .. }) {
        return None;
    }
    let programs = Script::up_to(&[1, 2], 1);
    let fault = Fault::Broken(model.statistic.keeps());
    let found = search::smallest(model.statistic, &programs, fault, 2)?;
    let subject = Subject {
        name: format!("{}-smallest", model.id()),
        title: found.message.clone(),
        statistic: model.statistic.name().to_owned(),
        program: found.program.to_string(),
        found_by: search::METHOD.to_owned(),
        explanation: EXPLANATION.to_owned(),
        command: command(model),
    };
    Some(found.show(subject))
}

#[cfg(not(feature = "shuttle"))]
fn smallest(_: &Model) -> Option<Counterexample> {
    None
}
