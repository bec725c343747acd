//! What measuring costs.

use super::grid::{Cell, Grid, Row};
use super::{Section, View};
use crate::data::Data;
use crate::format::number;
use anyhow::Result;
use benches::{Contender, Entrant, Samples, Steady, Threads};
use serde::Serialize;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "harness",
    title: "What measuring costs",
    command: "cargo reports",
    template: include_str!("harness.html"),
    view,
};

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    description: &'static str,
}

fn view(data: &Data) -> Result<View> {
    let entry = |contender: &Contender| Entry {
        name: contender.name(),
        description: contender.description(),
    };
    let contenders: Vec<Entry> = Contender::ALL.iter().map(entry).collect();
    let context = json!({
        "contenders": contenders,
        "generator": Samples::GENERATOR,
        "draw": number(data.harness.draw_ns),
        "clock": number(data.harness.clock_ns),
        "clock_share": number(data.harness.clock_ns / Steady::BATCH as f64),
        "batch": Steady::BATCH,
        "grid_table": grid(data),
    });
    Ok(View {
        headlines: Vec::new(),
        context,
    })
}

fn grid(data: &Data) -> Grid {
    let row = |threads: Threads| Row {
        head: threads.to_string(),
        cells: vec![
            Cell::spread(data.steady.nanoseconds(Contender::Nothing, threads), number),
            Cell::spread(data.burst.spread(Contender::Nothing, threads), number),
        ],
    };
    Grid {
        caption: "The harness without adds, measured in the same rounds as everything else."
            .to_owned(),
        corner: "threads",
        columns: vec![
            "steady: ns a turn of the loop".to_owned(),
            "burst: µs an empty burst".to_owned(),
        ],
        rows: data.steady.threads().into_iter().map(row).collect(),
    }
}
