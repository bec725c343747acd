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
        headlines: Vec::new(),
        context,
    })
}
