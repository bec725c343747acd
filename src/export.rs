//! Reports for others: each way behind a feature of its own.
//!
//! | feature | what | how |
//! | --- | --- | --- |
//! | `prometheus` | text that Prometheus and OpenMetrics scrapers read | `export::prometheus` |
//! | `serde` | JSON, or any other format of serde | a [`Report`](crate::registry::Report) and all in it are `Serialize` and `Deserialize` |
//! | `metrics` | the statistic as the storage of the `metrics` facade | `export::facade` |
//! | `opentelemetry` | observable instruments of OpenTelemetry | `export::opentelemetry` |

#![forbid(unsafe_code)]

#[cfg(feature = "metrics")]
pub mod facade;
#[cfg(feature = "opentelemetry")]
pub mod opentelemetry;
#[cfg(feature = "prometheus")]
pub mod prometheus;
