//! Drawing with plotters.

use super::style::{GRID, INK, Marker};
use super::{Across, Chart, Series, Style};
use crate::format;
use plotters::coord::combinators::WithKeyPoints;
use plotters::coord::{CoordTranslate, Shift};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::collections::BTreeSet;
use std::error::Error;
use std::ops::Range;

type Drawn = Result<(), Box<dyn Error>>;
type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const WIDTH: u32 = 760;
const PLOT_HEIGHT: u32 = 380;
const LEGEND_ROW: u32 = 22;
const TEXT: u32 = 14;
/// Left of the plot: for the labels of the values.
const LEFT: u32 = 84;
/// Beyond the outermost points, as a factor.
const ROOM: f64 = 1.2;

pub(super) fn svg(chart: &Chart) -> Result<String, Box<dyn Error>> {
    let rows = chart.series.len().div_ceil(legend_columns(&chart.series));
    let legend_height = LEGEND_ROW * rows as u32 + 8;
    let mut svg = String::new();
    {
        let size = (WIDTH, PLOT_HEIGHT + legend_height);
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let (legend, plot) = canvas.split_vertically(legend_height);
        draw_legend(&legend, &chart.series)?;
        draw_plot(&plot, chart)?;
        canvas.present()?;
    }
    Ok(described(&svg, &chart.title))
}

/// Named for screen readers, and as large as the page lets it be.
fn described(svg: &str, title: &str) -> String {
    let title = title
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;");
    svg.replacen(
        "<svg ",
        &format!("<svg role=\"img\" aria-label=\"{title}\" "),
        1,
    )
}

/// As many as the names leave room for.
fn legend_columns(series: &[Series]) -> usize {
    let longest = series
        .iter()
        .map(|series| series.name.chars().count())
        .max();
    if longest.unwrap_or(0) > 24 { 2 } else { 3 }
}

fn draw_legend(canvas: &Canvas<'_>, series: &[Series]) -> Drawn {
    let columns = legend_columns(series);
    let column = (WIDTH - LEFT) as usize / columns;
    for (place, series) in series.iter().enumerate() {
        let x = LEFT as usize + place % columns * column;
        let y = place / columns * LEGEND_ROW as usize + 14;
        let (x, y) = (x as i32, y as i32);
        let line = vec![(x, y), (x + 28, y)];
        canvas.draw(&PathElement::new(line, series.style.color.stroke_width(2)))?;
        draw_marker(canvas, (x + 14, y), series.style)?;
        let text = Text::new(series.name.clone(), (x + 36, y - 6), text_style());
        canvas.draw(&text)?;
    }
    Ok(())
}

fn text_style() -> TextStyle<'static> {
    ("sans-serif", TEXT).into_font().color(&INK)
}

fn draw_plot(canvas: &Canvas<'_>, chart: &Chart) -> Drawn {
    let (places, values) = (places_of(chart), values_of(chart));
    let (marks, unit) = chart.across.marks(&places);
    let mut context = ChartBuilder::on(canvas)
        .margin_right(14)
        .margin_top(8)
        .x_label_area_size(44)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(
            padded(&places, ROOM).log_scale().with_key_points(marks),
            padded(&values, ROOM)
                .log_scale()
                .with_key_points(ticks(&values)),
        )?;
    context
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text_style())
        .x_desc(unit)
        .y_desc(chart.unit.as_str())
        .x_label_formatter(&|&place| format::tick(place))
        .y_label_formatter(&|&value| format::tick(value))
        .draw()?;
    let area = context.plotting_area();
    if let Some((value, name)) = chart.threshold {
        draw_threshold(area, value, name)?;
    }
    chart
        .series
        .iter()
        .try_for_each(|series| draw_series(area, series))
}

/// Where points are, ascending.
fn places_of(chart: &Chart) -> Vec<f64> {
    let points = chart.series.iter().flat_map(|series| &series.points);
    let places: BTreeSet<usize> = points.map(|point| point.0).collect();
    places.into_iter().map(|place| place as f64).collect()
}

impl Across {
    /// What the axis is marked with, and what it counts.
    fn marks(self, places: &[f64]) -> (Vec<f64>, &'static str) {
        match self {
            Self::Threads => (places.to_vec(), "threads"),
            Self::IntervalsASecond => (ticks(places), "intervals a second"),
            Self::Stripes => (places.to_vec(), "stripes"),
            Self::OneIn => (places.to_vec(), "one add in so many takes longer"),
        }
    }
}

/// The ends of all whiskers, and the threshold.
fn values_of(chart: &Chart) -> Vec<f64> {
    let points = chart.series.iter().flat_map(|series| &series.points);
    let ends = points.flat_map(|(_, spread)| [spread.min, spread.max]);
    ends.chain(chart.threshold.map(|threshold| threshold.0))
        .collect()
}

/// From the least to the greatest, and a little room.
fn padded(values: &[f64], room: f64) -> Range<f64> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(0.0, f64::max);
    least / room..greatest * room
}

/// Round numbers, the closer the fewer decades there are.
fn ticks(values: &[f64]) -> Vec<f64> {
    let Range { start, end } = padded(values, ROOM);
    let steps: &[f64] = match end / start {
        ratio if ratio < 10.0 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
        ratio if ratio < 2e3 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let decades = start.log10().floor() as i32..=end.log10().ceil() as i32;
    decades
        .flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)))
        .filter(|tick| (start..end).contains(tick))
        .collect()
}

type Plane = Cartesian2d<LogWithKeyPoints, LogWithKeyPoints>;
type LogWithKeyPoints = WithKeyPoints<LogCoord<f64>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Plane>;

fn draw_series(area: &Area<'_>, series: &Series) -> Drawn {
    let Style { color, .. } = series.style;
    let points = || {
        series
            .points
            .iter()
            .map(|&(threads, spread)| (threads as f64, spread))
    };
    for (x, spread) in points() {
        let whisker = vec![(x, spread.min), (x, spread.max)];
        area.draw(&PathElement::new(whisker, color.stroke_width(1)))?;
    }
    let line: Vec<_> = points().map(|(x, spread)| (x, spread.median)).collect();
    area.draw(&PathElement::new(line.clone(), color.stroke_width(2)))?;
    line.into_iter()
        .try_for_each(|at| draw_marker(area, at, series.style))
}

/// A dashed line across, named where few points are: a third of the way.
fn draw_threshold(area: &Area<'_>, value: f64, name: &str) -> Drawn {
    let Range { start, end } = area.get_x_range();
    area.draw(&DashedPathElement::new(
        [(start, value), (end, value)],
        6,
        4,
        INK,
    ))?;
    let third = start * (end / start).powf(1.0 / 3.0);
    let label = Text::new(name.to_owned(), (0, -18), text_style());
    Ok(area.draw(&(EmptyElement::at((third, value)) + label))?)
}

fn draw_marker<C: CoordTranslate>(
    area: &DrawingArea<SVGBackend<'_>, C>,
    at: C::From,
    style: Style,
) -> Drawn
where
    C::From: Clone,
{
    let fill = style.color.filled();
    let place = EmptyElement::at(at);
    match style.marker.corners() {
        Some(corners) => area.draw(&(place + Polygon::new(corners, fill)))?,
        None => area.draw(&(place + Circle::new((0, 0), 4, fill)))?,
    }
    Ok(())
}

impl Marker {
    /// Around the point, in pixels; a circle has none.
    fn corners(self) -> Option<Vec<(i32, i32)>> {
        match self {
            Self::Circle => None,
            Self::Square => Some(vec![(-4, -4), (4, -4), (4, 4), (-4, 4)]),
            Self::Diamond => Some(vec![(0, -6), (6, 0), (0, 6), (-6, 0)]),
            Self::TriangleUp => Some(vec![(0, -6), (6, 4), (-6, 4)]),
            Self::TriangleDown => Some(vec![(0, 6), (6, -4), (-6, -4)]),
            Self::Bar => Some(vec![(-6, -2), (6, -2), (6, 2), (-6, 2)]),
            Self::Hourglass => Some(vec![(-5, -5), (5, -5), (-5, 5), (5, 5)]),
        }
    }
}
