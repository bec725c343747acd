//! How many times better, and how far from the limit.

use super::grid::{Figures, Line};
use super::{Section, View};
use crate::data::Data;
use crate::format::times;
use crate::plot::Style;
use anyhow::Result;
use benches::{Contender, Entrant, Figure, Measurements, Spread, Threads};
use serde_json::{Value, json};

pub(crate) const SECTION: Section = Section {
    id: "speedups",
    title: "Speedups",
    command: "cargo reports",
    template: include_str!("speedups.html"),
    view,
};

const OURS: [Contender; 2] = [Contender::ConcurrentMutableStat, Contender::Recorder];
/// What people would use otherwise, or use today.
const OTHERS: [Contender; 3] = [Contender::Mutex, Contender::MutableStat, Contender::Merged];

/// A ratio by threads.
struct Panel {
    headline: String,
    shown: Value,
}

fn view(data: &Data) -> Result<View> {
    let (steady, burst) = (&data.steady, &data.burst);
    let panels = [
        over("Steady", steady.threads(), |ours, base, threads| {
            steady.speedup(ours, base, threads)
        })?,
        over("Bursts", burst.threads(), |ours, base, threads| {
            burst.speedup(ours, base, threads)
        })?,
        over(
            "Bursts, empty burst subtracted",
            burst.threads(),
            |ours, base, threads| burst.net_speedup(ours, base, threads),
        )?,
        limit(steady)?,
    ];
    let (headlines, panels): (Vec<_>, Vec<_>) = panels
        .into_iter()
        .map(|panel| (panel.headline, panel.shown))
        .unzip();
    let context = json!({ "panels": panels });
    Ok(View { headlines, context })
}

/// Ours over the others.
fn over(
    scenario: &str,
    threads: Vec<Threads>,
    speedup: impl Fn(Contender, Contender, Threads) -> Option<Spread> + Copy,
) -> Result<Panel> {
    let pairs = OURS
        .iter()
        .flat_map(|&ours| OTHERS.map(|base| (ours, base)));
    let lines = pairs.map(|(ours, base)| Line {
        name: format!("{} over {}", ours.name(), base.name()),
        style: Style::ratio(ours, base),
        spread: Box::new(move |threads| speedup(ours, base, threads)),
    });
    let lines = lines.collect();
    let figures = Figures { threads, lines };
    let caption = "How many times better; above 1 is better.";
    let shown = json!({
        "title": scenario,
        "svg": figures.chart(&format!("{scenario}: speedup by threads"), "times better", Some((1.0, "1: the same")))?,
        "grid": figures.grid(caption, times),
    });
    let headline = format!("{scenario}: {}.", sentences(&figures).join("; "));
    Ok(Panel { headline, shown })
}

/// What came out for the statistic itself, over each of the others.
fn sentences(figures: &Figures<'_>) -> Vec<String> {
    let sentence = |line: &Line<'_>| {
        let medians = figures.medians(line);
        let below = medians.below_one();
        let slower = if below.is_empty() {
            "never slower".to_owned()
        } else {
            format!("slower at {below} threads")
        };
        Some(format!("{}: {}, {slower}", line.name, medians.span()?))
    };
    figures.lines[..OTHERS.len()]
        .iter()
        .filter_map(sentence)
        .collect()
}

/// How many times as long as the plain accumulator everything takes.
fn limit<F: Figure>(measured: &Measurements<F>) -> Result<Panel> {
    let plain = Contender::Plain;
    // The inverse of its speedup.
    let ratio = |contender, threads| measured.speedup(plain, contender, threads);
    let figures = Figures::of(&Contender::ALL[2..], measured.threads(), ratio);
    let caption = "Time an add over that of the plain accumulator, draw included in both. Less is better, 1 is the limit.";
    let shown = json!({
        "title": "Steady: how far from the limit",
        "svg": figures.chart("Steady: time over the plain accumulator's by threads", "times as long", Some((1.0, "1: the limit")))?,
        "grid": figures.grid(caption, times),
    });
    let ours = figures.lines[..OURS.len()].iter();
    let spans =
        ours.filter_map(|line| Some(format!("{} {}", line.name, figures.medians(line).span()?)));
    let spans = spans.collect::<Vec<_>>().join("; ");
    let headline = format!("Steady, time an add over the {}'s: {spans}.", plain.name());
    Ok(Panel { headline, shown })
}
