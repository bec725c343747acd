//! For the terminal.

use std::fmt;

use comfy_table::{ContentArrangement, Row, Table as Grid};
use textwrap::{Options, wrap};

use super::Counterexample;
use crate::table::{self, Entry};

/// Fits most terminals.
const WIDTH: u16 = 118;
/// Lines between columns, and under the headings.
const LINES: &str = "     ─┼ │          ";

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = &self.subject;
        writeln!(f, "{}: {}", subject.name, subject.title)?;
        writeln!(f, "{}: {}", subject.statistic, subject.program)?;
        writeln!(f, "{}", self.size())?;
        if let Some(ordering) = self.table.common_ordering() {
            writeln!(f, "every access of a word is {ordering}")?;
        }
        writeln!(f)?;
        writeln!(f, "{}", grid(&self.table).trim_fmt())?;
        writeln!(f)?;
        let mut item = |label: &str, text: &str| {
            let indent = " ".repeat(10);
            let label = format!("{label:10}");
            let options = Options::new(usize::from(WIDTH))
                .initial_indent(&label)
                .subsequent_indent(&indent);
            wrap(text, options)
                .iter()
                .try_for_each(|line| writeln!(f, "{line}"))
        };
        item(">>", &self.fatal)?;
        item("fault", &self.fault)?;
        for (label, lines) in [("reported", &self.reported), ("right", &self.right)] {
            let labels = [label].into_iter().chain(std::iter::repeat(""));
            labels
                .zip(lines)
                .try_for_each(|(label, line)| item(label, line))?;
        }
        item("why", &subject.explanation)?;
        item("again", &subject.command)
    }
}

impl Counterexample {
    /// Its size, and how it was found.
    pub(super) fn size(&self) -> String {
        let preemptions = match self.preemptions {
            Some(1) => "1 preemption, ".to_owned(),
            Some(preemptions) => format!("{preemptions} preemptions, "),
            None => String::new(),
        };
        format!(
            "{preemptions}{} steps, {} samples; {}",
            self.steps, self.samples, self.subject.found_by
        )
    }
}

fn grid(table: &table::Table) -> Grid {
    let mut grid = Grid::new();
    grid.load_preset(LINES)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    let words = table.rows.last().map_or(&[][..], |row| &row.state);
    let heading = |word: &table::Value| word.object.replace('.', "\n");
    grid.set_header(
        [String::new()]
            .into_iter()
            .chain(table.columns.clone())
            .chain(words.iter().map(heading)),
    );
    let common = table.common_ordering();
    for (index, row) in table.rows.iter().enumerate() {
        let mark = if table.fatal == Some(index) { ">>" } else { "" };
        let mut cells = vec![String::new(); table.columns.len()];
        cells[row.column] = entry(&row.entry, common);
        let values = words.iter().map(|word| value(row, &word.object));
        grid.add_row(Row::from(
            [mark.to_owned()].into_iter().chain(cells).chain(values),
        ));
    }
    grid
}

/// An ordering that all have in common is not repeated.
fn entry(entry: &Entry, common: Option<&str>) -> String {
    let text = entry.to_string();
    let short = common
        .and_then(|common| text.strip_suffix(common))
        .map(str::trim_end);
    short.map_or(text.clone(), str::to_owned)
}

/// What the word holds after the row, empty while that is not known.
fn value(row: &table::Row, object: &str) -> String {
    let held = row.state.iter().find(|value| value.object == object);
    held.map_or(String::new(), |held| held.value.clone())
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Began { call } => write!(f, "{call} begins"),
            Self::Step {
                operation,
                object,
                value,
                ordering,
            } => {
                let words = [operation, object.as_str(), value, ordering];
                let words = words.into_iter().filter(|word| !word.is_empty());
                f.write_str(&words.collect::<Vec<_>>().join(" "))
            }
            Self::Whole {
                call,
                steps,
                reported: None,
            } => write!(f, "{call} ({steps} steps)"),
            Self::Whole {
                call,
                steps,
                reported: Some(reported),
            } => write!(f, "{call} ({steps} steps) reports {reported}"),
            Self::Ended {
                call,
                reported: None,
            } => write!(f, "{call} ends"),
            Self::Ended {
                call,
                reported: Some(reported),
            } => write!(f, "{call} reports {reported}"),
            Self::Failed { message } => write!(f, "stopped: {message}"),
        }
    }
}
