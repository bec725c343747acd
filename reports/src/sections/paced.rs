//! Paced adding.

use super::grid::Figures;
use super::{Section, View};
use crate::data::Data;
use crate::format::{milliseconds, number};
use anyhow::Result;
use benches::{Contender, Entrant, Figure, Paced, PacedFigure, Spread, Threads};
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "paced",
    title: "Paced adding",
    command: "cargo reports",
    template: include_str!("paced.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let Some(performance) = &data.performance else {
        return Ok(View::not_run());
    };
    let measured = &performance.paced;
    let medians = |contender, threads| measured.spread(contender, threads);
    let medians = Figures::of(Contender::ALL, measured.threads(), medians);
    let of = |figure: fn(&PacedFigure) -> f64| {
        move |contender, threads: Threads| {
            Spread::of(measured.figures(contender, threads).map(figure))
        }
    };
    let means = Figures::of(
        Contender::ALL,
        measured.threads(),
        of(|figure| figure.mean_ns),
    );
    let late = measured.0.iter().map(|m| m.figure.late).fold(1.0, f64::max);
    let context = json!({
        "ran": true,
        "turn": milliseconds(Paced::TURN),
        "adds": Paced::ADDS,
        "late": number(late),
        "plot_svg": medians.chart("Paced adding: nanoseconds an add by threads", PacedFigure::UNIT, None)?,
        "medians": medians.grid("Nanoseconds an add, median over the turns. Less is better.", number),
        "means": means.grid("The same, mean over the turns: waits for locks and preemptions are in it.", number),
    });
    Ok(View {
        headlines: Vec::new(),
        context,
    })
}
