//! A round: writers and readers side by side, then a look at the books.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::anomalies::{Anomalies, Totals};
use super::{Course, ORDINARY, Pace};
use crate::subject::{Subject, Writer};

/// The samples below and above all ordinary ones are other ones in as many
/// rounds in a row, so that one which shows late is told from the right one.
const MARKS: i64 = 8;

/// No sample of any round is outside.
const RANGE: RangeInclusive<i64> = *ORDINARY.start() - MARKS..=*ORDINARY.end() + MARKS;

/// The shortest round: every thread gets a core in it, even where there are more
/// threads than cores. A round has some reads in any case.
const SHORTEST: Duration = Duration::from_millis(50);
const READS: f64 = 2.5;

/// The rounds of a run, one after the other, on one statistic.
pub(super) struct Rounds<'a, S> {
    course: &'a Course,
    subject: S,
    draw: fastrand::Rng,
    /// How many samples a writer adds in a round, by the round before.
    usual: u64,
    anomalies: Anomalies,
}

/// What the threads of a round share.
struct Round<'a, S> {
    course: &'a Course,
    subject: &'a S,
    over: AtomicBool,
    books: Mutex<Books>,
}

#[derive(Default)]
struct Books {
    added: Totals,
    reported: Totals,
    anomalies: Anomalies,
}

impl<'a, S: Subject> Rounds<'a, S> {
    pub(super) fn new(course: &'a Course) -> Self {
        Self {
            course,
            subject: S::new(),
            draw: fastrand::Rng::with_seed(9377),
            usual: 1_000,
            anomalies: Anomalies::default(),
        }
    }

    pub(super) fn anomalies(&self) -> &Anomalies {
        &self.anomalies
    }

    /// Runs the next round.
    pub(super) fn next(&mut self) {
        let marks = self.marks();
        let round = Round {
            course: self.course,
            subject: &self.subject,
            over: AtomicBool::new(false),
            books: Mutex::new(Books {
                anomalies: self.anomalies,
                ..Books::default()
            }),
        };
        round.run(marks, &mut self.draw);
        let books = round.books.into_inner();
        let books = books.unwrap_or_else(PoisonError::into_inner);
        self.anomalies = books.anomalies;
        self.anomalies.compare(&books.added, &books.reported);
        self.usual = (books.added.count / self.course.writers.get() as u64).max(1);
    }

    /// After how many samples the first writer adds which extremes.
    fn marks(&mut self) -> [(u64, i64); 2] {
        let mark = 1 + self.anomalies.rounds as i64 % MARKS;
        let mut moment = || self.draw.u64(0..self.usual);
        let low = (moment(), ORDINARY.start() - mark);
        let high = (moment(), ORDINARY.end() + mark);
        [low, high]
    }
}

impl<S: Subject> Round<'_, S> {
    fn run(&self, marks: [(u64, i64); 2], draw: &mut fastrand::Rng) {
        thread::scope(|threads| {
            for writer in 0..self.course.writers.get() {
                let marks = (writer == 0).then_some(marks).into_iter().flatten();
                let (marks, draw) = (marks.collect(), draw.fork());
                threads.spawn(|| self.write(marks, draw));
            }
            for _ in 0..self.course.readers {
                threads.spawn(|| self.repeat(self.course.reading, || self.close_interval()));
            }
            for _ in 0..self.course.lookers {
                threads.spawn(|| self.repeat(self.course.reading, || self.subject.look()));
            }
            thread::sleep(self.course.round());
            self.over.store(true, Relaxed);
        });
        self.close_interval();
    }

    /// Calls `action` at that pace until the round is over.
    fn repeat(&self, pace: Pace, mut action: impl FnMut()) {
        let mut next = Instant::now();
        while !self.over.load(Relaxed) {
            action();
            if let Pace::PerSecond(rate) = pace {
                next += Duration::from_secs_f64(1.0 / rate);
                self.wait_until(next);
            }
        }
    }

    fn wait_until(&self, moment: Instant) {
        while !self.over.load(Relaxed) {
            match moment.saturating_duration_since(Instant::now()) {
                Duration::ZERO => return,
                // Below what a sleep can be relied on.
                left if left < Duration::from_micros(100) => thread::yield_now(),
                left => thread::sleep(left.min(Duration::from_millis(1)) / 2),
            }
        }
    }

    fn write(&self, mut marks: Vec<(u64, i64)>, mut draw: fastrand::Rng) {
        let mut writer = self.subject.writer();
        let mut added = Totals::default();
        let mut add = |sample| {
            writer.add(sample);
            added.add(sample);
        };
        let mut adds = 0;
        self.repeat(self.course.writing, || {
            marks.retain(|&(moment, mark)| {
                if moment == adds {
                    add(mark);
                }
                moment != adds
            });
            add(draw.i64(ORDINARY));
            adds += 1;
        });
        marks.into_iter().for_each(|(_, mark)| add(mark));
        self.with_books(|books| books.added.merge(&added));
    }

    fn close_interval(&self) {
        let Some(batch) = self.subject.drain() else {
            return;
        };
        let interval = Totals::from(batch);
        self.with_books(|books| {
            books.anomalies.look_at(&interval, &RANGE);
            books.reported.merge(&interval);
        });
    }

    fn with_books(&self, action: impl FnOnce(&mut Books)) {
        action(&mut self.books.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Course {
    fn round(&self) -> Duration {
        match self.reading {
            Pace::FlatOut => SHORTEST,
            Pace::PerSecond(rate) => SHORTEST.max(Duration::from_secs_f64(READS / rate)),
        }
    }
}
