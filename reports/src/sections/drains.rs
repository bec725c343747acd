//! How long drains take.

use super::grid::{Cell, Figures, Grid, Row};
use super::{Section, View};
use crate::data::Data;
use crate::format::{count, milliseconds, number};
use crate::performance::Performance;
use crate::plot::{Across, Chart, Series, Style};
use anyhow::Result;
use benches::{Contender, DrainFigure, Entrant, Figure, QuietDrain, Spread, Threads, Wait};
use serde_json::{Value, json};

pub(crate) const SECTION: Section = Section {
    id: "drains",
    title: "Drains",
    command: "cargo reports",
    template: include_str!("drains.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let Some(performance) = &data.performance else {
        return Ok(View::not_run());
    };
    let (quiet, crowd) = (&performance.quiet_drains, &performance.crowd);
    let of = |figure: fn(&DrainFigure) -> f64| {
        move |wait, threads: Threads| Spread::of(crowd.figures(wait, threads).map(figure))
    };
    let figures = |figure| Figures::of(Wait::ALL, crowd.threads(), of(figure));
    let longest = figures(|figure| figure.max_us);
    let context = json!({
        "ran": true,
        "quiet_svg": chart(quiet).svg()?,
        "quiet": grid(quiet),
        "longest_svg": longest.chart("Longest drain by threads, by how it waits", DrainFigure::UNIT, None)?,
        "longest": longest.grid("The longest drain of a measurement, in microseconds.", number),
        "adds": figures(|figure| figure.adds_per_ms).grid("What the threads added meanwhile, per millisecond.", number),
        "accounts": accounts(performance),
        "window": data.plan.performance.as_ref().map(|plan| milliseconds(plan.crowd.scenario.window)),
    });
    Ok(View {
        headlines: headline(quiet).into_iter().collect(),
        context,
    })
}

/// Nanoseconds a stripe over the largest numbers of stripes.
pub(crate) fn per_stripe(quiet: &[QuietDrain]) -> Option<f64> {
    let [.., some, _, more] = quiet else {
        return None;
    };
    Some(some.per_stripe(more))
}

fn headline(quiet: &[QuietDrain]) -> Option<String> {
    let alone = quiet.first()?;
    Some(format!(
        "A drain, alone: {} ns with one stripe, then {} ns a stripe.",
        number(alone.ns.median),
        number(per_stripe(quiet)?)
    ))
}

fn chart(quiet: &[QuietDrain]) -> Chart {
    let points = quiet.iter().map(|drain| (drain.stripes, drain.ns));
    let style = Style::from(Contender::ConcurrentMutableStat);
    Chart {
        title: "Nanoseconds a drain by stripes, alone".to_owned(),
        across: Across::Stripes,
        unit: "ns per drain".to_owned(),
        series: vec![Series::new("drain, nobody else about", style, points)],
        threshold: None,
    }
}

fn grid(quiet: &[QuietDrain]) -> Grid {
    let marginal = |place: usize| {
        let before = place.checked_sub(1).map(|before| quiet[before]);
        before.map_or("–".to_owned(), |before| {
            number(before.per_stripe(&quiet[place]))
        })
    };
    let row = |(place, drain): (usize, &QuietDrain)| Row {
        head: drain.stripes.to_string(),
        cells: vec![
            Cell::spread(Some(drain.ns), number),
            Cell::text(marginal(place)),
        ],
    };
    Grid {
        caption: "Nanoseconds a drain, nobody else about.".to_owned(),
        corner: "stripes",
        columns: vec![
            "ns a drain".to_owned(),
            "ns a stripe more than the row above".to_owned(),
        ],
        rows: quiet.iter().enumerate().map(row).collect(),
    }
}

/// What the longest drain of all rounds is made of, by threads and strategy.
fn accounts(performance: &Performance) -> Vec<Value> {
    let crowd = &performance.crowd;
    let account = |threads: Threads, wait: Wait| {
        let longest = |a: &&DrainFigure, b: &&DrainFigure| a.max_us.total_cmp(&b.max_us);
        let figure = crowd.figures(wait, threads).max_by(longest)?;
        Some(json!({
            "threads": threads,
            "wait": wait.name(),
            "longest": number(figure.max_us),
            "waiting": number(figure.waiting_us),
            "away": number(figure.away_us),
            "pauses": count(figure.pauses),
            "running": number(figure.running_us),
            "drains": figure.drains,
        }))
    };
    let threads = crowd.threads().into_iter();
    let settings = threads.flat_map(|threads| Wait::ALL.iter().map(move |&wait| (threads, wait)));
    settings
        .filter_map(|(threads, wait)| account(threads, wait))
        .collect()
}
