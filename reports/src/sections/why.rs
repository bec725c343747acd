//! Why an add takes as long as it does.

use super::grid::Cell;
use super::{Section, View};
use crate::data::Data;
use crate::format::number;
use anyhow::Result;
use assembly::{Instruction, Listing, Step};
use benches::{Contender, Counted, Measurements, Other, Peer, Spread, SteadyFigure, Threads};
use serde_json::{Value, json};

pub(crate) const SECTION: Section = Section {
    id: "why",
    title: "Why",
    command: "cargo assembly",
    template: include_str!("why.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let listings = Listing::committed()?;
    let counted = Counted::committed()?;
    let instructions = |what: &str| format!("{:.0}", counted.events[what].instructions);
    let context = json!({
        "titles": listings.iter().map(title).collect::<Vec<_>>(),
        "steps": Step::ALL.map(|step| steps(step, &listings)),
        "listings": listings.iter().map(shown).collect::<Vec<_>>(),
        "plain": instructions("add: plain accumulator"),
        "recorder": instructions("add: Recorder"),
        "look_up": instructions("add: ConcurrentMutableStat"),
        "times": times(data),
        "fences": against(data, &[Other::Fenced]),
        "layouts": against(data, &[Other::AcrossLines, Other::Apart]),
    });
    Ok(View {
        headlines: Vec::new(),
        context,
    })
}

fn title(listing: &Listing) -> String {
    let who = match listing.function.as_str() {
        "add_by_recorder" => "Recorder",
        _ => "look-up",
    };
    let architecture = listing.target.split('-').next().unwrap_or(&listing.target);
    format!("{who}, {architecture}")
}

fn steps(step: Step, listings: &[Listing]) -> Value {
    let (name, what_for) = match step {
        Step::Call => (
            "call",
            "arguments, registers kept, return: gone where the add is inlined",
        ),
        Step::LookUp => (
            "look-up",
            "the thread's number from its thread-local storage, then the statistic's table: three loads that depend on each other, and four checks that a thread's first add fails",
        ),
        Step::Open => (
            "open",
            "read the stripe's sequence number, check that no add of this stripe is under way (a record that adds would be), store it odd: a drain that comes now waits",
        ),
        Step::Fence => (
            "fence",
            "ask whether drains fence for us; if not, the full fence that keeps the epoch's load behind that store",
        ),
        Step::Epoch => (
            "epoch",
            "which of the two buffers is being filled: a line that all cores share and only a drain writes",
        ),
        Step::Record => (
            "record",
            "the sample into the buffer: square (128 bits), sum of squares (192 bits), sum (128 bits), count, min, max. As much as the plain accumulator does",
        ),
        Step::Close => (
            "close",
            "store the sequence number even: the sample is there",
        ),
    };
    let counts: Vec<usize> = listings.iter().map(|listing| listing.count(step)).collect();
    json!({ "name": name, "what_for": what_for, "counts": counts })
}

fn shown(listing: &Listing) -> Value {
    let row = |instruction: &Instruction| {
        json!({
            "label": instruction.label,
            "text": instruction.text,
            "step": format!("{:?}", instruction.step),
            "source": instruction.source,
        })
    };
    let rows: Vec<Value> = listing.instructions.iter().map(row).collect();
    json!({
        "title": title(listing),
        "target": listing.target,
        "rustc": listing.rustc,
        "rows": rows,
    })
}

fn one_thread() -> Threads {
    Threads::try_from(1).expect("1 is a thread count")
}

/// What each step adds to the time of an add, alone: differences of medians of
/// one run, as they nest.
fn times(data: &Data) -> Vec<Value> {
    let nanoseconds = |contender| data.steady.nanoseconds(contender, one_thread());
    let more = |contender, than| {
        let pairs = data.steady.values(contender, one_thread());
        let pairs = pairs.zip(data.steady.values(than, one_thread()));
        Spread::of(pairs.map(|(rate, than)| 1e6 / rate - 1e6 / than))
    };
    let rows = [
        (
            "drawing a sample, and the loop",
            nanoseconds(Contender::Nothing),
        ),
        (
            "recording it (plain accumulator less that)",
            more(Contender::Plain, Contender::Nothing),
        ),
        (
            "open, fence check, epoch, close (Recorder less that)",
            more(Contender::Recorder, Contender::Plain),
        ),
        (
            "look-up (ConcurrentMutableStat less Recorder)",
            more(Contender::ConcurrentMutableStat, Contender::Recorder),
        ),
    ];
    let row = |(what, spread): (&str, Option<Spread>)| json!({ "what": what, "cell": Cell::spread(spread, number) });
    rows.into_iter().map(row).collect()
}

/// An add under other circumstances, over one as shipped, by threads.
fn against(data: &Data, others: &[Other]) -> Vec<Value> {
    let Some(performance) = &data.performance else {
        return Vec::new();
    };
    let measured: &Measurements<SteadyFigure, Peer> = &performance.peers;
    let ours = Peer::Contender(Contender::Recorder);
    let row = |threads: Threads| {
        let shipped = Cell::spread(measured.nanoseconds(ours, threads), number);
        let ratio = |&other: &Other| {
            let ratio = measured.speedup(ours, Peer::Other(other), threads);
            Cell::spread(ratio, crate::format::times)
        };
        let cells: Vec<Cell> = [shipped]
            .into_iter()
            .chain(others.iter().map(ratio))
            .collect();
        json!({ "threads": threads, "cells": cells })
    };
    measured.threads().into_iter().map(row).collect()
}
