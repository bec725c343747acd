//! Full load for as long as it is given: every caller, drained from once a second
//! to without a pause, and every interval checked.
//!
//! Every sample is 1 more than a multiple of 2^16, and so is its square: the
//! count, the sum and the sum of squares of whole samples leave the same remainder.
//! An interval that has a part of a sample shows it, whatever else is in it. When
//! the writers have stopped, the intervals together must be the summary of exactly
//! what was added.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use interval_stat::runtime::{Fenced, Std};
use interval_stat::{
    ConcurrentMutableStat, Distribution, Emit, Interval, IntervalStat, LockMetrics, Moments,
    MutableStat, PerformanceMetrics, Recorder,
};
use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::subject::{ByLookup, ByRecorder, Subject, Writer, labels};

/// What samples are a multiple of, but for 1.
const STEP: i64 = 1 << 16;

/// Samples that a writer draws at once and then adds again and again: drawing
/// would take longer than adding.
const BLOCK: usize = 1 << 10;

/// How often it adds them.
const REPEATS: u64 = 1_000;

/// Drains a second, at most; without a pause last.
const RATES: [Option<f64>; 4] = [Some(1.0), Some(100.0), Some(10_000.0), None];

/// What came out of one caller at one rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Soaked {
    /// Who added.
    pub caller: String,
    /// From how many threads.
    pub writers: usize,
    /// Drains a second at most; none if without a pause.
    pub drains_per_second: Option<f64>,
    /// How long.
    pub seconds: f64,
    /// Samples added.
    pub samples: u64,
    /// Intervals that were checked.
    pub intervals: u64,
    /// Intervals that no whole samples have.
    pub wrong_intervals: u64,
    /// By how much the count of the intervals differs from that of the adds.
    pub lost: u64,
    /// Whether all intervals together are the summary of all samples.
    pub exact: bool,
}

impl Soaked {
    /// Whether nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.wrong_intervals == 0 && self.lost == 0 && self.exact
    }

    /// The line for people.
    pub fn line(&self) -> String {
        let rate = self.drains_per_second;
        let rate = rate.map_or("without a pause".to_owned(), |rate| format!("{rate}/s"));
        let found = if self.is_clean() {
            "nothing wrong".to_owned()
        } else {
            format!(
                "{} wrong intervals, {} samples lost or invented, exact: {}",
                self.wrong_intervals, self.lost, self.exact
            )
        };
        format!(
            "{:<45} | {} writers | drains {rate} | {:.1} s | {} samples, {} intervals: {found}",
            self.caller, self.writers, self.seconds, self.samples, self.intervals
        )
    }
}

/// How one caller is run.
pub struct Course {
    caller: Caller,
    writers: NonZeroUsize,
    drains_per_second: Option<f64>,
    lasts: Duration,
}

type Caller = fn(&Course, &mut dyn FnMut(f64)) -> Soaked;

/// Those that add.
const CALLERS: [Caller; 6] = [
    |course, over| run::<ByLookup<MutableStat<Std, Moments>>>("MutableStat (exact)", course, over),
    |course, over| run::<ByLookup<ConcurrentMutableStat>>("ConcurrentMutableStat", course, over),
    |course, over| run::<ByRecorder<Std>>("ConcurrentMutableStat (Recorder)", course, over),
    |course, over| {
        let name = "ConcurrentMutableStat (Recorder, full fences)";
        run::<ByRecorder<Fenced>>(name, course, over)
    },
    |course, over| run::<Performance>("PerformanceMetrics", course, over),
    |course, over| run::<Locks>("LockMetrics", course, over),
];

/// Every caller at every rate, all of it in about the time given.
pub fn courses(time: Duration, writers: NonZeroUsize) -> Vec<Course> {
    let all = RATES
        .into_iter()
        .flat_map(|rate| CALLERS.map(|caller| (rate, caller)));
    let lasts = time / (RATES.len() * CALLERS.len()) as u32;
    let course = |(drains_per_second, caller)| Course {
        caller,
        writers,
        drains_per_second,
        lasts,
    };
    all.map(course).collect()
}

impl Course {
    /// Runs it, and tells what part of it is over, from 0 to 1.
    pub fn run(&self, over: &mut dyn FnMut(f64)) -> Soaked {
        (self.caller)(self, over)
    }
}

fn run<S: Subject>(caller: &str, course: &Course, tell: &mut dyn FnMut(f64)) -> Soaked {
    let began = Instant::now();
    let subject = S::new();
    let over = AtomicBool::new(false);
    let added = Mutex::new(Batch::default());
    let mut books = Books::default();
    thread::scope(|threads| {
        for seed in 0..course.writers.get() as u64 {
            let (subject, over, added) = (&subject, &over, &added);
            threads.spawn(move || {
                let own = write(subject, over, seed);
                let mut added = added.lock().unwrap_or_else(PoisonError::into_inner);
                *added = added.merged(own);
            });
        }
        let mut next = began;
        while began.elapsed() < course.lasts {
            books.enter(subject.drain());
            if let Some(rate) = course.drains_per_second {
                next += Duration::from_secs_f64(1.0 / rate);
                thread::sleep(next.saturating_duration_since(Instant::now()));
            }
            tell((began.elapsed().as_secs_f64() / course.lasts.as_secs_f64()).min(1.0));
        }
        over.store(true, Relaxed);
    });
    tell(1.0);
    books.enter(subject.drain());
    let added = added.into_inner().unwrap_or_else(PoisonError::into_inner);
    Soaked {
        caller: caller.to_owned(),
        writers: course.writers.get(),
        drains_per_second: course.drains_per_second,
        seconds: began.elapsed().as_secs_f64(),
        samples: added.count,
        intervals: books.intervals,
        wrong_intervals: books.wrong,
        lost: added.count.abs_diff(books.reported.count),
        exact: added == books.reported,
    }
}

/// Adds some, until it is over, and returns the summary of what it added.
fn write(subject: &impl Subject, over: &AtomicBool, seed: u64) -> Batch {
    let mut writer = subject.writer();
    let mut draw = fastrand::Rng::with_seed(seed);
    let mut added = Batch::default();
    loop {
        let block: Vec<i64> = (0..BLOCK).map(|_| 1 + STEP * draw.i64(0..STEP)).collect();
        let mut repeats = 0;
        while repeats == 0 || repeats < REPEATS && !over.load(Relaxed) {
            block.iter().for_each(|&sample| writer.add(sample));
            repeats += 1;
        }
        added = added.merged(repeated(&Batch::summarize(block), repeats));
        if over.load(Relaxed) {
            return added;
        }
    }
}

/// The summary of the same samples so often.
fn repeated(batch: &Batch, times: u64) -> Batch {
    Batch {
        count: batch.count * times,
        sum: batch.sum * i128::from(times),
        squares: batch.squares.map(|squares| squares * u128::from(times)),
        ..*batch
    }
}

#[derive(Default)]
struct Books {
    reported: Batch,
    intervals: u64,
    wrong: u64,
}

impl Books {
    fn enter(&mut self, interval: Option<Batch>) {
        let Some(interval) = interval else { return };
        self.intervals += 1;
        self.wrong += u64::from(!is_whole(&interval));
        self.reported = self.reported.merged(interval);
    }
}

/// Whether samples of the kind that is added can have this summary.
fn is_whole(interval: &Batch) -> bool {
    let (Some(min), Some(max), Some(squares)) = (interval.min, interval.max, interval.squares)
    else {
        return *interval == Batch::default();
    };
    let is_sample = |sample: i64| sample > 0 && sample % STEP == 1;
    let count = i128::from(interval.count);
    let step = i128::from(STEP);
    let Ok(squares) = i128::try_from(squares) else {
        return false;
    };
    let (least, most) = (i128::from(min), i128::from(max));
    let remainder = count % step;
    is_sample(min)
        && is_sample(max)
        && (interval.sum % step, squares % step) == (remainder, remainder)
        && (count * least..=count * most).contains(&interval.sum)
        && (count * least * least..=count * most * most).contains(&squares)
}

/// Moments and histogram must have the same samples.
struct Performance(PerformanceMetrics);

impl Subject for Performance {
    type Writer<'a> = Recorder<'a, Distribution>;

    fn new() -> Self {
        Self(PerformanceMetrics::new(labels()))
    }

    fn writer(&self) -> Self::Writer<'_> {
        self.0.recorder()
    }

    fn drain(&self) -> Option<Batch> {
        let interval = self.0.snapshot(Emit::Changed)?.statistic.interval;
        let in_histogram: u64 = interval.buckets().map(|(_, count)| count).sum();
        let moments = Batch::from(interval.moments());
        // Squares that no samples have, where the two differ.
        let squares = moments.squares.filter(|_| in_histogram == interval.count());
        Some(Batch { squares, ..moments })
    }

    fn look(&self) {
        self.0.stat().last_stat();
    }
}

/// The times of a lock, without the lock.
struct Locks(LockMetrics);

impl Subject for Locks {
    type Writer<'a> = &'a ConcurrentMutableStat;

    fn new() -> Self {
        Self(LockMetrics::new())
    }

    fn writer(&self) -> Self::Writer<'_> {
        self.0.write.held.stat()
    }

    fn drain(&self) -> Option<Batch> {
        let times = self.0.snapshot(Emit::Changed);
        Some(Batch::from(&times.write_held()?.interval))
    }

    fn look(&self) {
        self.0.write.longest_held();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [i64; 3] = [1, 1 + STEP, 1 + 7 * STEP];

    #[test]
    fn whole_samples_pass() {
        for samples in [&SAMPLES[..], &SAMPLES[1..2], &[]] {
            assert!(is_whole(&Batch::summarize(samples.iter().copied())));
        }
    }

    #[test]
    fn a_part_of_a_sample_shows() {
        let whole = Batch::summarize(SAMPLES);
        let parts: [fn(&mut Batch); 6] = [
            |batch| batch.count += 1,
            |batch| batch.sum += 1 + i128::from(STEP),
            |batch| batch.squares = Some(1),
            |batch| batch.squares = None,
            |batch| batch.max = Some(1 + STEP),
            |batch| batch.min = Some(2),
        ];
        for part in parts {
            let mut torn = whole;
            part(&mut torn);
            assert!(!is_whole(&torn), "{torn:?}");
        }
    }

    #[test]
    fn every_caller_is_run_at_every_rate() {
        let courses = courses(Duration::from_millis(40), NonZeroUsize::MIN);
        assert_eq!(courses.len(), CALLERS.len() * RATES.len());
        for course in courses {
            let mut parts = Vec::new();
            let soaked = course.run(&mut |over| parts.push(over));
            assert!(parts.is_sorted() && parts.iter().all(|part| (0.0..=1.0).contains(part)));
            assert_eq!(parts.last(), Some(&1.0));
            assert!(soaked.samples > 0 && soaked.is_clean(), "{}", soaked.line());
        }
    }
}
