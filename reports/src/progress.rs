//! Telling how far a run is.

use crate::format::milliseconds;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How far a run is, on the standard error stream: a bar on a terminal, a line
/// a stage elsewhere. It draws between measurements only, never beside one.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// The stage announced last, and the expected milliseconds of its step.
    current: Mutex<(String, u64)>,
    lines: bool,
    begun: Instant,
}

impl Progress {
    /// For a run expected to take this long.
    #[must_use]
    pub fn new(expected: Duration) -> Self {
        let style = ProgressStyle::with_template(
            "{bar:30} {percent:>3} %  {elapsed} gone, about {eta} to go  {msg}",
        );
        let bar = ProgressBar::new(milliseconds(expected))
            .with_style(style.expect("the template is right"));
        Self {
            bar,
            current: Mutex::default(),
            lines: !stderr().is_terminal(),
            begun: Instant::now(),
        }
    }

    /// Shows nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            current: Mutex::default(),
            lines: false,
            begun: Instant::now(),
        }
    }

    /// The step before is done, this one begins. Where steps overlap, that is
    /// near enough.
    pub fn next(&self, stage: &str, detail: &str, expected: Duration) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let next = (stage.to_owned(), milliseconds(expected));
        let (before, done) = std::mem::replace(&mut *current, next);
        self.bar.inc(done);
        self.bar.set_message(format!("{stage}, {detail}"));
        if self.lines && before != stage {
            eprintln!(
                "{:>3} %  after {}: {stage}",
                self.percent(),
                HumanDuration(self.begun.elapsed())
            );
        }
    }

    /// All is done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn percent(&self) -> u64 {
        100 * self.bar.position() / self.bar.length().unwrap_or(1).max(1)
    }
}
