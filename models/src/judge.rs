//! Puts the statistics, as they were compiled, to the rungs of a ladder.

use serde::{Deserialize, Serialize};
use std::time::Instant;

use crate::ladder::Rung;
use crate::stress::Stress;
use crate::trace::Event;

/// What a rung showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rung.
    pub rung: String,
    /// How many executions were explored.
    pub executions: u64,
    /// Whether they were all there are within the bound.
    pub exhaustive: bool,
    /// How long it took.
    pub seconds: f64,
    /// What stopped it, if anything did.
    pub failure: Option<String>,
    /// What had happened when it was stopped, the last event last.
    pub events: Vec<String>,
}

/// Runs a rung.
pub fn judge(rung: &Rung) -> Finding {
    match rung {
        Rung::Model(model) => {
            let exploration = model.explore();
            let outcome = exploration.outcome;
            Finding {
                rung: rung.id(),
                executions: outcome.executions,
                exhaustive: outcome.exhaustive,
                seconds: outcome.seconds,
                events: if outcome.failure.is_some() {
                    exploration.last_events.iter().map(line).collect()
                } else {
                    Vec::new()
                },
                failure: outcome.failure,
            }
        }
        Rung::Stress(stress) => run(stress),
    }
}

fn run(stress: &Stress) -> Finding {
    let began = Instant::now();
    let (rounds, ended) = stress.run();
    Finding {
        rung: stress.id(),
        executions: rounds as u64,
        exhaustive: false,
        seconds: began.elapsed().as_secs_f64(),
        failure: ended.err(),
        events: Vec::new(),
    }
}

/// An event in a line.
fn line(event: &Event) -> String {
    use crate::trace::What;
    match &event.what {
        What::Step(step) => format!(
            "thread {}: {}[{}] {:?} ({}:{})",
            event.thread,
            step.object,
            step.instance,
            step.action,
            step.place.file(),
            step.place.line()
        ),
        what => format!("thread {}: {what:?}", event.thread),
    }
}
