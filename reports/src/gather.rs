//! Finding out.

use crate::counterexamples::{self, Drawn};
use crate::data::{Data, HarnessCost};
use crate::model_runs;
use crate::performance;
use crate::plan::{Effort, Plan, Repeated, ThreadCounts};
use crate::progress::Progress;
use crate::torture;
use benches::{
    Contender, Entrant, LockContender, Measurements, Samples, Scenario, Setting, alternate,
    clock_cost,
};
use models::arithmetic::exactness;
use models::environment::Environment;
use models::model::Model;
use models::outcome_table::{self, OutcomeTable};
use models::torture::{Course, Session};
use std::time::Duration;

/// Runs the scenarios, the models and the torture, and tells `progress` how far
/// it is. An earlier full torture is taken as it is.
#[must_use]
pub fn gather(
    plan: Plan,
    models: &[Model],
    courses: &[Course],
    full_torture: Option<Session>,
    progress: &Progress,
) -> Data {
    // Before anything loads the machine.
    let environment = Environment::here();
    let harness = HarnessCost {
        draw_ns: Samples::cost(),
        clock_ns: clock_cost(),
    };
    let threads = &plan.threads;
    let burst = measure("bursts", &plan.burst, threads, progress);
    let steady = measure("steady", &plan.steady, threads, progress);
    let locks = measure("locks", &plan.locks, threads, progress);
    let performance = plan.performance.as_ref();
    let performance = performance.map(|plan| performance::measure(plan, threads, progress));
    let torture = torture::run(courses, progress);
    // Before shuttle's models, as all of loom's (see there).
    let outcomes = outcomes(progress);
    let models = model_runs::run(models, progress);
    let counterexamples = counterexamples(&plan, progress);
    progress.finish();
    Data {
        environment,
        plan,
        harness,
        exactness: exactness(),
        models,
        outcomes,
        counterexamples,
        torture,
        full_torture,
        burst,
        steady,
        locks,
        performance,
    }
}

/// About how long all outcome tables take.
const TABLES: Duration = Duration::from_secs(3);

fn outcomes(progress: &Progress) -> Vec<OutcomeTable> {
    progress.next("outcomes", "every result of small programs", TABLES);
    outcome_table::all()
}

/// About how long a search for all of them takes.
const SEARCH: Duration = Duration::from_secs(30);

fn counterexamples(plan: &Plan, progress: &Progress) -> Vec<Drawn> {
    if plan.effort == Effort::Quick {
        return Vec::new();
    }
    progress.next("counterexamples", "the smallest of each", SEARCH);
    counterexamples::search()
}

/// About how long [`gather`] takes.
#[must_use]
pub fn expected(plan: &Plan, models: &[Model], courses: &[Course]) -> Duration {
    let models: Duration = models.iter().map(model_runs::expected).sum();
    let threads = &plan.threads;
    let performance = plan.performance.as_ref();
    expected_of::<_, Contender>(&plan.burst, threads)
        + expected_of::<_, Contender>(&plan.steady, threads)
        + expected_of::<_, LockContender>(&plan.locks, threads)
        + performance.map_or(Duration::ZERO, |plan| performance::expected(plan, threads))
        + models
        + TABLES
        + courses.iter().map(Course::expected).sum::<Duration>()
}

pub(crate) fn expected_of<S: Scenario, C: Entrant>(
    repeated: &Repeated<S>,
    threads: &ThreadCounts,
) -> Duration {
    let turns = (repeated.rounds * C::ALL.len()) as u32;
    let turn = |&threads| repeated.scenario.expected(threads) * turns;
    threads.get().iter().map(turn).sum()
}

pub(crate) fn measure<S: Scenario, C: Entrant>(
    name: &str,
    repeated: &Repeated<S>,
    threads: &ThreadCounts,
    progress: &Progress,
) -> Measurements<S::Figure, C> {
    let Repeated { rounds, scenario } = repeated;
    alternate(scenario, threads.get(), *rounds, |setting: Setting<C>| {
        let Setting {
            contender,
            threads,
            round,
        } = setting;
        let stage = format!("{name}, threads {threads}");
        let detail = format!("round {} of {rounds}, {}", round + 1, contender.name());
        progress.next(&stage, &detail, scenario.expected(threads));
    })
}
