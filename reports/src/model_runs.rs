//! Running the models.

use crate::plan::Effort;
use crate::progress::Progress;
use models::catalogue;
use models::guarantees::Guarantee;
use models::model::{Model, Search};
use models::outcome::Outcome;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// What running a model showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRun {
    /// What came out.
    pub outcome: Outcome,
    /// What it should have shown and did not.
    pub shortfall: Option<String>,
}

/// What a model says about a guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// No execution explored breaks it.
    Holds,
    /// Some execution explored breaks it.
    Violated,
}

impl ModelRun {
    fn of(model: &Model) -> Self {
        let outcome = model.explore().outcome;
        let shortfall = outcome.meets(model).err();
        Self { outcome, shortfall }
    }

    /// What it says about a guarantee; `None` if it cannot judge.
    #[must_use]
    pub fn verdict(&self, guarantee: Guarantee) -> Option<Verdict> {
        if self.outcome.breaks(guarantee) {
            Some(Verdict::Violated)
        } else {
            self.outcome.holds(guarantee).then_some(Verdict::Holds)
        }
    }

    /// Its verdicts.
    pub fn verdicts(&self) -> impl Iterator<Item = (Guarantee, Verdict)> {
        let verdict = |guarantee| Some((guarantee, self.verdict(guarantee)?));
        Guarantee::ALL.into_iter().filter_map(verdict)
    }

    /// What should not have happened.
    pub(crate) fn fault(&self) -> Option<String> {
        let shortfall = self.shortfall.as_ref()?;
        let Outcome {
            tool,
            statistic,
            scenario,
            search,
            ..
        } = &self.outcome;
        Some(format!(
            "{tool}, {statistic}, {scenario}, {search}: {shortfall}"
        ))
    }
}

/// The models of the catalogue, as far as there is time.
#[must_use]
pub fn models_for(effort: Effort) -> Vec<Model> {
    let models = catalogue::all().into_iter();
    let within = |model: Model| Model {
        search: within(effort, model.search),
        ..model
    };
    models.map(within).collect()
}

/// The search as far as there is time for it.
fn within(effort: Effort, search: Search) -> Search {
    let share = match effort {
        Effort::Quick => 5,
        Effort::Standard => 3,
        Effort::Full => 1,
    };
    match search {
        Search::Loom { preemptions } if effort == Effort::Quick => Search::Loom {
            preemptions: Some(preemptions.unwrap_or(2).min(2)),
        },
        Search::Loom { preemptions } => Search::Loom { preemptions },
        Search::Shuttle {
            scheduler,
            schedules,
        } => Search::Shuttle {
            scheduler,
            schedules: schedules / share,
        },
        Search::StoreBuffers { schedules } => Search::StoreBuffers {
            schedules: schedules / share,
        },
        // Quick.
        search @ (Search::Threads { .. } | Search::Bounded { .. }) => search,
    }
}

/// About how long a model takes, for progress displays.
pub(crate) fn expected(model: &Model) -> Duration {
    match model.search {
        Search::Loom { preemptions: None } => Duration::from_secs(4),
        Search::Loom { .. } | Search::Bounded { .. } => Duration::from_secs(1),
        Search::Shuttle { schedules, .. } | Search::StoreBuffers { schedules } => {
            Duration::from_micros(100) * schedules as u32
        }
        Search::Threads { runs } => Duration::from_micros(100) * runs as u32,
    }
}

/// Runs the models and returns what they showed in their order.
///
/// loom's are over before another engine's begin: shuttle leaves a panic hook
/// behind that takes the panics by which loom ends its coroutines for failures.
pub(crate) fn run(models: &[Model], progress: &Progress) -> Vec<ModelRun> {
    let (loom, others): (Vec<&Model>, Vec<&Model>) = models
        .iter()
        .partition(|model| matches!(model.search, Search::Loom { .. }));
    let mut runs = run_side_by_side(&loom, progress);
    runs.extend(run_side_by_side(&others, progress));
    runs
}

/// As many at once as there are cores.
fn run_side_by_side(models: &[&Model], progress: &Progress) -> Vec<ModelRun> {
    let queue = Mutex::new(models.iter().enumerate());
    let worker = || {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let run = |(place, model): (usize, &&Model)| {
            progress.next("models", &model.id(), expected(model));
            (place, ModelRun::of(model))
        };
        std::iter::from_fn(next).map(run).collect::<Vec<_>>()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut runs: Vec<(usize, ModelRun)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let done = workers.into_iter().map(|worker| worker.join());
        done.flat_map(|runs| runs.expect("a model's panic stays in its outcome"))
            .collect()
    });
    runs.sort_by_key(|run| run.0);
    runs.into_iter().map(|(_, run)| run).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use models::statistic::Statistic;

    /// A model that says this about G1.
    pub(crate) fn told(statistic: &str, exhaustive: bool, verdict: Verdict) -> ModelRun {
        let broken = match verdict {
            Verdict::Holds => [].into(),
            Verdict::Violated => [(Guarantee::G1, 7)].into(),
        };
        let outcome = Outcome {
            engine: "loom".to_owned(),
            tool: "loom 0.7.3".to_owned(),
            statistic: statistic.to_owned(),
            scenario: "2 writers x 1 adds, 1 drains".to_owned(),
            search: "no preemption bound".to_owned(),
            exhaustive,
            executions: 237_483,
            seconds: 11.04,
            checked: vec![Guarantee::G1],
            broken,
            add_steps: [6].into(),
            witnesses: [].into(),
            failure: None,
        };
        ModelRun {
            outcome,
            shortfall: None,
        }
    }

    #[test]
    fn runs_come_in_the_order_of_the_models() {
        let quick: Vec<Model> = models_for(Effort::Quick)
            .into_iter()
            .filter(|model| model.statistic == Statistic::MutableStat)
            .take(4)
            .collect();
        let runs = run(&quick, &Progress::silent());
        let scenarios: Vec<&str> = runs
            .iter()
            .map(|run| run.outcome.scenario.as_str())
            .collect();
        let asked: Vec<String> = quick.iter().map(|model| model.scenario.name()).collect();
        assert_eq!(scenarios, asked);
        assert!(runs.iter().all(|run| run.fault().is_none()), "{runs:?}");
    }

    #[test]
    fn a_full_run_leaves_nothing_out() {
        let all: usize = [
            catalogue::loom().len(),
            catalogue::shuttle().len(),
            catalogue::bounded().len(),
            catalogue::store_buffers().len(),
            catalogue::threads().len(),
        ]
        .iter()
        .sum();
        assert_eq!(models_for(Effort::Full).len(), all);
        assert_eq!(models_for(Effort::Full)[..8], catalogue::loom()[..8]);
    }
}
