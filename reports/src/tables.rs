//! The data as comma-separated tables.

use crate::data::Data;
use crate::model_runs::{ModelRun, Verdict};
use crate::performance::{Beside, Performance};
use crate::published;
use crate::sections::{self, scale, targets};
use anyhow::{Result, anyhow};
use benches::{
    BurstFigure, Contender, Entrant, Figure, LockContender, Measurements, QuietDrain, Spread,
    SteadyFigure, Threads,
};
use models::guarantees::Guarantee;
use models::outcome_table::{Grade, OutcomeTable};
use models::torture;
use serde::Serialize;

/// The tables of a report, by file name.
pub(crate) fn all(data: &Data) -> Result<Vec<Table>> {
    let mut tables = vec![
        ("burst.csv", measurements(&data.burst)?),
        ("steady.csv", measurements(&data.steady)?),
        ("locks.csv", measurements(&data.locks)?),
        ("summary.csv", summary(data)?),
        ("models.csv", table(data.models.iter().map(ModelRow::of))?),
        (
            "verdicts.csv",
            table(data.models.iter().flat_map(VerdictRow::of))?,
        ),
        (
            "outcomes.csv",
            table(data.outcomes.iter().flat_map(OutcomeRow::of))?,
        ),
        (
            "torture.csv",
            String::from_utf8(torture::csv(&data.torture)?)?,
        ),
        ("exactness.csv", table(&data.exactness)?),
        ("published.csv", published::CSV.to_owned()),
        ("targets.csv", table(targets::of(data)?)?),
        ("scale.csv", table(scale::of(data))?),
    ];
    if let Some(performance) = &data.performance {
        tables.extend(of_performance(performance)?);
    }
    Ok(tables)
}

/// A file's name and its content.
type Table = (&'static str, String);

fn of_performance(performance: &Performance) -> Result<Vec<Table>> {
    let Performance {
        clock_step_ns: _,
        peers,
        paced,
        operations,
        read,
        latency,
        stopped,
        crowd,
        quiet_drains,
    } = performance;
    Ok(vec![
        ("peers.csv", measurements(peers)?),
        (
            "offers.json",
            serde_json::to_string_pretty(&sections::offers(peers))? + "\n",
        ),
        ("paced.csv", measurements(paced)?),
        ("operations.csv", measurements(operations)?),
        ("readers.csv", beside(read)?),
        ("latency.csv", beside(latency)?),
        ("stopped.csv", measurements(stopped)?),
        ("drains.csv", measurements(crowd)?),
        (
            "quiet-drains.csv",
            table(
                quiet_drains
                    .iter()
                    .map(|drain| (Stripes::of(drain), drain.ns)),
            )?,
        ),
    ])
}

#[derive(Serialize)]
struct Stripes {
    stripes: usize,
}

impl Stripes {
    fn of(drain: &QuietDrain) -> Self {
        Self {
            stripes: drain.stripes,
        }
    }
}

#[derive(Serialize)]
struct ReadsASecond {
    reads_a_second: u32,
}

/// Every measurement, beside every reader.
fn beside<F: Figure>(all: &[Beside<F>]) -> Result<String> {
    table(all.iter().flat_map(|beside| {
        let reads_a_second = beside.per_second;
        let rows = beside.measured.0.iter();
        rows.map(move |row| (ReadsASecond { reads_a_second }, row.setting, &row.figure))
    }))
}

fn table<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.into_iter().try_for_each(|row| writer.serialize(row))?;
    let bytes = writer.into_inner().map_err(|error| anyhow!("{error}"))?;
    Ok(String::from_utf8(bytes)?)
}

/// Every measurement.
fn measurements<F: Figure, C: Entrant>(measured: &Measurements<F, C>) -> Result<String> {
    table(measured.0.iter().map(|row| (row.setting, &row.figure)))
}

/// What a spread is of.
#[derive(Serialize)]
struct Of {
    scenario: &'static str,
    figure: &'static str,
    unit: &'static str,
    /// As in the table of the scenario.
    contender: serde_json::Value,
    threads: Threads,
}

type Row = (Of, Spread);

/// A figure, its unit, and how to get its spread.
type Summarized<F, C> = (
    &'static str,
    &'static str,
    fn(&Measurements<F, C>, C, Threads) -> Option<Spread>,
);

/// The spread of every figure over the rounds.
fn summary(data: &Data) -> Result<String> {
    let net: [Summarized<BurstFigure, Contender>; 3] = [
        ("empty burst subtracted", BurstFigure::UNIT, |m, c, t| {
            Spread::of(m.net(c, t))
        }),
        ("net speedup over Mutex", TIMES, |m, c, t| {
            m.net_speedup(c, Contender::Mutex, t)
        }),
        ("net speedup over MutableStat", TIMES, |m, c, t| {
            m.net_speedup(c, Contender::MutableStat, t)
        }),
    ];
    let unmetered: [Summarized<_, LockContender>; 2] = [
        ("measured", SteadyFigure::UNIT, Measurements::spread),
        ("speedup over Unmetered", TIMES, |m, c, t| {
            m.speedup(c, LockContender::Unmetered, t)
        }),
    ];
    let rows = spreads("burst", &data.burst, common())
        .chain(spreads("burst", &data.burst, net))
        .chain(spreads("steady", &data.steady, common()))
        .chain(spreads("locks", &data.locks, unmetered));
    table(rows)
}

const TIMES: &str = "times";

fn common<F: Figure>() -> [Summarized<F, Contender>; 5] {
    [
        ("measured", F::UNIT, Measurements::spread),
        ("speedup over Mutex", TIMES, |m, c, t| {
            m.speedup(c, Contender::Mutex, t)
        }),
        ("speedup over MutableStat", TIMES, |m, c, t| {
            m.speedup(c, Contender::MutableStat, t)
        }),
        ("speedup over Merged", TIMES, |m, c, t| {
            m.speedup(c, Contender::Merged, t)
        }),
        ("speedup over Plain", TIMES, |m, c, t| {
            m.speedup(c, Contender::Plain, t)
        }),
    ]
}

fn spreads<F: Figure, C: Entrant, const N: usize>(
    scenario: &'static str,
    measured: &Measurements<F, C>,
    figures: [Summarized<F, C>; N],
) -> impl Iterator<Item = Row> {
    let settings = measured
        .threads()
        .into_iter()
        .flat_map(|threads| C::ALL.iter().map(move |&contender| (contender, threads)));
    let settings: Vec<_> = settings.collect();
    figures.into_iter().flat_map(move |(figure, unit, spread)| {
        let row = |&(contender, threads): &(C, Threads)| {
            let of = Of {
                scenario,
                figure,
                unit,
                contender: serde_json::json!(contender),
                threads,
            };
            Some((of, spread(measured, contender, threads)?))
        };
        settings.iter().filter_map(row).collect::<Vec<_>>()
    })
}

/// A model without its verdicts.
#[derive(Serialize)]
struct ModelRow<'a> {
    tool: &'a str,
    statistic: &'a str,
    scenario: &'a str,
    search: &'a str,
    exhaustive: bool,
    executions: u64,
    seconds: f64,
    shortfall: Option<&'a str>,
}

impl<'a> ModelRow<'a> {
    fn of(run: &'a ModelRun) -> Self {
        let outcome = &run.outcome;
        Self {
            tool: &outcome.tool,
            statistic: &outcome.statistic,
            scenario: &outcome.scenario,
            search: &outcome.search,
            exhaustive: outcome.exhaustive,
            executions: outcome.executions,
            seconds: outcome.seconds,
            shortfall: run.shortfall.as_deref(),
        }
    }
}

/// What a model says about a guarantee.
#[derive(Serialize)]
struct VerdictRow<'a> {
    statistic: &'a str,
    guarantee: Guarantee,
    verdict: Verdict,
    /// How many executions break it.
    breaking: u64,
    tool: &'a str,
    scenario: &'a str,
    search: &'a str,
}

impl<'a> VerdictRow<'a> {
    fn of(run: &'a ModelRun) -> impl Iterator<Item = Self> {
        let outcome = &run.outcome;
        run.verdicts().map(move |(guarantee, verdict)| Self {
            statistic: &outcome.statistic,
            guarantee,
            verdict,
            breaking: outcome.broken.get(&guarantee).copied().unwrap_or(0),
            tool: &outcome.tool,
            scenario: &outcome.scenario,
            search: &outcome.search,
        })
    }
}

/// A result of a small program.
#[derive(Serialize)]
struct OutcomeRow<'a> {
    statistic: &'a str,
    scenario: &'a str,
    search: String,
    intervals: String,
    executions: u64,
    grade: Grade,
    why: &'a str,
}

impl<'a> OutcomeRow<'a> {
    fn of(table: &'a OutcomeTable) -> impl Iterator<Item = Self> {
        table.rows.iter().map(|row| Self {
            statistic: &table.statistic,
            scenario: &table.scenario,
            search: table.bound(),
            intervals: row.in_words(),
            executions: row.executions,
            grade: row.grade,
            why: &row.why,
        })
    }
}
