//! The guarantees of the statistics, stated once and checked on everything that
//! runs them.

#![forbid(unsafe_code)]

pub mod arithmetic;
pub mod batch;
pub mod catalogue;
pub mod counterexample;
pub mod edges;
pub mod engine;
pub mod environment;
pub mod explore;
pub mod golden;
pub mod guarantees;
pub mod history;
pub mod judge;
pub mod ladder;
pub mod linearization;
pub mod model;
pub mod mutant;
pub mod observed;
pub mod outcome;
#[cfg(feature = "loom")]
pub mod outcome_table;
pub mod readme;
pub mod reliability;
pub mod results;
pub mod scenario;
pub mod script;
pub mod soak;
pub mod specimen;
pub mod statistic;
#[cfg(feature = "shuttle")]
pub mod store_buffers;
pub mod stress;
pub mod subject;
pub mod table;
pub mod torture;
pub mod trace;
pub mod twisted;
pub mod unlogged;
pub mod verdicts;
pub mod witness;
