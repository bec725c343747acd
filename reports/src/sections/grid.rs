//! Tables and charts of contenders by threads.

use crate::format::times;
use crate::plot::{Chart, Series, Style};
use anyhow::Result;
use benches::{Contender, Spread, Threads};
use serde::Serialize;

/// A table with a row a thread count.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Grid {
    pub(crate) caption: String,
    pub(crate) corner: &'static str,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) head: String,
    pub(crate) cells: Vec<Cell>,
}

/// A figure and its range.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cell {
    pub(crate) figure: String,
    pub(crate) range: String,
}

impl Cell {
    pub(crate) fn text(figure: impl Into<String>) -> Self {
        Self {
            figure: figure.into(),
            range: String::new(),
        }
    }

    /// Median, and least to greatest; a dash for nothing.
    pub(crate) fn spread(spread: Option<Spread>, show: fn(f64) -> String) -> Self {
        match spread {
            None => Self::text("–"),
            Some(Spread {
                min, median, max, ..
            }) => Self {
                figure: show(median),
                range: format!("{} … {}", show(min), show(max)),
            },
        }
    }
}

/// A figure by contender and threads, as table and as chart.
pub(crate) struct Figures<'a> {
    pub(crate) contenders: &'a [Contender],
    pub(crate) threads: Vec<Threads>,
    pub(crate) spread: &'a dyn Fn(Contender, Threads) -> Option<Spread>,
}

impl Figures<'_> {
    /// A row a thread count, a column a contender.
    pub(crate) fn grid(&self, caption: &str, show: fn(f64) -> String) -> Grid {
        let cell = |threads| {
            move |&contender: &Contender| Cell::spread((self.spread)(contender, threads), show)
        };
        let row = |&threads: &Threads| Row {
            head: threads.to_string(),
            cells: self.contenders.iter().map(cell(threads)).collect(),
        };
        Grid {
            caption: caption.to_owned(),
            corner: "threads",
            columns: self
                .contenders
                .iter()
                .map(|contender| contender.name().to_owned())
                .collect(),
            rows: self.threads.iter().map(row).collect(),
        }
    }

    /// A line a contender. What is not above zero has no place on a logarithmic
    /// axis.
    pub(crate) fn chart(
        &self,
        title: &str,
        unit: &str,
        threshold: Option<(f64, &'static str)>,
    ) -> Result<Option<String>> {
        let chart = Chart {
            title: title.to_owned(),
            unit: unit.to_owned(),
            series: self
                .contenders
                .iter()
                .map(|&contender| self.series(contender))
                .collect(),
            threshold,
        };
        chart.svg()
    }

    fn series(&self, contender: Contender) -> Series {
        let point = |&threads: &Threads| Some((threads.get(), (self.spread)(contender, threads)?));
        let points = self.threads.iter().filter_map(point);
        Series {
            name: contender.name().to_owned(),
            style: Style::from(contender),
            points: points.filter(|(_, spread)| spread.min > 0.0).collect(),
        }
    }

    /// A contender's least and greatest median, each with its thread count.
    pub(crate) fn extremes(&self, contender: Contender) -> Option<Extremes> {
        let median =
            |&threads: &Threads| Some((threads, (self.spread)(contender, threads)?.median));
        let medians: Vec<_> = self.threads.iter().filter_map(median).collect();
        let by_median = |a: &&(Threads, f64), b: &&(Threads, f64)| a.1.total_cmp(&b.1);
        Some(Extremes {
            least: *medians.iter().min_by(by_median)?,
            greatest: *medians.iter().max_by(by_median)?,
        })
    }
}

/// The least and the greatest figure, each with its thread count.
pub(crate) struct Extremes {
    pub(crate) least: (Threads, f64),
    pub(crate) greatest: (Threads, f64),
}

impl Extremes {
    /// "2.00× (1 thread) to 9.00× (80 threads)".
    pub(crate) fn span(&self) -> String {
        let at = |(threads, value): (Threads, f64)| {
            let plural = if threads.get() == 1 { "" } else { "s" };
            format!("{} ({threads} thread{plural})", times(value))
        };
        if self.least.0 == self.greatest.0 {
            return at(self.least);
        }
        format!("{} to {}", at(self.least), at(self.greatest))
    }
}

/// Time by thread count, in nanoseconds an add.
pub(crate) fn nanoseconds(ops_per_ms: Option<Spread>) -> Option<Spread> {
    ops_per_ms?.map(|rate| 1e6 / rate)
}
