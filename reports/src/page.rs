//! The page.

use crate::data::Data;
use crate::sections::{self, Section};
use anyhow::{Context, Result};
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;
use serde_json::json;

const PAGE: &str = include_str!("page/page.html");
const MACROS: &str = include_str!("page/macros.html");
const STYLE: &str = include_str!("page/style.css");

/// A section that is drawn.
#[derive(Serialize)]
struct Drawn {
    id: &'static str,
    title: &'static str,
    command: &'static str,
    headlines: Vec<String>,
    body: String,
}

/// The page of a report: one file that needs no other.
pub(crate) fn render(data: &Data) -> Result<String> {
    let templates = templates()?;
    let draw = |section: &Section| {
        draw(section, data, &templates).with_context(|| format!("section {}", section.id))
    };
    let sections: Vec<Drawn> = sections::ALL.iter().map(draw).collect::<Result<_>>()?;
    let context = json!({
        "sections": sections,
        "faults": data.faults(),
        "environment": data.environment,
        "style": STYLE,
    });
    let page = templates.get_template("page.html")?;
    Ok(page.render(Value::from_serialize(context))?)
}

fn draw(section: &Section, data: &Data, templates: &Environment<'_>) -> Result<Drawn> {
    let view = (section.view)(data)?;
    let context = Value::from_serialize(view.context);
    let body = templates.render_named_str("section.html", section.template, context)?;
    Ok(Drawn {
        id: section.id,
        title: section.title,
        command: section.command,
        headlines: view.headlines,
        body,
    })
}

fn templates() -> Result<Environment<'static>> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    templates.set_trim_blocks(true);
    templates.set_lstrip_blocks(true);
    templates.add_template("page.html", PAGE)?;
    templates.add_template("macros.html", MACROS)?;
    Ok(templates)
}
