//! One interval statistic (count, mean, standard deviation, min, max), twice:
//!
//! - [`MutableStat`]: Apache Hadoop's, behind one mutex, its arithmetic bit for
//!   bit.
//! - [`ConcurrentMutableStat`]: striped over threads, with a wait-free `add` and
//!   a drain that is exact whatever the threads do, and exact arithmetic.
//!
//! Both are an [`IntervalStat`]: threads add samples, a reporter closes interval
//! after interval with [`snapshot`](IntervalStat::snapshot).
//!
//! Around them is what services need: [`Rate`]s and timers, [`LockMetrics`] and
//! [`metered`] locks, quantiles (feature `quantiles`), a [`registry`] of sources,
//! and exports. Features only add; the default has none.
//!
//! Where to read on:
//!
//! - [`guide`]: how to use it, a chapter each.
//! - [`striped`]: the concurrent protocol, with the reason for each ordering.
//! - [`moments`] and [`welford`]: the two ways to do the arithmetic.
//! - [`gathered`]: interval, previous interval and lifetime, without any
//!   concurrency.
//! - [`hadoop`]: the record that Hadoop would emit, with its quirks.
//! - [`runtime`]: how one source runs natively, under loom and under shuttle.
//!
//! What each guarantees, and what shows it, is in the repository's `README.md`
//! and `models/README.md`.

pub mod accumulator;
pub mod concurrent_mutable_stat;
#[cfg(feature = "quantiles")]
pub mod distribution;
#[cfg(any(feature = "metrics", feature = "opentelemetry", feature = "prometheus"))]
pub mod export;
pub mod extremes;
pub mod gathered;
pub mod guide;
pub mod hadoop;
mod interval_stat;
pub mod labels;
pub mod lock_metrics;
pub mod metered;
pub mod moments;
pub mod mutable_stat;
#[cfg(feature = "quantiles")]
pub mod performance_metrics;
#[cfg(feature = "quantiles")]
mod quantile;
pub mod rate;
pub mod registry;
mod rounding;
// `unsafe impl` only: who implements a runtime vouches for it.
#[allow(unsafe_code)]
pub mod runtime;
#[cfg(feature = "serde")]
mod serial;
pub mod snapshot;
// The one place for unsafe operations.
#[allow(unsafe_code)]
pub mod striped;
pub mod sync;
pub mod time;
pub mod welford;

pub use accumulator::{Accumulator, Interval};
pub use concurrent_mutable_stat::ConcurrentMutableStat;
#[cfg(feature = "quantiles")]
pub use distribution::Distribution;
pub use extremes::Extremes;
pub use gathered::{BatchError, Gathered};
pub use interval_stat::IntervalStat;
pub use labels::{Detail, EmptyLabel, Labels, Part};
pub use lock_metrics::{LockMetrics, LockSnapshot, LockTimes};
pub use metered::{Held, Metered};
pub use moments::Moments;
pub use mutable_stat::MutableStat;
#[cfg(feature = "quantiles")]
pub use performance_metrics::{PerformanceMetrics, PerformanceSnapshot, Window, WindowError};
#[cfg(feature = "quantiles")]
pub use quantile::{NoQuantile, Quantile};
pub use rate::{ConcurrentMutableRate, MutableRate, Rate, Timer};
pub use snapshot::{Emit, Snapshot};
pub use striped::{Recorder, Striped};
pub use welford::Welford;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
