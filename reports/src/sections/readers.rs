//! Steady adding while intervals are closed.

use super::grid::{Cell, Grid, Row};
use super::{Section, View};
use crate::data::Data;
use crate::format::{number, times};
use crate::performance::Beside;
use anyhow::Result;
use benches::{Contender, Entrant, Spread, SteadyFigure, Threads};
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "readers",
    title: "Beside a reader",
    command: "cargo reports",
    template: include_str!("readers.html"),
    view,
};

/// Those that have intervals to close.
const READ: [Contender; 5] = [
    Contender::Recorder,
    Contender::ConcurrentMutableStat,
    Contender::Mutex,
    Contender::MutableStat,
    Contender::Merged,
];

fn view(data: &Data) -> Result<View> {
    let Some(performance) = &data.performance else {
        return Ok(View::not_run());
    };
    let read = &performance.read;
    let threads = read
        .first()
        .map_or(Vec::new(), |none| none.measured.threads());
    let grids: Vec<Grid> = threads
        .iter()
        .flat_map(|&threads| [rates(read, threads), shares(read, threads)])
        .collect();
    let context = json!({ "ran": true, "grids": grids, "drains": drains(read) });
    Ok(View {
        headlines: Vec::new(),
        context,
    })
}

fn rates(read: &[Beside<SteadyFigure>], threads: Threads) -> Grid {
    let caption = format!("Threads: {threads}. Adds per millisecond. More is better.");
    by_reader(read, caption, |beside, contender| {
        Cell::spread(beside.measured.spread(contender, threads), number)
    })
}

fn shares(read: &[Beside<SteadyFigure>], threads: Threads) -> Grid {
    let caption =
        format!("Threads: {threads}. Of the adds beside no reader, round by round. 1 is free.");
    by_reader(read, caption, |beside, contender| {
        let share = share(read, beside, contender, threads);
        Cell::spread(share, times)
    })
}

/// Of what was added in the same round beside no reader.
fn share(
    read: &[Beside<SteadyFigure>],
    beside: &Beside<SteadyFigure>,
    contender: Contender,
    threads: Threads,
) -> Option<Spread> {
    let alone = &read.iter().find(|beside| beside.per_second == 0)?.measured;
    let pairs = beside.measured.values(contender, threads);
    let pairs = pairs.zip(alone.values(contender, threads));
    Spread::of(pairs.map(|(beside, alone)| beside / alone))
}

fn by_reader(
    read: &[Beside<SteadyFigure>],
    caption: String,
    cell: impl Fn(&Beside<SteadyFigure>, Contender) -> Cell,
) -> Grid {
    let row = |beside: &Beside<SteadyFigure>| Row {
        head: beside.per_second.to_string(),
        cells: READ.iter().map(|&who| cell(beside, who)).collect(),
    };
    Grid {
        caption,
        corner: "reads a second",
        columns: READ.iter().map(|who| who.name().to_owned()).collect(),
        rows: read.iter().map(row).collect(),
    }
}

/// How many intervals were closed in a window, so that a reader that could not
/// keep up is seen.
fn drains(read: &[Beside<SteadyFigure>]) -> Grid {
    by_reader(
        read,
        "Intervals closed a window, warm-up included, at all thread counts.".to_owned(),
        |beside, contender| {
            let measured = beside.measured.0.iter();
            let drains = measured
                .filter(|m| m.setting.contender == contender)
                .map(|m| m.figure.drains as f64);
            Cell::spread(Spread::of(drains), number)
        },
    )
}
