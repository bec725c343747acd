//! What is counted, not timed.

use super::grid::{Cell, Grid, Row};
use super::{Section, View};
use crate::data::Data;
use crate::format::number;
use anyhow::Result;
use benches::Counted;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "counted",
    title: "Counted, not timed",
    command: "cargo counted",
    template: include_str!("counted.html"),
    view,
};

fn view(_: &Data) -> Result<View> {
    let counted = Counted::committed()?;
    let context = json!({
        "made_with": counted.made_with,
        "events": events(&counted),
        "bytes": bytes(&counted),
    });
    Ok(View {
        headlines: Vec::new(),
        context,
    })
}

fn events(counted: &Counted) -> Grid {
    let columns = ["instructions", "branches", "data reads", "data writes"];
    let row = |(what, events): (&String, &benches::Events)| {
        let cells = events.named().map(|(_, count)| Cell::text(number(count)));
        Row {
            head: what.clone(),
            cells: cells.into(),
        }
    };
    Grid {
        caption: "Executed each time, the loop around it subtracted.".to_owned(),
        corner: "what",
        columns: columns.map(str::to_owned).into(),
        rows: counted.events.iter().map(row).collect(),
    }
}

fn bytes(counted: &Counted) -> Grid {
    let row = |(what, &bytes): (&String, &f64)| Row {
        head: what.clone(),
        cells: vec![Cell::text(number(bytes))],
    };
    Grid {
        caption: "Memory in use, a statistic itself and what it has on the heap.".to_owned(),
        corner: "of",
        columns: vec!["bytes".to_owned()],
        rows: counted.bytes.iter().map(row).collect(),
    }
}
