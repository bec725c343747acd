//! Line charts, mostly over thread counts.

mod draw;
mod style;

pub(crate) use style::Style;

use anyhow::{Result, anyhow};
use benches::Spread;

/// A chart, both axes logarithmic.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// What it shows, for who cannot see it.
    pub(crate) title: String,
    /// What it is drawn over.
    pub(crate) across: Across,
    /// What the values count.
    pub(crate) unit: String,
    /// The lines.
    pub(crate) series: Vec<Series>,
    /// A value that divides good from bad, with what it is called.
    pub(crate) threshold: Option<(f64, &'static str)>,
}

/// What a chart is drawn over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Across {
    /// Few numbers, the same for all lines.
    Threads,
    /// What came out, different for each point.
    IntervalsASecond,
    /// Few numbers, the same for all lines.
    Stripes,
    /// How many there are to the one that is beyond the value.
    OneIn,
}

/// A line through medians, with whiskers from the least to the greatest.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    name: String,
    style: Style,
    points: Vec<(usize, Spread)>,
}

impl Series {
    /// What is not above zero has no place on a logarithmic axis: such points
    /// are left out.
    pub(crate) fn new(
        name: impl Into<String>,
        style: Style,
        points: impl IntoIterator<Item = (usize, Spread)>,
    ) -> Self {
        let points = points.into_iter();
        Self {
            name: name.into(),
            style,
            points: points
                .filter(|&(at, spread)| at > 0 && spread.min > 0.0)
                .collect(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use benches::Contender;

    fn chart(points: &[(usize, f64)]) -> Option<String> {
        let points = points
            .iter()
            .map(|&(threads, value)| (threads, Spread::of([value]).unwrap()));
        let series = Series::new("a < b", Contender::Mutex.into(), points);
        let chart = Chart {
            title: "\"a\" & b".to_owned(),
            across: Across::Threads,
            unit: "µs".to_owned(),
            series: vec![series],
            threshold: Some((1.0, "1: the same")),
        };
        chart.svg().unwrap()
    }

    #[test]
    fn zeros_have_no_place_on_a_logarithmic_axis() {
        assert_eq!(chart(&[(1, 0.0), (2, -1.0)]), None);
        assert!(chart(&[(1, 0.0), (2, 1.0)]).is_some());
    }

    #[test]
    fn one_point_and_many_decades_can_be_drawn() {
        assert!(chart(&[(1, 1.0)]).is_some());
        assert!(chart(&[(1, 1e-6), (1024, 1e9)]).is_some());
    }

    #[test]
    fn names_are_escaped() {
        let svg = chart(&[(1, 1.0)]).unwrap();
        assert!(svg.contains("a &lt; b"), "{svg}");
        assert!(svg.contains("&quot;a&quot; &amp; b"));
    }
}
