//! The burst scenario.

use super::grid::Figures;
use super::{Section, View};
use crate::data::Data;
use crate::format::number;
use anyhow::Result;
use benches::{BurstFigure, Contender, Entrant, Figure, Spread};
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "burst",
    title: "Bursts",
    command: "cargo reports",
    template: include_str!("burst.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let measured = &data.burst;
    let burst = |contender, threads| measured.spread(contender, threads);
    let bursts = Figures::of(Contender::ALL, measured.threads(), burst);
    let without_empty = |contender, threads| Spread::of(measured.net(contender, threads));
    let net = Figures::of(&Contender::ALL[1..], measured.threads(), without_empty);
    let context = json!({
        "plan": data.plan.burst.scenario,
        "rounds": data.plan.burst.rounds,
        "plot_svg": bursts.chart("Microseconds per burst by threads", BurstFigure::UNIT, None)?,
        "net_svg": net.chart("Microseconds per burst by threads, empty burst subtracted", "µs per burst, net", None)?,
        "bursts": bursts.grid("Microseconds per burst. Less is better; “harness only” is the empty burst.", number),
        "net": net.grid("The same with the empty burst of the same round subtracted.", number),
    });
    Ok(View {
        headlines: Vec::new(),
        context,
    })
}
