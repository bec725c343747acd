//! The guarantees of the statistics, stated once and checked on everything that
//! runs them.

pub mod batch;
pub mod catalogue;
pub mod edges;
pub mod engine;
pub mod explore;
pub mod guarantees;
pub mod history;
pub mod judge;
pub mod ladder;
pub mod linearization;
pub mod model;
pub mod mutant;
pub mod observed;
pub mod outcome;
pub mod results;
pub mod scenario;
pub mod specimen;
pub mod statistic;
#[cfg(feature = "shuttle")]
pub mod store_buffers;
pub mod stress;
pub mod subject;
pub mod trace;
pub mod witness;
