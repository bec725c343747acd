//! `judge ENGINE`: climbs the engine's ladder until a rung fails and prints what
//! each showed, a line of JSON a rung. The ledger runs it on mutants.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use models::judge::judge;
use models::ladder::{Engine, ladder};

fn main() -> ExitCode {
    let asked = std::env::args().nth(1).unwrap_or_default();
    let Some(engine) = Engine::ALL.into_iter().find(|known| known.name() == asked) else {
        let known = Engine::ALL.map(Engine::name).join(", ");
        eprintln!("judge: no engine {asked:?}; there are {known}");
        return ExitCode::from(2);
    };
    for rung in ladder(engine) {
        let finding = judge(&rung);
        println!(
            "{}",
            serde_json::to_string(&finding).expect("a finding is plain data")
        );
        if finding.failure.is_some() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
