//! The instructions of an add, each with the line of source that it is of.
//!
//! The functions here are what `cargo assembly` compiles for each target; what
//! comes out is committed in `listings.json`.

#![forbid(unsafe_code)]

mod listing;

pub use listing::{Instruction, Listing, Step, instructions};

use interval_stat::{ConcurrentMutableStat, IntervalStat, Moments, Recorder};

/// An add through a recorder, and nothing else.
#[inline(never)]
pub fn add_by_recorder(recorder: &mut Recorder<'_, Moments>, sample: i64) {
    recorder.add(sample);
}

/// An add that looks the thread's stripe up, and nothing else.
#[inline(never)]
pub fn add_by_look_up(stat: &ConcurrentMutableStat, sample: i64) {
    stat.add(sample);
}
