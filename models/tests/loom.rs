//! Explores every loom model of the catalogue, and the two drafts that loom
//! must reject.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use models::guarantees::Guarantee;
use models::model::{Model, Search};
use models::mutant::{self, Mutant};
use models::scenario::Scenario;
use models::statistic::Statistic;
use models::verdicts::CameOut;
use models::{catalogue, results};

fn main() -> ExitCode {
    let came_out = Arc::new(CameOut::default());
    let models = catalogue::loom().into_iter();
    let models = models.map(|model| {
        let came_out = Arc::clone(&came_out);
        Trial::test(model.id(), move || Ok(came_out.record(&model)?))
    });
    let drafts = [Mutant::OpeningStoreRelaxed, Mutant::EpochRelaxed];
    let drafts =
        drafts.map(|draft| Trial::test(format!("{draft:?} is rejected"), move || reject(draft)));
    let batches = Trial::test("a batch added one by one is found torn", || {
        tears(Statistic::Combined)
    });
    let trials = models.chain(drafts).chain([batches]).collect();
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    // Only all models together can be compared.
    if conclusion.has_failed() || conclusion.num_filtered_out > 0 || conclusion.num_passed == 0 {
        conclusion.exit();
    }
    came_out.conclude(&["loom"])
}

/// A kill counts only as loom's report of the data race.
fn reject(draft: Mutant) -> Result<(), Failed> {
    let model = catalogue::smallest(draft);
    let control = model.explore().outcome;
    control.meets(&model)?;
    let outcome = mutant::with(draft, || model.explore().outcome);
    println!("{draft:?}: {}", outcome.line());
    match outcome.failure {
        Some(failure) if failure.starts_with("Causality violation") => shows(draft, &model),
        other => Err(format!("{draft:?} was not rejected for a data race: {other:?}").into()),
    }
}

/// Single adds of this statistic are whole; of its batches, which the trait adds
/// one by one, intervals have parts.
fn tears(statistic: Statistic) -> Result<(), Failed> {
    let broken = |scenario| {
        let model = Model {
            statistic,
            scenario,
            search: Search::Loom { preemptions: None },
        };
        let outcome = model.explore().outcome;
        println!("{}", outcome.line());
        [Guarantee::G3, Guarantee::G5].map(|guarantee| outcome.breaks(guarantee))
    };
    match (
        broken(Scenario::together(1, 2, 1)),
        broken(Scenario::batches(1, 1, 1)),
    ) {
        ([false, false], [true, true]) => Ok(()),
        other => Err(format!("G3 and G5 broken by single adds, by batches: {other:?}").into()),
    }
}

/// What a failing model prints ends with the access that loom stopped at.
fn shows(draft: Mutant, model: &Model) -> Result<(), Failed> {
    let shown = mutant::with(draft, || results::check(model)).unwrap_err();
    println!("{shown}");
    let marked = shown.lines().find(|line| line.starts_with(" >> │"));
    match marked {
        Some(row) if row.contains("stopped:") => Ok(()),
        other => Err(format!("marked is {other:?} in\n{shown}").into()),
    }
}
