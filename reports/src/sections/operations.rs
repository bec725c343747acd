//! Four statistics an operation on a read-write lock.

use super::grid::Figures;
use super::locks::ratios_headline;
use super::{Section, View};
use crate::data::Data;
use crate::format::{number, times};
use anyhow::Result;
use benches::{Entrant, LockContender, OperationContender};
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "operations",
    title: "Operations on a metered lock",
    command: "cargo reports",
    template: include_str!("operations.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let Some(performance) = &data.performance else {
        return Ok(View::not_run());
    };
    let measured = &performance.operations;
    let unmetered = OperationContender(LockContender::Unmetered);
    let rate = |operation, threads| measured.spread(operation, threads);
    let rates = Figures::of(OperationContender::ALL, measured.threads(), rate);
    let share = |operation, threads| measured.speedup(operation, unmetered, threads);
    let shares = Figures::of(&OperationContender::ALL[1..], measured.threads(), share);
    let context = json!({
        "ran": true,
        "clock": number(4.0 * data.harness.clock_ns),
        "rates": rates.grid("Operations per millisecond, all threads together. More is better.", number),
        "share_svg": shares.chart("Share of the lock's own throughput by threads", "times the throughput", Some((1.0, "1: not metered")))?,
        "shares": shares.grid("Of the throughput of the lock that is not metered, round by round. 1 is free.", times),
    });
    let headline = ratios_headline(
        "An operation on a lock, throughput over that of one not metered",
        &shares,
    );
    Ok(View {
        headlines: headline.into_iter().collect(),
        context,
    })
}
