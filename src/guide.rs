//! The guide, a chapter each.

#![forbid(unsafe_code)]

#[doc = include_str!("../docs/guide/statistics.md")]
pub mod statistics {}

#[doc = include_str!("../docs/guide/locks.md")]
pub mod locks {}

#[cfg(feature = "quantiles")]
#[doc = include_str!("../docs/guide/quantiles.md")]
pub mod quantiles {}

#[doc = include_str!("../docs/guide/reports.md")]
pub mod reports {}

#[cfg(feature = "quantiles")]
#[doc = include_str!("../docs/guide/coming_from.md")]
pub mod coming_from {}

#[doc = include_str!("../docs/guide/something_else.md")]
pub mod something_else {}
