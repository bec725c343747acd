//! The merged algorithm of HDDS-9377, as a specimen: what Apache Ozone runs
//! today, over the same runtimes and behind the same trait as the statistics of
//! this repository, so that it is held to the same properties.
//!
//! Written from its description, with the concurrency of the original step by
//! step and its names for things: [`LongAdder`] and [`LongAccumulator`] as the
//! JDK builds them, reset as JDK 8 ([`Jdk8`]) or as JDK 9 and later ([`Jdk9`])
//! reset them, and the drain of [`Merged`] into Hadoop's `MutableStat`.
//!
//! Two repairs of it stand beside it, to be held to the same properties:
//! [`Combined`] takes each cell in one step, [`Phased`] drains when no add is
//! under way.
//!
//! Where it departs from Java, and why that changes no verdict:
//! - A table of cells is not copied when it grows: all cells that it may come to
//!   have lie in one array, and its size is a word. Java copies the references
//!   and the cells stay the same, too.
//! - A thread's probe, once advanced by a collision, lasts for the call; Java
//!   keeps it for the next call. That is a matter of speed.
//! - `lastStat` reads the parent under its lock; Java reads it without. What a
//!   reader sees half written is not modelled.

mod combined;
mod merged;
mod pending;
mod phased;
mod reset;
mod striped64;
mod volatile;

pub use combined::Combined;
pub use merged::Merged;
pub use phased::Phased;
pub use reset::{Jdk8, Jdk9, Reset};
pub use striped64::{Combine, LongAccumulator, LongAdder, Max, Min, Probes, Words};
pub use volatile::Volatile;
