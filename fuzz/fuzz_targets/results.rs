//! What the report reads, from anyone: JSON, and JSON in lines. It is read, or
//! refused; what is read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use models::outcome::Outcome;
use models::reliability;
use models::soak::Soaked;
use models::torture::{self, Session};

fuzz_target!(|text: &str| {
    if let Ok(results) = reliability::parse(text) {
        let written = serde_json::to_string(&results).expect("plain data");
        assert_eq!(reliability::parse(&written).as_ref(), Ok(&results));
        reliability::table(&results);
    }
    for line in text.lines() {
        if let Ok(outcome) = serde_json::from_str::<Outcome>(line) {
            outcome.line();
        }
    }
    if let Ok(session) = serde_json::from_str::<Session>(text) {
        torture::csv(&session.runs).expect("plain data");
    }
    if let Ok(soaked) = serde_json::from_str::<Vec<Soaked>>(text) {
        soaked.iter().for_each(|soaked| drop(soaked.line()));
    }
});
