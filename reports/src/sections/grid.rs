//! Tables and charts of contenders by threads.

use crate::format::times;
use crate::plot::{Across, Chart, Series, Style};
use anyhow::Result;
use benches::{Entrant, Spread, Threads};
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

/// A figure by threads.
pub(crate) struct Line<'a> {
    pub(crate) name: String,
    pub(crate) style: Style,
    pub(crate) spread: Box<dyn Fn(Threads) -> Option<Spread> + 'a>,
}

impl<'a> Line<'a> {
    /// Of a contender.
    pub(crate) fn of<C: Entrant + Into<Style>>(
        contender: C,
        spread: impl Fn(C, Threads) -> Option<Spread> + 'a,
    ) -> Self {
        Self {
            name: contender.name().to_owned(),
            style: contender.into(),
            spread: Box::new(move |threads| spread(contender, threads)),
        }
    }
}

/// Some figures by threads, as table and as chart.
pub(crate) struct Figures<'a> {
    pub(crate) threads: Vec<Threads>,
    pub(crate) lines: Vec<Line<'a>>,
}

impl<'a> Figures<'a> {
    /// A line a contender.
    pub(crate) fn of<C: Entrant + Into<Style>>(
        contenders: &[C],
        threads: Vec<Threads>,
        spread: impl Fn(C, Threads) -> Option<Spread> + Copy + 'a,
    ) -> Self {
        let line = |&contender: &C| Line::of(contender, spread);
        Self {
            threads,
            lines: contenders.iter().map(line).collect(),
        }
    }

    /// A row a thread count, a column a line.
    pub(crate) fn grid(&self, caption: &str, show: fn(f64) -> String) -> Grid {
        let row = |&threads: &Threads| Row {
            head: threads.to_string(),
            cells: self
                .lines
                .iter()
                .map(|line| Cell::spread((line.spread)(threads), show))
                .collect(),
        };
        Grid {
            caption: caption.to_owned(),
            corner: "threads",
            columns: self.lines.iter().map(|line| line.name.clone()).collect(),
            rows: self.threads.iter().map(row).collect(),
        }
    }

    /// A curve a line.
    pub(crate) fn chart(
        &self,
        title: &str,
        unit: &str,
        threshold: Option<(f64, &'static str)>,
    ) -> Result<Option<String>> {
        let chart = Chart {
            title: title.to_owned(),
            across: Across::Threads,
            unit: unit.to_owned(),
            series: self.lines.iter().map(|line| self.series(line)).collect(),
            threshold,
        };
        chart.svg()
    }

    fn series(&self, line: &Line<'_>) -> Series {
        let point = |&threads: &Threads| Some((threads.get(), (line.spread)(threads)?));
        let points = self.threads.iter().filter_map(point);
        Series::new(line.name.clone(), line.style, points)
    }

    /// The medians of a line, each with its thread count.
    pub(crate) fn medians(&self, line: &Line<'_>) -> Medians {
        let median = |&threads: &Threads| Some((threads, (line.spread)(threads)?.median));
        Medians(self.threads.iter().filter_map(median).collect())
    }
}

/// Medians, each with its thread count.
pub(crate) struct Medians(pub(crate) Vec<(Threads, f64)>);

impl Medians {
    /// From the least to the greatest: "2.00× (1 thread) to 9.00× (80 threads)".
    pub(crate) fn span(&self) -> Option<String> {
        let by_median = |a: &&(Threads, f64), b: &&(Threads, f64)| a.1.total_cmp(&b.1);
        let least = self.0.iter().min_by(by_median)?;
        let greatest = self.0.iter().max_by(by_median)?;
        if least == greatest {
            return Some(at(least));
        }
        Some(format!("{} to {}", at(least), at(greatest)))
    }

    /// At which thread counts they are below 1: "60, 80".
    pub(crate) fn below_one(&self) -> String {
        let below = self.0.iter().filter(|(_, median)| *median < 1.0);
        let threads: Vec<String> = below.map(|(threads, _)| threads.to_string()).collect();
        threads.join(", ")
    }
}

fn at(&(threads, median): &(Threads, f64)) -> String {
    let plural = if threads.get() == 1 { "" } else { "s" };
    format!("{} ({threads} thread{plural})", times(median))
}
