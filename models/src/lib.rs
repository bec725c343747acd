//! The guarantees of the statistics, stated once and checked on everything that
//! runs them.

pub mod arithmetic;
pub mod batch;
pub mod catalogue;
pub mod engine;
pub mod explore;
pub mod guarantees;
pub mod history;
pub mod linearization;
pub mod model;
pub mod mutant;
pub mod observed;
pub mod outcome;
pub mod readme;
pub mod results;
pub mod scenario;
pub mod specimen;
pub mod statistic;
#[cfg(feature = "shuttle")]
pub mod store_buffers;
pub mod subject;
pub mod torture;
pub mod trace;
pub mod verdicts;
pub mod witness;
