//! Finding out.

use crate::data::{Data, HarnessCost};
use crate::environment::Environment;
use crate::exactness::exactness;
use crate::model_runs;
use crate::plan::{Plan, Repeated};
use crate::progress::Progress;
use benches::{Contender, Measurements, Samples, Scenario, Setting, alternate, clock_cost};
use models::model::Model;
use std::time::Duration;

/// Runs the scenarios and the models, and tells `progress` how far it is.
#[must_use]
pub fn gather(plan: Plan, models: &[Model], progress: &Progress) -> Data {
    // Before anything loads the machine.
    let environment = Environment::here();
    let harness = HarnessCost {
        draw_ns: Samples::cost(),
        clock_ns: clock_cost(),
    };
    let burst = measure("bursts", &plan.burst, &plan, progress);
    let steady = measure("steady", &plan.steady, &plan, progress);
    let models = model_runs::run(models, progress);
    progress.finish();
    Data {
        environment,
        plan,
        harness,
        exactness: exactness(),
        models,
        burst,
        steady,
    }
}

/// About how long [`gather`] takes.
#[must_use]
pub fn expected(plan: &Plan, models: &[Model]) -> Duration {
    let models: Duration = models.iter().map(model_runs::expected).sum();
    expected_of(&plan.burst, plan) + expected_of(&plan.steady, plan) + models
}

fn expected_of<S: Scenario>(repeated: &Repeated<S>, plan: &Plan) -> Duration {
    let turns = (repeated.rounds * Contender::ALL.len()) as u32;
    let turn = |&threads| repeated.scenario.expected(threads) * turns;
    plan.threads.get().iter().map(turn).sum()
}

fn measure<S: Scenario>(
    name: &str,
    repeated: &Repeated<S>,
    plan: &Plan,
    progress: &Progress,
) -> Measurements<S::Figure> {
    let Repeated { rounds, scenario } = repeated;
    alternate(scenario, plan.threads.get(), *rounds, |setting| {
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
