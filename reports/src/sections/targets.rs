//! What was aimed at, and what came out.

use super::drains::per_stripe;
use super::grid::Cell;
use super::latency;
use super::{Section, View};
use crate::data::Data;
use crate::format::{number, times};
use anyhow::Result;
use benches::{Contender, Counted, Entrant, Spread, Threads};
use serde::Serialize;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "targets",
    title: "Targets",
    command: "cargo reports",
    template: include_str!("targets.html"),
    view,
};

/// On which side of a number a figure should be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Bound {
    fn value(self) -> f64 {
        let (Self::AtMost(value) | Self::AtLeast(value)) = self;
        value
    }

    fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtMost(most) => figure <= most,
            Self::AtLeast(least) => figure >= least,
        }
    }

    /// Of several figures the one that is hardest on the target.
    fn worst(self, figures: impl Iterator<Item = At>) -> Option<At> {
        let hardness = |at: &At| match self {
            Self::AtMost(_) => at.figure,
            Self::AtLeast(_) => -at.figure,
        };
        figures.max_by(|a, b| hardness(a).total_cmp(&hardness(b)))
    }

    fn text(self) -> String {
        match self {
            Self::AtMost(most) => format!("at most {most}"),
            Self::AtLeast(least) => format!("at least {least}"),
        }
    }
}

/// A median, where it was measured.
#[derive(Clone, Debug, PartialEq)]
struct At {
    figure: f64,
    at: String,
}

/// A target and what came out; a row of `targets.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Row {
    target: String,
    who: &'static str,
    bound: String,
    /// The median that is hardest on it; none if it was not measured.
    measured: Option<f64>,
    at: Option<String>,
    met: Option<bool>,
    /// The measured over the bound.
    of_bound: Option<f64>,
}

impl Row {
    fn new(target: &str, who: &'static str, bound: Bound, measured: Option<At>) -> Self {
        let figure = measured.as_ref().map(|at| at.figure);
        Self {
            target: target.to_owned(),
            who,
            bound: bound.text(),
            measured: figure,
            at: measured.map(|at| at.at),
            met: figure.map(|figure| bound.is_met(figure)),
            of_bound: figure.map(|figure| figure / bound.value()),
        }
    }
}

/// Ours, each with its bound in times the limit.
const OURS: [(Contender, f64); 2] = [
    (Contender::Recorder, 1.5),
    (Contender::ConcurrentMutableStat, 1.9),
];

/// All targets.
pub(crate) fn of(data: &Data) -> Result<Vec<Row>> {
    let drains = data.performance.as_ref();
    let per_stripe = drains.and_then(|performance| per_stripe(&performance.quiet_drains));
    let drain = per_stripe.map(|figure| At {
        figure,
        at: "80 to 800 stripes".to_owned(),
    });
    let mut rows: Vec<Row> = OURS
        .iter()
        .flat_map(|&(ours, limit)| of_adds(data, ours, limit))
        .collect();
    rows.push(Row::new(
        "ns a stripe of a drain, alone",
        "drain",
        Bound::AtMost(20.0),
        drain,
    ));
    let stripe = At {
        figure: Counted::committed()?.bytes["a stripe"],
        at: "counted".to_owned(),
    };
    rows.push(Row::new(
        "bytes a stripe",
        "memory",
        Bound::AtMost(256.0),
        Some(stripe),
    ));
    Ok(rows)
}

fn of_adds(data: &Data, ours: Contender, limit: f64) -> Vec<Row> {
    let steady = |base| move |threads| data.steady.speedup(ours, base, threads);
    let over_limit = |threads| data.steady.speedup(Contender::Plain, ours, threads);
    let burst = |threads| data.burst.net_speedup(ours, Contender::Mutex, threads);
    let any: fn(usize) -> bool = |_| true;
    let one: fn(usize) -> bool = |threads| threads == 1;
    let two: fn(usize) -> bool = |threads| threads == 2;
    let many: fn(usize) -> bool = |threads| threads >= 10;
    let row = |target: &str,
               bound: Bound,
               which: fn(usize) -> bool,
               ratio: &dyn Fn(Threads) -> Option<Spread>| {
        let threads = data.steady.threads().into_iter();
        let threads = threads.filter(|threads| which(threads.get()));
        let at = threads.filter_map(|threads| {
            let at = format!("threads {threads}");
            Some(At {
                figure: ratio(threads)?.median,
                at,
            })
        });
        Row::new(target, ours.name(), bound, bound.worst(at))
    };
    let mut rows = vec![
        row(
            "time an add over the limit's, steady",
            Bound::AtMost(limit),
            any,
            &over_limit,
        ),
        row(
            "times Mutex<Moments>, alone",
            Bound::AtLeast(1.2),
            one,
            &steady(Contender::Mutex),
        ),
        row(
            "times MutableStat, alone",
            Bound::AtLeast(2.0),
            one,
            &steady(Contender::MutableStat),
        ),
        row(
            "times MutableStat, steady, 2 threads",
            Bound::AtLeast(5.0),
            two,
            &steady(Contender::MutableStat),
        ),
        row(
            "times MutableStat, steady, 10 threads and more",
            Bound::AtLeast(10.0),
            many,
            &steady(Contender::MutableStat),
        ),
        row(
            "times merged, steady, any threads",
            Bound::AtLeast(1.3),
            any,
            &steady(Contender::Merged),
        ),
        row(
            "times Mutex<Moments>, bursts less the empty one, any threads",
            Bound::AtLeast(1.0),
            any,
            &burst,
        ),
    ];
    let bound = Bound::AtMost(1.2);
    let p999 = data.performance.as_ref().and_then(|performance| {
        let ratio = latency::ratio(performance, ours, |figure| figure.p999_ns)?;
        Some(At {
            figure: ratio.median,
            at: "threads 1".to_owned(),
        })
    });
    rows.push(Row::new(
        "p99.9 of an add beside 1,000 drains a second over without",
        ours.name(),
        bound,
        p999,
    ));
    rows
}

/// What the empty burst hides at a number of threads: how far it varies from
/// round to round, and the limit's own ratio to the mutex.
fn burst_noise(data: &Data, threads: Threads) -> serde_json::Value {
    let over_mutex = |who| data.burst.net_speedup(who, Contender::Mutex, threads);
    let shown = [
        Contender::Plain,
        Contender::Recorder,
        Contender::ConcurrentMutableStat,
    ];
    let ratios = shown.map(|who| Cell::spread(over_mutex(who), times));
    json!({
        "threads": threads.get(),
        "empty": Cell::spread(data.burst.spread(Contender::Nothing, threads), number),
        "ratios": ratios,
    })
}

fn view(data: &Data) -> Result<View> {
    let rows = of(data)?;
    let measured = rows.iter().filter(|row| row.met.is_some()).count();
    let missed: Vec<String> = rows
        .iter()
        .filter(|row| row.met == Some(false))
        .map(|row| {
            format!(
                "{}: {}, {} where {} was aimed at",
                row.who,
                row.target,
                number(row.measured.unwrap_or_default()),
                row.bound
            )
        })
        .collect();
    let met = measured - missed.len();
    let but = if missed.is_empty() {
        String::new()
    } else {
        format!("; missed: {}", missed.join("; "))
    };
    let shown = rows.iter().map(|row| {
        json!({
            "target": row.target,
            "who": row.who,
            "bound": row.bound,
            "measured": row.measured.map(number),
            "at": row.at,
            "met": row.met,
            "of_bound": row.of_bound.map(|of| format!("{:.0} %", 100.0 * of)),
        })
    });
    let bursts = data.burst.threads().into_iter();
    let bursts = bursts.map(|threads| burst_noise(data, threads));
    Ok(View {
        headlines: vec![format!(
            "Targets of performance: {met} of {measured} met{but}."
        )],
        context: json!({
            "rows": shown.collect::<Vec<_>>(),
            "bursts": bursts.collect::<Vec<_>>(),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(figure: f64) -> At {
        At {
            figure,
            at: format!("at {figure}"),
        }
    }

    #[test]
    fn the_worst_figure_is_what_counts() {
        let figures = || [1.4, 1.6, 1.5].map(at).into_iter();
        let most = Bound::AtMost(1.5);
        let row = Row::new("a", "b", most, most.worst(figures()));
        assert_eq!((row.measured, row.met), (Some(1.6), Some(false)));
        let least = Bound::AtLeast(1.4);
        let row = Row::new("a", "b", least, least.worst(figures()));
        assert_eq!((row.measured, row.met), (Some(1.4), Some(true)));
        assert_eq!(row.of_bound, Some(1.0));
    }

    #[test]
    fn what_was_not_measured_is_neither_met_nor_missed() {
        let row = Row::new("a", "b", Bound::AtMost(1.0), None);
        assert_eq!((row.measured, row.met), (None, None));
    }
}
