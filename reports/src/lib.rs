//! The report: what is gathered ([`Data`]), by which [`Plan`], and the page and
//! the tables that are drawn from it.
//!
//! The page is a function of the data alone, so a report can be drawn again
//! from its `data.json` ([`Report::open`]).

#![forbid(unsafe_code)]

mod counterexamples;
mod data;
mod format;
mod gather;
mod model_runs;
mod output;
mod page;
mod performance;
mod plan;
mod plot;
mod progress;
pub mod published;
mod sections;
mod tables;
mod torture;
mod usl;

pub use counterexamples::Drawn;
pub use data::{Data, HarnessCost};
pub use gather::{expected, gather};
pub use model_runs::{ModelRun, Verdict, models_for};
pub use output::{Destination, Report};
pub use performance::{Beside, Performance};
pub use plan::{Effort, PerformancePlan, Plan, Repeated, ThreadCounts};
pub use progress::Progress;
pub use published::{Published, published};
pub use torture::{committed, courses_for};
