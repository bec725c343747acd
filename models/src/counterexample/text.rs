//! For the terminal.

use std::fmt;

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table as Grid, Width};
use textwrap::{Options, WordSplitter, wrap};

use super::{Counterexample, LEGEND};
use crate::table::{self, Entry};

/// Fits most terminals.
const WIDTH: u16 = 120;
/// Of a column without single steps, which leaves room to the others.
const NARROW: u16 = 15;
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
                .subsequent_indent(&indent)
                .word_splitter(WordSplitter::NoHyphenation);
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
        item("again", &subject.command)?;
        item("words", LEGEND)
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
    for (column, cells) in grid
        .column_iter_mut()
        .skip(1)
        .enumerate()
        .take(table.columns.len())
    {
        if !table.has_steps(column) {
            cells.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(NARROW)));
        }
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

#[cfg(test)]
mod tests {
    use crate::counterexample::{Counterexample, Subject};
    use crate::history::written::history;

    fn example() -> Counterexample {
        let subject = Subject {
            name: "X1".to_owned(),
            title: "a sample is late".to_owned(),
            statistic: "a statistic".to_owned(),
            program: "add 8, add 1 | drain".to_owned(),
            found_by: "by hand".to_owned(),
            explanation: "The drain looks too early. It waits for nobody.".to_owned(),
            command: "cargo counterexample X1".to_owned(),
        };
        let text = "1:+8 1:o1 1:o2 1:. 1:+1 1:o3 2:? 2:s3 2:=8 1:o4 1:.";
        let mut example = Counterexample::new(subject, &history(text), "it is late", None);
        example.point_at(7, "the drain looks");
        example
    }

    #[test]
    fn a_table_has_a_column_a_thread_and_a_row_a_step() {
        let expected = "\
X1: a sample is late
a statistic: add 8, add 1 | drain
5 steps, 2 samples; by hand

    │ thread 1 (adds)     │ thread 2 (drains)                      │ seq
────┼─────────────────────┼────────────────────────────────────────┼─────
    │ add 8 (2 steps)     │                                        │ 2
    │ add 1 begins        │                                        │ 2
    │ write seq 3 Release │                                        │ 3
    │                     │ drain begins                           │ 3
 >> │                     │ read seq 3 Acquire                     │ 3
    │                     │ drain reports n 1, sum 8, min 8, max 8 │ 3
    │ write seq 4 Release │                                        │ 4
    │ add 1 ends          │                                        │ 4

>>        the drain looks
fault     it is late
reported  drain 1: n 1, sum 8, mean 8, sd 0, min 8, max 8
          together: n 1, sum 8, mean 8, sd 0, min 8, max 8
right     together: n 2, sum 9, mean 4.5, sd 4.95, min 1, max 8
why       The drain looks too early. It waits for nobody.
again     cargo counterexample X1
words     A row is a step, and at the right is what the statistic holds after it. swap: a read and a write at once, old
          → new. cas: a swap, if the word still holds the old value. sd: standard deviation.
";
        assert_eq!(example().to_string(), expected);
    }

    #[test]
    fn the_picture_marks_the_fatal_step() {
        let picture = example().picture();
        assert!(picture.starts_with("<svg"), "{picture}");
        let marks = picture.matches("fatal ▶").count();
        assert_eq!(marks, 1, "{picture}");
        assert!(picture.contains("read seq 3"), "{picture}");
    }

    #[test]
    fn as_data_it_has_rows_and_columns() {
        let data = serde_json::to_value(example()).unwrap();
        assert_eq!(data["table"]["columns"][1], "thread 2 (drains)");
        assert_eq!(data["table"]["fatal"], 4);
        let row = &data["table"]["rows"][4];
        assert_eq!(row["column"], 1);
        assert_eq!(row["entry"]["operation"], "read");
        assert_eq!(row["entry"]["object"], "seq");
        assert_eq!(row["entry"]["ordering"], "Acquire");
        assert_eq!(row["state"][0]["value"], "3");
    }
}
