//! The sections of the page. A new one is a file here, which names its template
//! and how its context comes from the data, and its line in [`ALL`].

mod burst;
mod counted;
mod counterexamples;
mod drains;
mod environment;
mod grid;
mod guarantees;
mod harness;
mod latency;
mod ledger;
mod locks;
mod models;
mod operations;
mod outcomes;
mod paced;
mod peers;
mod proof;
mod published;
mod readers;
mod reliability;
pub(crate) mod scale;
mod speedups;
mod steady;
pub(crate) mod targets;
mod torture;
mod why;

pub(crate) use peers::offers;

use crate::data::Data;
use anyhow::Result;
use serde_json::{Value, json};

/// A section of the page.
pub(crate) struct Section {
    /// What links name it by.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// What a reader runs to get the same.
    pub(crate) command: &'static str,
    pub(crate) template: &'static str,
    pub(crate) view: fn(&Data) -> Result<View>,
}

/// What a section makes of the data.
pub(crate) struct View {
    /// What came out, in sentences that stand alone.
    pub(crate) headlines: Vec<String>,
    /// For the template.
    pub(crate) context: Value,
}

impl View {
    /// Of what the run did not measure; the template asks for `ran`.
    fn not_run() -> Self {
        Self {
            headlines: Vec::new(),
            context: json!({ "ran": false }),
        }
    }
}

/// In the order of the page.
pub(crate) const ALL: [Section; 25] = [
    guarantees::SECTION,
    counterexamples::SECTION,
    models::SECTION,
    outcomes::SECTION,
    ledger::SECTION,
    torture::SECTION,
    reliability::SECTION,
    proof::SECTION,
    steady::SECTION,
    burst::SECTION,
    speedups::SECTION,
    targets::SECTION,
    published::SECTION,
    scale::SECTION,
    peers::SECTION,
    paced::SECTION,
    readers::SECTION,
    latency::SECTION,
    drains::SECTION,
    locks::SECTION,
    operations::SECTION,
    counted::SECTION,
    why::SECTION,
    harness::SECTION,
    environment::SECTION,
];
