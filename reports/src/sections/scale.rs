//! How throughput grows with threads.

use super::{Section, View};
use crate::data::Data;
use crate::format::{number, times};
use crate::published::{Published, published};
use crate::usl::{Estimate, Fit, Law, PREDICTED, Point};
use anyhow::Result;
use benches::{Contender, Entrant, Threads};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) const SECTION: Section = Section {
    id: "scale",
    title: "Scale",
    command: "cargo reports",
    template: include_str!("scale.html"),
    view,
};

/// A series and its fit; a row of `scale.csv`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    place: &'static str,
    scenario: &'static str,
    who: String,
    lambda: f64,
    sigma: f64,
    sigma_low: f64,
    sigma_high: f64,
    kappa: f64,
    kappa_low: f64,
    kappa_high: f64,
    residual: f64,
    at_128: f64,
    at_128_low: f64,
    at_128_high: f64,
    #[serde(skip)]
    fit: Fit,
}

impl Row {
    fn of(
        place: &'static str,
        scenario: &'static str,
        who: &str,
        points: &[Point],
    ) -> Option<Self> {
        let fit = Fit::of(points)?;
        let Fit {
            law: Law { lambda, .. },
            sigma,
            kappa,
            residual,
            predicted,
        } = fit;
        Some(Self {
            place,
            scenario,
            who: who.to_owned(),
            lambda,
            sigma: sigma.value,
            sigma_low: sigma.low,
            sigma_high: sigma.high,
            kappa: kappa.value,
            kappa_low: kappa.low,
            kappa_high: kappa.high,
            residual,
            at_128: predicted.value,
            at_128_low: predicted.low,
            at_128_high: predicted.high,
            fit,
        })
    }

    fn shown(&self) -> Value {
        let bounds = |estimate: Estimate, show: fn(f64) -> String| {
            json!({
                "figure": show(estimate.value),
                "range": format!("{} … {}", show(estimate.low), show(estimate.high)),
            })
        };
        json!({
            "place": self.place,
            "scenario": self.scenario,
            "who": self.who,
            "sigma": bounds(self.fit.sigma, coefficient),
            "kappa": bounds(self.fit.kappa, coefficient),
            "residual": format!("{:.0} %", 100.0 * self.residual),
            "predicted": bounds(self.fit.predicted, times),
        })
    }
}

/// Coefficients can be far below one.
fn coefficient(value: f64) -> String {
    if value == 0.0 || value >= 0.01 {
        number(value)
    } else {
        format!("{value:.1e}")
    }
}

fn view(data: &Data) -> Result<View> {
    let rows = of(data);
    let context = json!({
        "rows": rows.iter().map(Row::shown).collect::<Vec<_>>(),
        "predicted": format!("{PREDICTED}"),
        "cores": data.environment.cores,
    });
    Ok(View {
        headlines: headline(&rows).into_iter().collect(),
        context,
    })
}

/// Every series that can be fitted.
pub(crate) fn of(data: &Data) -> Vec<Row> {
    let mut rows = Vec::new();
    for (arch, place) in [("x86", "published, x86"), ("arm64", "published, ARM64")] {
        for scenario in ["steady", "burst"] {
            rows.extend(theirs(arch, place, scenario));
        }
    }
    let steady = |contender, threads: Threads| -> Vec<f64> {
        data.steady.values(contender, threads).collect()
    };
    let adds = data.plan.burst.scenario.adds;
    let burst = |contender, threads: Threads| -> Vec<f64> {
        let bursts = data.burst.values(contender, threads);
        bursts
            .map(|us| (adds * threads.get()) as f64 / us)
            .collect()
    };
    rows.extend(here("steady", &data.steady.threads(), steady));
    rows.extend(here("burst", &data.burst.threads(), burst));
    rows
}

/// Of a burst, adds a microsecond.
fn theirs(arch: &str, place: &'static str, scenario: &'static str) -> impl Iterator<Item = Row> {
    const ADDS: f64 = 500.0;
    type Figure = fn(&Published) -> f64;
    let rows: Vec<Published> = published()
        .into_iter()
        .filter(|row| row.arch == arch && row.scenario == scenario)
        .collect();
    let who: [(&str, Figure); 2] = [
        ("MutableStat", |row| row.mutable_stat),
        ("merged", |row| row.concurrent_mutable_stat),
    ];
    who.into_iter().filter_map(move |(who, figure)| {
        let throughput = |row: &Published| match scenario {
            "burst" => row.threads as f64 * ADDS / figure(row),
            _ => figure(row),
        };
        let point = |row: &Published| Point {
            threads: row.threads as f64,
            rounds: vec![throughput(row)],
        };
        Row::of(
            place,
            scenario,
            who,
            &rows.iter().map(point).collect::<Vec<_>>(),
        )
    })
}

fn here(
    scenario: &'static str,
    threads: &[Threads],
    throughputs: impl Fn(Contender, Threads) -> Vec<f64>,
) -> Vec<Row> {
    let row = |&contender: &Contender| {
        let point = |&threads: &Threads| Point {
            threads: threads.get() as f64,
            rounds: throughputs(contender, threads),
        };
        let points: Vec<Point> = threads.iter().map(point).collect();
        Row::of("here", scenario, contender.name(), &points)
    };
    Contender::ALL[1..].iter().filter_map(row).collect()
}

fn headline(rows: &[Row]) -> Option<String> {
    let merged = |place: &str| {
        let mut rows = rows.iter();
        let row =
            rows.find(|row| row.place == place && row.scenario == "burst" && row.who == "merged")?;
        Some(format!(
            "σ {} and κ {} on {}",
            coefficient(row.sigma),
            coefficient(row.kappa),
            place.trim_start_matches("published, ")
        ))
    };
    Some(format!(
        "Universal Scalability Law, the merged statistic's published bursts: {}; {}.",
        merged("published, x86")?,
        merged("published, ARM64")?
    ))
}
