//! The published figures beside ours.

use super::grid::{Cell, Grid, Row};
use super::{Section, View};
use crate::data::Data;
use crate::format::{number, times};
use crate::plot::{Across, Chart, Series, Style};
use crate::published::{Published, published};
use anyhow::Result;
use benches::{Contender, Figure, Measurements, Spread, Threads};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) const SECTION: Section = Section {
    id: "published",
    title: "Published figures beside ours",
    command: "cargo reports",
    template: include_str!("published.html"),
    view,
};

const OURS: Contender = Contender::ConcurrentMutableStat;
const BASE: Contender = Contender::MutableStat;
/// What is drawn of this machine.
const HERE: [(Contender, &str); 2] = [
    (Contender::Merged, "this machine, merged"),
    (OURS, "this machine, ours"),
];
const MACHINES: [(&str, &str, Style); 2] = [
    ("x86", "published, x86", Style::PUBLISHED_X86),
    ("arm64", "published, ARM64", Style::PUBLISHED_ARM64),
];

/// A scenario.
#[derive(Serialize)]
struct Panel {
    title: &'static str,
    svg: Option<String>,
    grid: Grid,
}

fn view(data: &Data) -> Result<View> {
    let panels = [
        panel(
            "burst",
            "Bursts: microseconds per burst, less is better",
            &data.burst,
        )?,
        panel(
            "steady",
            "Steady: adds per millisecond, more is better",
            &data.steady,
        )?,
    ];
    let context = json!({ "panels": panels });
    Ok(View {
        headlines: Vec::new(),
        context,
    })
}

fn panel<F: Figure>(
    scenario: &str,
    title: &'static str,
    measured: &Measurements<F>,
) -> Result<Panel> {
    let published: Vec<Published> = published()
        .into_iter()
        .filter(|row| row.scenario == scenario)
        .collect();
    let mut series: Vec<Series> = MACHINES
        .map(|machine| their_series(&published, machine))
        .into();
    series.extend(HERE.map(|(contender, name)| our_series(contender, name, measured)));
    let chart = Chart {
        title: format!(
            "{scenario}: speedup of the striped statistic over MutableStat, published and here"
        ),
        across: Across::Threads,
        unit: "times better".to_owned(),
        series,
        threshold: Some((1.0, "1: the same")),
    };
    let (svg, grid) = (chart.svg()?, grid(&published, measured));
    Ok(Panel { title, svg, grid })
}

fn their_series(published: &[Published], (arch, name, style): (&str, &str, Style)) -> Series {
    let rows = published.iter().filter(|row| row.arch == arch);
    let point = |row: &Published| Some((row.threads, Spread::of([row.published_speedup])?));
    Series::new(name, style, rows.filter_map(point))
}

fn our_series<F: Figure>(contender: Contender, name: &str, measured: &Measurements<F>) -> Series {
    let speedup = |threads| measured.speedup(contender, BASE, threads);
    let point = |threads: Threads| Some((threads.get(), speedup(threads)?));
    let points = measured.threads().into_iter().filter_map(point);
    Series::new(name, contender.into(), points)
}

fn grid<F: Figure>(published: &[Published], measured: &Measurements<F>) -> Grid {
    let ours = measured.threads().into_iter().map(Threads::get);
    let theirs = published.iter().map(|row| row.threads);
    let threads: BTreeSet<usize> = ours.chain(theirs).collect();
    let columns = ["x86", "ARM64", "here"].iter().flat_map(|place| {
        let striped = if *place == "here" {
            "ConcurrentMutableStat"
        } else {
            "merged"
        };
        ["MutableStat", striped, "speedup"].map(|what| format!("{place}: {what}"))
    });
    Grid {
        caption: format!("In {}.", F::UNIT),
        corner: "threads",
        columns: columns.collect(),
        rows: threads
            .into_iter()
            .map(|threads| row(threads, published, measured))
            .collect(),
    }
}

fn row<F: Figure>(threads: usize, published: &[Published], measured: &Measurements<F>) -> Row {
    let theirs = MACHINES.into_iter().flat_map(|(arch, ..)| {
        let mut rows = published.iter();
        their_cells(rows.find(|row| row.arch == arch && row.threads == threads))
    });
    Row {
        head: threads.to_string(),
        cells: theirs.chain(our_cells(threads, measured)).collect(),
    }
}

fn their_cells(row: Option<&Published>) -> [Cell; 3] {
    let cell = |figure: fn(&Published) -> String| Cell::text(row.map_or("–".to_owned(), figure));
    [
        cell(|row| number(row.mutable_stat)),
        cell(|row| number(row.concurrent_mutable_stat)),
        cell(|row| format!("{:.1}×", row.published_speedup)),
    ]
}

fn our_cells<F: Figure>(threads: usize, measured: &Measurements<F>) -> [Cell; 3] {
    let at = |spread: fn(&Measurements<F>, Threads) -> Option<Spread>, show| {
        let threads = Threads::try_from(threads).ok();
        Cell::spread(threads.and_then(|threads| spread(measured, threads)), show)
    };
    [
        at(|measured, threads| measured.spread(BASE, threads), number),
        at(|measured, threads| measured.spread(OURS, threads), number),
        at(
            |measured, threads| measured.speedup(OURS, BASE, threads),
            times,
        ),
    ]
}
