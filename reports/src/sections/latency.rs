//! How long single adds take.

use super::grid::{Cell, Grid, Row};
use super::{Section, View};
use crate::data::Data;
use crate::format::{milliseconds, number, times};
use crate::performance::{Beside, Performance};
use crate::plot::{Across, Chart, Series, Style};
use anyhow::Result;
use benches::{Contender, Entrant, LatencyFigure, Measurements, Spread, StoppedContender, Threads};
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "latency",
    title: "Single adds",
    command: "cargo reports",
    template: include_str!("latency.html"),
    view,
};

/// What is shown of a measurement.
type Of = fn(&LatencyFigure) -> u64;

const COLUMNS: [(&str, Of); 5] = [
    ("p50", |figure| figure.p50_ns),
    ("p99", |figure| figure.p99_ns),
    ("p99.9", |figure| figure.p999_ns),
    ("p99.99", |figure| figure.p9999_ns),
    ("longest", |figure| figure.max_ns),
];

fn view(data: &Data) -> Result<View> {
    let Some(performance) = &data.performance else {
        return Ok(View::not_run());
    };
    let stop = StoppedContender::STOP;
    let context = json!({
        "ran": true,
        "clock": number(data.harness.clock_ns),
        "plot_svg": chart(&performance.latency).svg()?,
        "beside": beside(&performance.latency),
        "ratios": ratios(&performance.latency),
        "stop": milliseconds(stop),
        "step": number(performance.clock_step_ns),
        "stopped": stopped(&performance.stopped, data),
    });
    Ok(View {
        headlines: headline(performance).into_iter().collect(),
        context,
    })
}

fn grid(caption: &str, rows: impl Iterator<Item = (String, Vec<Cell>)>) -> Grid {
    Grid {
        caption: caption.to_owned(),
        corner: "",
        columns: COLUMNS.iter().map(|column| column.0.to_owned()).collect(),
        rows: rows.map(|(head, cells)| Row { head, cells }).collect(),
    }
}

fn one_thread() -> Threads {
    Threads::try_from(1).expect("1 is a thread count")
}

fn spread<C: Entrant>(
    measured: &Measurements<LatencyFigure, C>,
    contender: C,
    of: Of,
) -> Option<Spread> {
    let figures = measured.figures(contender, one_thread());
    Spread::of(figures.map(|figure| of(figure) as f64))
}

fn cells<C: Entrant>(measured: &Measurements<LatencyFigure, C>, contender: C) -> Vec<Cell> {
    let cell = |&(_, of): &(&str, Of)| Cell::spread(spread(measured, contender, of), number);
    COLUMNS.iter().map(cell).collect()
}

fn named(contender: Contender, per_second: u32) -> String {
    let name = match contender {
        Contender::Nothing => "clock only",
        _ => contender.name(),
    };
    match per_second {
        0 => name.to_owned(),
        _ => format!("{name}, {per_second} drains a second"),
    }
}

fn beside(latency: &[Beside<LatencyFigure>]) -> Grid {
    let rows = Contender::ALL.iter().flat_map(|&contender| {
        latency.iter().map(move |beside| {
            let name = named(contender, beside.per_second);
            (name, cells(&beside.measured, contender))
        })
    });
    grid(
        "Nanoseconds an add, one reading of the clock included.",
        rows,
    )
}

/// With how many adds there was time for: who waits makes none.
fn stopped(measured: &Measurements<LatencyFigure, StoppedContender>, data: &Data) -> Grid {
    let plan = data.plan.performance.as_ref();
    let window = plan.map(|plan| plan.latency.scenario.window.as_secs_f64() * 1e3);
    let rate = |who| {
        let figures = measured.figures(who, one_thread());
        Spread::of(figures.map(|figure| figure.adds as f64 / window.unwrap_or(f64::NAN)))
    };
    let rows = StoppedContender::ALL.iter().map(|&who| {
        let mut cells = cells(measured, who);
        cells.push(Cell::spread(rate(who), number));
        (who.name().to_owned(), cells)
    });
    let caption = "Nanoseconds an add beside a drainer that is stopped half the time.";
    let mut grid = grid(caption, rows);
    grid.columns.push("adds timed per ms".to_owned());
    grid
}

/// Beside the reader over without, round by round.
pub(crate) fn ratio(performance: &Performance, contender: Contender, of: Of) -> Option<Spread> {
    ratio_of(&performance.latency, contender, of)
}

fn ratio_of(latency: &[Beside<LatencyFigure>], contender: Contender, of: Of) -> Option<Spread> {
    let [without, with] = latency else {
        return None;
    };
    let figures = |beside: &Beside<LatencyFigure>| -> Vec<f64> {
        let figures = beside.measured.figures(contender, one_thread());
        figures.map(|figure| of(figure) as f64).collect()
    };
    let pairs = figures(with).into_iter().zip(figures(without));
    Spread::of(pairs.map(|(with, without)| with / without))
}

fn ratios(latency: &[Beside<LatencyFigure>]) -> Grid {
    let cell = |contender, of| Cell::spread(ratio_of(latency, contender, of), times);
    let row = |&contender: &Contender| {
        let cells = COLUMNS.iter().map(|&(_, of)| cell(contender, of));
        (named(contender, 0), cells.collect())
    };
    grid(
        "Beside the drains over without, round by round.",
        Contender::ALL.iter().map(row),
    )
}

fn chart(latency: &[Beside<LatencyFigure>]) -> Chart {
    let shown = [
        Contender::Nothing,
        Contender::Recorder,
        Contender::ConcurrentMutableStat,
        Contender::Mutex,
        Contender::MutableStat,
    ];
    let series = shown.into_iter().flat_map(|contender| {
        latency.iter().map(move |beside| {
            let style = Style::from(contender);
            let style = if beside.per_second == 0 {
                style.dimmed()
            } else {
                style
            };
            let name = named(contender, beside.per_second);
            Series::new(name, style, curve(&beside.measured, contender))
        })
    });
    Chart {
        title: "Latency of single adds, without and beside drains".to_owned(),
        across: Across::OneIn,
        unit: "ns".to_owned(),
        series: series.collect(),
        threshold: None,
    }
}

fn curve(measured: &Measurements<LatencyFigure>, contender: Contender) -> Vec<(usize, Spread)> {
    let figures: Vec<&LatencyFigure> = measured.figures(contender, one_thread()).collect();
    let Some(first) = figures.first() else {
        return Vec::new();
    };
    let at = |place: usize| {
        let times = figures.iter().map(|figure| figure.one_in()[place].1 as f64);
        Some((first.one_in()[place].0 as usize, Spread::of(times)?))
    };
    (0..first.one_in().len()).filter_map(at).collect()
}

fn headline(performance: &Performance) -> Option<String> {
    let p999: Of = |figure| figure.p999_ns;
    let said = [
        Contender::Recorder,
        Contender::ConcurrentMutableStat,
        Contender::Mutex,
    ];
    let said = said.map(|contender| {
        let ratio = ratio(performance, contender, p999)?;
        Some(format!("{} {}", contender.name(), times(ratio.median)))
    });
    let said = said.into_iter().collect::<Option<Vec<_>>>()?.join(", ");
    let longest = |who| {
        let longest = spread(&performance.stopped, who, |figure| figure.max_ns)?;
        Some(format!(
            "{} {} ms",
            who.name(),
            number(longest.median / 1e6)
        ))
    };
    let stopped = StoppedContender::ALL.iter().map(|&who| longest(who));
    let stopped = stopped.collect::<Option<Vec<_>>>()?.join(", ");
    Some(format!(
        "p99.9 of a single add beside 1,000 drains a second over without: {said}. Longest add beside a drainer that is stopped: {stopped}."
    ))
}
