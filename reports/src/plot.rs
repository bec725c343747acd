//! Line charts over thread counts.

mod draw;
mod style;

pub(crate) use style::Style;

use anyhow::{Result, anyhow};
use benches::Spread;

/// A chart over thread counts, both axes logarithmic.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// What it shows, for who cannot see it.
    pub(crate) title: String,
    /// What the values count.
    pub(crate) unit: String,
    /// The lines.
    pub(crate) series: Vec<Series>,
    /// A value that divides good from bad, with what it is called.
    pub(crate) threshold: Option<(f64, &'static str)>,
}

/// A line through medians, with whiskers from the least to the greatest.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) style: Style,
    pub(crate) points: Vec<(usize, Spread)>,
}

impl Chart {
    /// The chart as an SVG element; `None` if there is nothing to show.
    pub(crate) fn svg(&self) -> Result<Option<String>> {
        if self.series.iter().all(|series| series.points.is_empty()) {
            return Ok(None);
        }
        let drawn = draw::svg(self).map_err(|error| anyhow!("chart '{}': {error}", self.title))?;
        Ok(Some(drawn))
    }
}
