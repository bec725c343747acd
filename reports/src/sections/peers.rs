//! What others offer, and what they cost.

use super::grid::{Cell, Figures};
use super::{Section, View};
use crate::data::Data;
use crate::format::number;
use anyhow::Result;
use benches::{Contender, Entrant, Measurements, Offer, Peer, Spread, SteadyFigure, Threads};
use models::statistic::Statistic;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) const SECTION: Section = Section {
    id: "peers",
    title: "Others, and what they offer",
    command: "cargo reports",
    template: include_str!("peers.html"),
    view,
};

type Measured = Measurements<SteadyFigure, Peer>;

fn view(data: &Data) -> Result<View> {
    let Some(performance) = &data.performance else {
        return Ok(View::not_run());
    };
    let measured = &performance.peers;
    let threads = measured.threads();
    let time = |peer, threads| measured.nanoseconds(peer, threads);
    // All of them would be too many lines for a picture.
    let exact: Vec<Peer> = Peer::ALL
        .iter()
        .copied()
        .filter(|peer| peer.offers().contains(&Offer::Interval))
        .collect();
    let times = Figures::of(&exact, threads.clone(), time);
    let rows: Vec<Row> = Peer::ALL
        .iter()
        .map(|&peer| Row::of(peer, measured))
        .collect();
    let context = json!({
        "ran": true,
        "offers": Offer::ALL.map(Offer::name),
        "threads": threads,
        "rows": rows,
        "plot_svg": times.chart("Nanoseconds an add by threads, of those that offer an exact interval", "ns per add", None)?,
        "exactness": exactness(data),
    });
    Ok(View {
        headlines: headline(measured).into_iter().collect(),
        context,
    })
}

/// What a peer offers, and what it costs.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    description: &'static str,
    offers: [bool; Offer::ALL.len()],
    costs: Vec<Cell>,
}

impl Row {
    fn of(peer: Peer, measured: &Measured) -> Self {
        let cost = |threads| Cell::spread(measured.nanoseconds(peer, threads), number);
        Self {
            name: peer.name(),
            description: peer.description(),
            offers: Offer::ALL.map(|offer| peer.offers().contains(&offer)),
            costs: measured.threads().into_iter().map(cost).collect(),
        }
    }
}

/// Who is faster than the look-up, and with how much less to offer.
fn headline(measured: &Measured) -> Option<String> {
    let (fewest, most) = (*measured.threads().first()?, *measured.threads().last()?);
    let faster = |threads| faster_than_ours(measured, threads).join(", ");
    let ours = ours().name();
    Some(format!(
        "Faster an add than {ours}, which offers all: at threads {fewest}: {}; at threads {most}: {}. None of them offers all.",
        faster(fewest),
        faster(most)
    ))
}

fn ours() -> Peer {
    Peer::Contender(Contender::ConcurrentMutableStat)
}

/// By the medians; without those that offer as much.
fn faster_than_ours(measured: &Measured, threads: Threads) -> Vec<String> {
    let median = |peer| Some(measured.nanoseconds(peer, threads)?.median);
    let offers_less = |peer: &&Peer| {
        let offers = peer.offers().len();
        (1..Offer::ALL.len()).contains(&offers)
    };
    let faster = |peer: &Peer| {
        Some((peer.name(), median(*peer)?)).filter(|(_, ns)| Some(*ns) < median(ours()))
    };
    let faster: Vec<String> = Peer::ALL
        .iter()
        .filter(offers_less)
        .filter_map(faster)
        .map(|(name, ns)| {
            format!(
                "{name} ({} of {} ns)",
                number(ns),
                number(median(ours()).unwrap_or(ns))
            )
        })
        .collect();
    if faster.is_empty() {
        vec!["nobody".to_owned()]
    } else {
        faster
    }
}

/// Anomalies beside speed: statistics that real threads were let loose on and
/// that were measured.
fn exactness(data: &Data) -> Vec<Value> {
    let pairs = [
        (Statistic::MutableStat, Contender::MutableStat),
        (Statistic::MergedJdk9, Contender::Merged),
        (
            Statistic::ConcurrentMutableStat,
            Contender::ConcurrentMutableStat,
        ),
    ];
    let row = |(statistic, contender): (Statistic, Contender)| {
        let runs = data.torture.iter();
        let runs: Vec<_> = runs
            .filter(|run| run.setting.statistic == statistic.name())
            .collect();
        let samples: u64 = runs.iter().map(|run| run.anomalies.samples).sum();
        let wrong = runs.iter().filter(|run| !run.anomalies.is_clean()).count();
        let time = |threads: usize| -> Option<Spread> {
            data.steady
                .nanoseconds(contender, Threads::try_from(threads).ok()?)
        };
        let costs = [1, 2, 10].map(|threads| Cell::spread(time(threads), number));
        json!({
            "name": statistic.name(),
            "costs": costs,
            "wrong": format!("{wrong} of {} runs", runs.len()),
            "samples": crate::format::count(samples),
        })
    };
    pairs.into_iter().map(row).collect()
}

/// The table as data.
pub(crate) fn offers(measured: &Measured) -> Value {
    let row = |&peer: &Peer| {
        let cost = |threads: Threads| {
            (
                threads.to_string(),
                json!(measured.nanoseconds(peer, threads)),
            )
        };
        let costs: serde_json::Map<_, _> = measured.threads().into_iter().map(cost).collect();
        json!({
            "peer": peer.name(),
            "description": peer.description(),
            "offers": peer.offers(),
            "ns_per_add_by_threads": costs,
        })
    };
    Peer::ALL.iter().map(row).collect()
}
