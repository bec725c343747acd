//! For the report: an SVG document that brings its own light ground, so that it
//! reads as well on a dark page.

use svg::node::element::{Group, Rectangle, TSpan, Text, Title};
use svg::{Document, Node};
use textwrap::wrap;

use super::{Counterexample, LEGEND};
use crate::table::{Entry, Row, Table, Value};

const GROUND: &str = "#ffffff";
const INK: &str = "#1b1f24";
const FAINT: &str = "#6a737d";
const LINE: &str = "#d0d7de";
const FATAL: &str = "#cf222e";
const FATAL_GROUND: &str = "#ffdcd9";
const RIGHT: &str = "#1a7f37";
/// By column: the ground of a thread's steps.
const THREADS: [&str; 5] = ["#ddf0ff", "#fff1c9", "#e3f5e1", "#f1e5ff", "#ffe6f2"];

const SANS: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";
const MONO: &str = "Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const SIZE: f64 = 13.0;
/// How wide a character is, at most.
const MONO_WIDTH: f64 = 0.62 * SIZE;
const SANS_WIDTH: f64 = 0.56 * SIZE;
const LEADING: f64 = 19.0;
const MARGIN: f64 = 20.0;
/// Left of the table, for the mark.
const GUTTER: f64 = 56.0;
const PADDING: f64 = 8.0;
/// Characters in a thread's column, at most.
const CELL: usize = 36;

/// The whole picture.
pub(super) fn draw(example: &Counterexample) -> Document {
    let columns = Columns::of(&example.table);
    let width = columns.end().max(760.0) + MARGIN;
    let mut page = Page {
        content: Group::new(),
        y: MARGIN,
        width,
    };
    page.title(example);
    page.table(&example.table, &columns);
    page.notes(example);
    let height = page.y + MARGIN;
    Document::new()
        .set("viewBox", (0, 0, width.ceil() as i64, height.ceil() as i64))
        .set("width", width.ceil())
        .set("height", height.ceil())
        .set("role", "img")
        .set("font-size", SIZE)
        .set("fill", INK)
        .add(Title::new(format!(
            "{}: {}",
            example.subject.name, example.subject.title
        )))
        .add(
            rectangle(0.5, 0.5, width - 1.0, height - 1.0)
                .set("fill", GROUND)
                .set("stroke", LINE)
                .set("rx", 6),
        )
        .add(page.content)
}

/// Where the columns lie, and what is in them.
struct Columns {
    /// Left edge and width of each thread's column.
    threads: Vec<(f64, f64)>,
    /// Name, left edge and width of each word's column.
    words: Vec<(String, f64, f64)>,
}

impl Columns {
    fn of(table: &Table) -> Self {
        let mut left = MARGIN + GUTTER;
        let mut next = |characters: usize| {
            let width = characters as f64 * MONO_WIDTH + 2.0 * PADDING;
            left += width;
            (left - width, width)
        };
        let threads = (0..table.columns.len()).map(|column| {
            let rows = table.rows.iter().filter(|row| row.column == column);
            let lines = rows.flat_map(|row| cell(&row.entry));
            let longest = lines.map(|line| line.chars().count()).max();
            next(
                longest
                    .unwrap_or(0)
                    .max(table.columns[column].chars().count()),
            )
        });
        let threads = threads.collect();
        let words = table.rows.last().map_or(&[][..], |row| &row.state);
        let words = words.iter().map(|word| {
            let (left, width) = next(word_width(table, &word.object));
            (word.object.clone(), left, width)
        });
        let words = words.collect();
        Self { threads, words }
    }

    fn end(&self) -> f64 {
        let words = self.words.last().map(|(_, left, width)| left + width);
        let threads = self.threads.last().map(|(left, width)| left + width);
        words.or(threads).unwrap_or(MARGIN)
    }
}

fn word_width(table: &Table, object: &str) -> usize {
    let values = table.rows.iter().filter_map(|row| held(row, object));
    let values = values.map(|value| value.value.chars().count());
    values.max().unwrap_or(0).max(object.chars().count())
}

fn held<'a>(row: &'a Row, object: &str) -> Option<&'a Value> {
    row.state.iter().find(|value| value.object == object)
}

/// The lines of a cell.
fn cell(entry: &Entry) -> Vec<String> {
    let text = entry.to_string();
    let lines = wrap(&text, CELL).into_iter();
    lines.map(std::borrow::Cow::into_owned).collect()
}

/// Draws from top to bottom.
struct Page {
    content: Group,
    y: f64,
    width: f64,
}

impl Page {
    fn add(&mut self, node: impl Into<Box<dyn Node>>) {
        self.content.append(node);
    }

    fn title(&mut self, example: &Counterexample) {
        let subject = &example.subject;
        self.y += SIZE;
        let title = sans(
            MARGIN,
            self.y,
            &format!("{}: {}", subject.name, subject.title),
        );
        self.add(title.set("font-size", 18).set("font-weight", "bold"));
        self.y += LEADING / 2.0;
        self.paragraph(
            MARGIN,
            &format!("{}. {}", subject.statistic, subject.program),
            INK,
        );
        self.paragraph(MARGIN, &example.size(), FAINT);
        self.y += LEADING / 2.0;
    }

    /// Sans-serif lines from `left` to the right margin.
    fn paragraph(&mut self, left: f64, text: &str, ink: &str) {
        let characters = ((self.width - MARGIN - left) / SANS_WIDTH) as usize;
        for line in wrap(text, characters) {
            self.y += LEADING;
            let line = sans(left, self.y, &line).set("fill", ink);
            self.add(line);
        }
    }

    fn table(&mut self, table: &Table, columns: &Columns) {
        self.headings(table, columns);
        for (index, row) in table.rows.iter().enumerate() {
            self.row(row, columns, table.fatal == Some(index));
        }
        self.y += LEADING / 2.0;
    }

    fn headings(&mut self, table: &Table, columns: &Columns) {
        self.y += LEADING;
        for (heading, &(left, _)) in table.columns.iter().zip(&columns.threads) {
            let heading = sans(left + PADDING, self.y, heading).set("font-weight", "bold");
            self.add(heading);
        }
        for (word, left, width) in &columns.words {
            let heading = mono(left + width - PADDING, self.y, word);
            self.add(heading.set("text-anchor", "end").set("fill", FAINT));
        }
        self.y += PADDING;
        let line = rectangle(MARGIN, self.y, self.width - 2.0 * MARGIN, 1.0);
        self.add(line.set("fill", LINE));
        self.y += 3.0;
    }

    fn row(&mut self, row: &Row, columns: &Columns, fatal: bool) {
        let lines = cell(&row.entry);
        let height = lines.len() as f64 * LEADING + 2.0;
        let (left, width) = columns.threads[row.column];
        if fatal {
            self.fatal_band(height);
        }
        let ground = THREADS[row.column % THREADS.len()];
        let ground = rectangle(left + 2.0, self.y + 1.0, width - 4.0, height - 2.0)
            .set("fill", ground)
            .set("rx", 3);
        self.add(if fatal {
            ground.set("stroke", FATAL).set("stroke-width", 1.5)
        } else {
            ground
        });
        let baseline = self.y + LEADING - 5.0;
        for (index, line) in lines.iter().enumerate() {
            let y = baseline + index as f64 * LEADING;
            self.add(entry_line(&row.entry, line, left + PADDING, y));
        }
        for (word, left, width) in &columns.words {
            if let Some(value) = held(row, word) {
                self.add(state_value(value, left + width - PADDING, baseline));
            }
        }
        self.y += height;
    }

    fn fatal_band(&mut self, height: f64) {
        let band = rectangle(MARGIN, self.y, self.width - 2.0 * MARGIN, height);
        self.add(band.set("fill", FATAL_GROUND));
        let label = sans(MARGIN + 4.0, self.y + LEADING - 5.0, "fatal ▶");
        self.add(label.set("fill", FATAL).set("font-weight", "bold"));
    }

    fn notes(&mut self, example: &Counterexample) {
        let marked = format!("Marked: {}.", example.fatal);
        self.paragraph(MARGIN, &marked, FATAL);
        self.y += LEADING / 2.0;
        self.figures("reported", &example.reported, FATAL);
        self.figures("right", &example.right, RIGHT);
        self.y += LEADING / 2.0;
        self.paragraph(
            MARGIN,
            &format!("{}.", example.fault.trim_end_matches('.')),
            FATAL,
        );
        self.paragraph(MARGIN, &example.subject.explanation, INK);
        self.paragraph(
            MARGIN,
            &format!("Again: {}", example.subject.command),
            FAINT,
        );
        self.paragraph(MARGIN, LEGEND, FAINT);
    }

    /// Lines of figures beside a coloured bar.
    fn figures(&mut self, label: &str, lines: &[String], colour: &str) {
        if lines.is_empty() {
            return;
        }
        let top = self.y + 4.0;
        for (index, line) in lines.iter().enumerate() {
            self.y += LEADING;
            if index == 0 {
                let label = sans(MARGIN + 10.0, self.y, label).set("fill", colour);
                self.add(label.set("font-weight", "bold"));
            }
            let line = mono(MARGIN + 90.0, self.y, line);
            self.add(line);
        }
        let bar = rectangle(MARGIN, top, 4.0, self.y + 4.0 - top).set("fill", colour);
        self.add(bar);
    }
}

/// A line of a cell; the ordering, which comes last, is faint.
fn entry_line(entry: &Entry, line: &str, x: f64, y: f64) -> Text {
    match entry {
        Entry::Step { ordering, .. } if !ordering.is_empty() && line.ends_with(ordering) => {
            let step = line.trim_end_matches(ordering);
            mono(x, y, step).add(TSpan::new(*ordering).set("fill", FAINT))
        }
        Entry::Began { .. } | Entry::Ended { .. } => mono(x, y, line).set("font-weight", "bold"),
        Entry::Failed { .. } => mono(x, y, line)
            .set("font-weight", "bold")
            .set("fill", FATAL),
        Entry::Step { .. } | Entry::Whole { .. } => mono(x, y, line),
    }
}

/// What this row left there stands out.
fn state_value(value: &Value, right: f64, y: f64) -> Text {
    let text = mono(right, y, &value.value).set("text-anchor", "end");
    if value.written {
        text.set("font-weight", "bold")
    } else {
        text.set("fill", FAINT)
    }
}

fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Rectangle {
    Rectangle::new()
        .set("x", tenths(x))
        .set("y", tenths(y))
        .set("width", tenths(width))
        .set("height", tenths(height))
}

fn sans(x: f64, y: f64, content: &str) -> Text {
    text(x, y, content).set("font-family", SANS)
}

fn mono(x: f64, y: f64, content: &str) -> Text {
    text(x, y, content).set("font-family", MONO)
}

fn text(x: f64, y: f64, content: &str) -> Text {
    Text::new(content).set("x", tenths(x)).set("y", tenths(y))
}

/// No finer than anybody sees.
fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}
