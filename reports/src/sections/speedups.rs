//! How many times better, and how far from the limit.

use super::grid::{Extremes, Figures, Grid};
use super::{Section, View};
use crate::data::Data;
use crate::format::times;
use anyhow::Result;
use benches::{Contender, Figure, Measurements, Spread, Threads};
use serde::Serialize;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "speedups",
    title: "Speedups",
    command: "cargo reports",
    template: include_str!("speedups.html"),
    view,
};

const OURS: [Contender; 2] = [Contender::Recorder, Contender::ConcurrentMutableStat];
const MUTEXES: [Contender; 2] = [Contender::Mutex, Contender::MutableStat];

/// A ratio by threads.
#[derive(Serialize)]
struct Panel {
    title: String,
    svg: Option<String>,
    grid: Grid,
    #[serde(skip)]
    headlines: Vec<String>,
}

fn view(data: &Data) -> Result<View> {
    let (steady, burst) = (&data.steady, &data.burst);
    let mut panels = Vec::new();
    for base in MUTEXES {
        panels.push(over("Steady", base, steady.threads(), &|c, t| {
            steady.speedup(c, base, t)
        })?);
    }
    for base in MUTEXES {
        panels.push(over("Bursts", base, burst.threads(), &|c, t| {
            burst.speedup(c, base, t)
        })?);
        panels.push(over(
            "Bursts, empty burst subtracted",
            base,
            burst.threads(),
            &|c, t| burst.net_speedup(c, base, t),
        )?);
    }
    panels.push(limit(steady)?);
    let headlines = panels
        .iter_mut()
        .flat_map(|panel| std::mem::take(&mut panel.headlines));
    let headlines = headlines.collect();
    Ok(View {
        headlines,
        context: json!({ "panels": panels }),
    })
}

type SpreadOf<'a> = &'a dyn Fn(Contender, Threads) -> Option<Spread>;

/// Ours over one of the mutexes.
fn over(
    scenario: &str,
    base: Contender,
    threads: Vec<Threads>,
    spread: SpreadOf<'_>,
) -> Result<Panel> {
    let figures = Figures {
        contenders: &OURS,
        threads,
        spread,
    };
    let title = format!("{scenario}: over {}", base.name());
    let caption = format!(
        "How many times better than {}; above 1 is better.",
        base.name()
    );
    let headline =
        |&ours: &Contender| Some(sentence(scenario, ours, base, &figures.extremes(ours)?));
    Ok(Panel {
        svg: figures.chart(&title, "times better", Some((1.0, "1: the same")))?,
        grid: figures.grid(&caption, times),
        headlines: OURS.iter().filter_map(headline).collect(),
        title,
    })
}

fn sentence(scenario: &str, ours: Contender, base: Contender, speedup: &Extremes) -> String {
    let never = if speedup.least.1 >= 1.0 {
        ", never slower"
    } else {
        ", slower where below 1"
    };
    format!(
        "{scenario}: {} is {} as fast as {}{never}.",
        ours.name(),
        speedup.span(),
        base.name()
    )
}

/// How many times as long as the plain accumulator everything takes.
fn limit<F: Figure>(measured: &Measurements<F>) -> Result<Panel> {
    let plain = Contender::Plain;
    let ratio = |contender, threads| {
        measured
            .speedup(contender, plain, threads)?
            .map(|speedup| 1.0 / speedup)
    };
    let figures = Figures {
        contenders: &Contender::ALL[2..],
        threads: measured.threads(),
        spread: &ratio,
    };
    let title = "Steady: how far from the limit".to_owned();
    let headline = |&ours: &Contender| {
        let span = figures.extremes(ours)?.span();
        Some(format!(
            "Steady: an add by {} takes {span} the time of the {}, draw included.",
            ours.name(),
            plain.name()
        ))
    };
    Ok(Panel {
        svg: figures.chart(&title, "times as long", Some((1.0, "1: the limit")))?,
        grid: figures.grid("Time an add over that of the plain accumulator, draw included in both. Less is better, 1 is the limit.", times),
        headlines: OURS.iter().filter_map(headline).collect(),
        title,
    })
}
