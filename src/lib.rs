//! An interval statistic.

pub mod accumulator;
pub mod extremes;
pub mod gathered;
pub mod hadoop;
pub mod labels;
pub mod moments;
mod rounding;
pub mod snapshot;
pub mod welford;

pub use accumulator::{Accumulator, Interval};
pub use extremes::Extremes;
pub use gathered::{BatchError, Gathered};
pub use labels::{Detail, EmptyLabel, Labels, Part};
pub use moments::Moments;
pub use snapshot::{Emit, Snapshot};
pub use welford::Welford;
