//! What a report is drawn from.

use crate::counterexamples::Drawn;
use crate::model_runs::ModelRun;
use crate::performance::Performance;
use crate::plan::Plan;
use benches::{BurstFigure, Entrant, Figure, LockContender, Measurements, SteadyFigure};
use models::arithmetic::Exactness;
use models::environment::Environment;
use models::outcome_table::OutcomeTable;
use models::torture::{self, Effort, Run, Session};
use serde::{Deserialize, Serialize};

/// Everything that a run found out: the content of `data.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Data {
    /// Where.
    pub environment: Environment,
    /// What was asked for.
    pub plan: Plan,
    /// What the harness costs.
    pub harness: HarnessCost,
    /// How exact the statistics' numbers are.
    pub exactness: Vec<Exactness>,
    /// What the models said.
    pub models: Vec<ModelRun>,
    /// Every result of small programs; empty in reports from before they were
    /// tabulated.
    #[serde(default)]
    pub outcomes: Vec<OutcomeTable>,
    /// How the guarantees are broken; empty if there was no time to search.
    pub counterexamples: Vec<Drawn>,
    /// What real threads made of the statistics; empty if there was no time.
    pub torture: Vec<Run>,
    /// An earlier full effort at that, if there is one.
    #[serde(default)]
    pub full_torture: Option<Session>,
    /// The burst scenario.
    pub burst: Measurements<BurstFigure>,
    /// The steady scenario.
    pub steady: Measurements<SteadyFigure>,
    /// The steady scenario over locks.
    pub locks: Measurements<SteadyFigure, LockContender>,
    /// What else there is to know of performance.
    #[serde(default)]
    pub performance: Option<Performance>,
}

/// What the harness's tools cost, in nanoseconds each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarnessCost {
    /// Drawing a sample.
    pub draw_ns: f64,
    /// Reading the clock.
    pub clock_ns: f64,
}

impl Data {
    /// What should not have happened: a model that was stopped, a measurement
    /// that does not meet its own conditions. A report with faults is still
    /// written; they stand on its first page.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let models = self.models.iter().filter_map(ModelRun::fault);
        let burst = unsound("burst", &self.burst);
        let steady = unsound("steady", &self.steady);
        let locks = unsound("locks", &self.locks);
        let own = torture::faults(&self.torture, self.plan.effort.torture());
        let earlier = self.full_torture.iter();
        let earlier = earlier.flat_map(|session| torture::faults(&session.runs, Effort::Full));
        let torture = own.into_iter().chain(earlier);
        let torture = torture.map(|fault| format!("torture: {fault}"));
        let performance = self.performance.iter().flat_map(Performance::faults);
        let measured = burst.chain(steady).chain(locks).chain(performance);
        models.chain(torture).chain(measured).collect()
    }
}

/// A line for each measurement that did not meet its own conditions.
pub(crate) fn unsound<F: Figure, C: Entrant>(
    scenario: &str,
    measured: &Measurements<F, C>,
) -> impl Iterator<Item = String> {
    let unsound = measured
        .0
        .iter()
        .filter(|measurement| !measurement.figure.sound());
    unsound.map(move |measurement| {
        let setting = measurement.setting;
        format!(
            "{scenario}, {}, threads {}, round {}: samples were lost, or counted outside the window",
            setting.contender.name(),
            setting.threads,
            setting.round
        )
    })
}
