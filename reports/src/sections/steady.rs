//! The steady scenario.

use super::grid::Figures;
use super::{Section, View};
use crate::data::Data;
use crate::format::{milliseconds, number};
use anyhow::Result;
use benches::{Contender, Entrant, SteadyFigure, Threads};
use serde::Serialize;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "steady",
    title: "Steady adding",
    command: "cargo reports",
    template: include_str!("steady.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let (measured, plan) = (&data.steady, &data.plan.steady);
    let rate = |contender, threads| measured.spread(contender, threads);
    let rates = Figures::of(Contender::ALL, measured.threads(), rate);
    let time = |contender, threads| measured.nanoseconds(contender, threads);
    let times = Figures::of(Contender::ALL, measured.threads(), time);
    let windows: Vec<Window> = measured
        .threads()
        .into_iter()
        .map(|t| window(data, t))
        .collect();
    let context = json!({
        "warm_up": milliseconds(plan.scenario.warm_up),
        "window": milliseconds(plan.scenario.window),
        "rounds": plan.rounds,
        "batch": benches::Steady::BATCH,
        "plot_svg": rates.chart("Adds per millisecond by threads", "adds per millisecond", None)?,
        "times_svg": times.chart("Nanoseconds an add by threads", "ns per add", None)?,
        "rates": rates.grid("Adds per millisecond, all threads together. More is better.", number),
        "times": times.grid("The same in nanoseconds an add: the window over the adds of all threads. Less is better.", number),
        "windows": windows,
    });
    Ok(View {
        headlines: Vec::new(),
        context,
    })
}

/// Where in the common window threads counted, over all measurements at a
/// thread count.
#[derive(Serialize)]
struct Window {
    threads: usize,
    fewest_counting: usize,
    first: String,
    last: String,
    kept: usize,
    measurements: usize,
}

fn window(data: &Data, threads: Threads) -> Window {
    let figures: Vec<&SteadyFigure> = Contender::ALL
        .iter()
        .flat_map(|&contender| data.steady.figures(contender, threads))
        .collect();
    let fewest = figures.iter().map(|figure| figure.threads_counting).min();
    let first = figures
        .iter()
        .map(|figure| figure.first_us)
        .fold(f64::INFINITY, f64::min);
    let last = figures
        .iter()
        .map(|figure| figure.last_us)
        .fold(0.0, f64::max);
    Window {
        threads: threads.get(),
        fewest_counting: fewest.unwrap_or(0),
        first: number(first),
        last: number(last),
        kept: figures.iter().filter(|figure| figure.in_window).count(),
        measurements: figures.len(),
    }
}
