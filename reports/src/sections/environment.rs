//! Where and how.

use super::{Section, View};
use crate::data::Data;
use anyhow::Result;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "environment",
    title: "Where this was measured",
    command: "cargo reports",
    template: include_str!("environment.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let environment = &data.environment;
    let context = json!({
        "environment": environment,
        "effort": data.plan.effort,
        "threads": data.plan.threads,
        "load": format!("{:.2}", environment.load),
    });
    Ok(View {
        headlines: busy(environment.load, environment.cores)
            .into_iter()
            .collect(),
        context,
    })
}

/// That something else was running.
fn busy(load: f64, cores: usize) -> Option<String> {
    (load >= 1.0).then(|| {
        format!("In the minute before, {load:.2} processes ran or waited for the {cores} cores: the times are those of a machine that had been busy.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_is_said_to_be_one() {
        assert_eq!(busy(0.4, 2), None);
        assert!(busy(2.917, 2).is_some_and(|said| said.contains("2.92 processes")));
    }
}
