//! How the guarantees are broken.

use super::{Section, View};
use crate::counterexamples::Drawn;
use crate::data::Data;
use anyhow::Result;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "counterexamples",
    title: "Counterexamples",
    command: "cargo counterexample NAME",
    template: include_str!("counterexamples.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let headlines = headline(&data.counterexamples).into_iter().collect();
    let context = json!({ "examples": data.counterexamples });
    Ok(View { headlines, context })
}

fn headline(examples: &[Drawn]) -> Option<String> {
    let merged = || {
        examples
            .iter()
            .filter(|example| example.statistic.starts_with("merged"))
    };
    let most = merged().filter_map(|example| example.preemptions).max()?;
    Some(format!(
        "{} interleavings of at most {most} preemptions refute the merged algorithm, each the smallest that a search found.",
        merged().count()
    ))
}
