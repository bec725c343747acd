//! Puts the statistics, as they were compiled, to the rungs of a ladder.

use serde::{Deserialize, Serialize};
use std::time::Instant;

use crate::counterexample::failure;
use crate::ladder::Rung;
use crate::stress::Stress;

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
    /// The execution that stopped it, if the engine saw its steps.
    pub counterexample: Option<Drawing>,
}

/// A counterexample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// As a table.
    pub text: String,
    /// As an SVG picture.
    pub picture: String,
}

/// Runs a rung.
pub fn judge(rung: &Rung) -> Finding {
    match rung {
        Rung::Model(model) => {
            let exploration = model.explore();
            let counterexample = failure::of(model, &exploration).map(|example| Drawing {
                text: example.to_string(),
                picture: example.picture(),
            });
            let outcome = exploration.outcome;
            Finding {
                rung: rung.id(),
                executions: outcome.executions,
                exhaustive: outcome.exhaustive,
                seconds: outcome.seconds,
                counterexample,
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
        counterexample: None,
    }
}
