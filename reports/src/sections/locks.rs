//! What metering a lock costs.

use super::grid::{Figures, Line};
use super::{Section, View};
use crate::data::Data;
use crate::format::{milliseconds, number, times};
use anyhow::Result;
use benches::{Entrant, LockContender};
use serde_json::json;

pub(crate) const SECTION: Section = Section {
    id: "locks",
    title: "Metered locks",
    command: "cargo reports",
    template: include_str!("locks.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let (measured, plan) = (&data.locks, &data.plan.locks);
    let rate = |lock, threads| measured.spread(lock, threads);
    let rates = Figures::of(LockContender::ALL, measured.threads(), rate);
    // The inverse of its speedup.
    let ratio = |lock, threads| measured.speedup(LockContender::Unmetered, lock, threads);
    let ratios = Figures::of(&LockContender::ALL[1..], measured.threads(), ratio);
    let context = json!({
        "warm_up": milliseconds(plan.scenario.warm_up),
        "window": milliseconds(plan.scenario.window),
        "rounds": plan.rounds,
        "plot_svg": rates.chart("Acquisitions per millisecond by threads", "acquisitions per ms", None)?,
        "rates": rates.grid("Acquisitions per millisecond, all threads together. More is better.", number),
        "ratio_svg": ratios.chart("Time an acquisition over the unmetered lock's by threads", "times as long", Some((1.0, "1: not metered")))?,
        "ratios": ratios.grid("Time an acquisition over that of the lock that is not metered, round by round. Less is better, 1 is free.", times),
    });
    let what = "A read lock, time an acquisition over that of one not metered";
    Ok(View {
        headlines: ratios_headline(what, &ratios).into_iter().collect(),
        context,
    })
}

/// "What: name, from the least to the greatest; and so on."
pub(super) fn ratios_headline(what: &str, ratios: &Figures<'_>) -> Option<String> {
    let span = |line: &Line<'_>| Some(format!("{} {}", line.name, ratios.medians(line).span()?));
    let spans: Vec<String> = ratios.lines.iter().filter_map(span).collect();
    let spans = (!spans.is_empty()).then(|| spans.join("; "))?;
    Some(format!("{what}: {spans}."))
}
