//! What real threads made of the statistics.

use super::{Section, View};
use crate::data::Data;
use crate::format::{count, number};
use crate::plot::{Across, Chart, Series, Style};
use anyhow::Result;
use benches::Spread;
use models::statistic::Statistic;
use models::torture::{Anomalies, Run, STATISTICS};
use serde::Serialize;
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "torture",
    title: "On real threads",
    command: "cargo torture",
    template: include_str!("torture.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let runs = &data.torture;
    let full = data.full_torture.as_ref();
    let context = json!({
        "plot_svg": chart(runs).svg()?,
        "rows": rows(runs),
        "full": full.map(|session| json!({
            "environment": session.environment,
            "totals": totals(&session.runs),
            "rows": rows(&session.runs),
        })),
    });
    let own = headline("On real threads", runs);
    let full = full.and_then(|session| headline("On real threads, in full", &session.runs));
    Ok(View {
        headlines: own.into_iter().chain(full).collect(),
        context,
    })
}

fn rows(runs: &[Run]) -> Vec<Row<'_>> {
    runs.iter().map(Row::of).collect()
}

/// All runs of a statistic together.
#[derive(Serialize)]
struct Total {
    statistic: &'static str,
    runs: usize,
    samples: String,
    intervals: String,
    seconds: String,
    impossible: String,
    /// Runs with anything wrong.
    wrong: usize,
}

fn totals(runs: &[Run]) -> Vec<Total> {
    let total = |statistic: Statistic| {
        let own = || of(runs, statistic);
        let sum =
            |figure: fn(&Anomalies) -> u64| count(own().map(|run| figure(&run.anomalies)).sum());
        Total {
            statistic: statistic.name(),
            runs: own().count(),
            samples: sum(|anomalies| anomalies.samples),
            intervals: sum(|anomalies| anomalies.intervals),
            seconds: number(own().map(|run| run.setting.seconds).sum()),
            impossible: sum(|anomalies| anomalies.impossible),
            wrong: own().filter(|run| !run.anomalies.is_clean()).count(),
        }
    };
    let totals = STATISTICS.into_iter().map(total);
    totals.filter(|total| total.runs > 0).collect()
}

#[derive(Serialize)]
struct Row<'a> {
    statistic: &'a str,
    readers: usize,
    reads: String,
    rate: String,
    samples: String,
    wrong: Option<Wrong>,
}

#[derive(Serialize)]
struct Wrong {
    impossible: String,
    per_million: String,
    lost_samples: String,
    lost_sum: String,
    rounds: String,
}

impl<'a> Row<'a> {
    fn of(run: &'a Run) -> Self {
        let Run { setting, anomalies } = run;
        let reads = setting.reads_per_second;
        Self {
            statistic: &setting.statistic,
            readers: setting.readers,
            reads: reads.map_or("without a pause".to_owned(), number),
            rate: number(rate(run)),
            samples: count(anomalies.samples),
            wrong: (!anomalies.is_clean()).then(|| Wrong::of(anomalies)),
        }
    }
}

impl Wrong {
    fn of(anomalies: &Anomalies) -> Self {
        let share = anomalies.lost_sum as f64 / anomalies.sum.max(1) as f64;
        let rounds = [
            anomalies.rounds_with_wrong_count,
            anomalies.rounds_with_wrong_sum,
            anomalies.rounds_with_wrong_min,
            anomalies.rounds_with_wrong_max,
        ];
        Self {
            impossible: count(anomalies.impossible),
            per_million: number(anomalies.per_million(anomalies.impossible)),
            lost_samples: count(anomalies.lost_samples),
            lost_sum: format!("{:.4} %", 100.0 * share),
            rounds: format!(
                "{} of {}",
                rounds.map(count).join(", "),
                count(anomalies.rounds)
            ),
        }
    }
}

/// Intervals that were closed a second.
fn rate(run: &Run) -> f64 {
    run.anomalies.intervals as f64 / run.setting.seconds
}

fn of(runs: &[Run], statistic: Statistic) -> impl Iterator<Item = &Run> {
    let name = statistic.name();
    runs.iter().filter(move |run| run.setting.statistic == name)
}

fn chart(runs: &[Run]) -> Chart {
    let point = |run: &Run| {
        let per_million = run.anomalies.per_million(run.anomalies.impossible);
        Some((rate(run).round() as usize, Spread::of([per_million])?))
    };
    let series = STATISTICS.map(|statistic| {
        let points = of(runs, statistic).filter_map(point);
        Series::new(statistic.name(), Style::from(statistic), points)
    });
    Chart {
        title: "Impossible intervals in a million samples by intervals a second".to_owned(),
        across: Across::IntervalsASecond,
        unit: "in a million samples".to_owned(),
        series: series.into(),
        threshold: None,
    }
}

/// Who was clean, and how bad the others were.
fn headline(what: &str, runs: &[Run]) -> Option<String> {
    let sentences: Vec<String> = STATISTICS
        .into_iter()
        .filter_map(|statistic| sentence(runs, statistic))
        .collect();
    let sentences = (!sentences.is_empty()).then(|| sentences.join("; "))?;
    Some(format!("{what}: {sentences}."))
}

fn sentence(runs: &[Run], statistic: Statistic) -> Option<String> {
    let samples: u64 = of(runs, statistic).map(|run| run.anomalies.samples).sum();
    let total = of(runs, statistic).count();
    let dirty: Vec<&Anomalies> = of(runs, statistic)
        .map(|run| &run.anomalies)
        .filter(|anomalies| !anomalies.is_clean())
        .collect();
    let name = statistic.name();
    if dirty.is_empty() {
        let samples = count(samples);
        return (total > 0).then(|| format!("{name}, nothing wrong in {samples} samples"));
    }
    let worst = dirty
        .iter()
        .map(|anomalies| anomalies.per_million(anomalies.impossible))
        .fold(0.0, f64::max);
    Some(format!(
        "{name}, something wrong in {} of {total} runs, up to {} impossible intervals in a million samples",
        dirty.len(),
        number(worst)
    ))
}
