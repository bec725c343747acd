//! The figures published with HDDS-9377 (see `published/README.md`).

use serde::{Deserialize, Serialize};

/// One thread count of one published table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The machine.
    pub arch: String,
    /// `burst` or `steady`.
    pub scenario: String,
    /// How many threads add.
    pub threads: usize,
    /// What the figures count.
    pub unit: String,
    /// Hadoop's statistic.
    pub mutable_stat: f64,
    /// The merged, striped statistic.
    pub concurrent_mutable_stat: f64,
    /// How many times better the second is, as published.
    pub published_speedup: f64,
}

/// The table's text.
pub(crate) const CSV: &str = include_str!("../published/hdds-9377-published.csv");

/// All of them.
#[must_use]
pub fn published() -> Vec<Published> {
    parse(CSV).expect("the table that is compiled in can be read")
}

/// Such a table.
///
/// # Errors
///
/// If a line is none of it.
pub fn parse(table: &str) -> Result<Vec<Published>, csv::Error> {
    csv::Reader::from_reader(table.as_bytes())
        .deserialize()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speedups_are_those_of_the_figures() {
        let rows = published();
        assert_eq!(rows.len(), 24);
        for row in rows {
            let (old, new) = (row.mutable_stat, row.concurrent_mutable_stat);
            let speedup = if row.unit == "us_per_burst" {
                old / new
            } else {
                new / old
            };
            let off = (speedup / row.published_speedup - 1.0).abs();
            assert!(off < 0.15, "{row:?}: {speedup}");
        }
    }
}
