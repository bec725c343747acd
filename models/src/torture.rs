//! What real threads make of a statistic: anomalies an interval, and what is
//! lost in the end.
//!
//! A run is a sequence of *rounds*. In a round, writers add and readers close
//! intervals beside them. When the writers have stopped, the round is drained
//! once more, and the intervals must add up to exactly what was added: count,
//! sum, min and max. In between, every interval is checked for what no set of
//! the samples can show; that takes constant time, so that it hardly slows the
//! drains down.
//!
//! Samples are uniform in [`ORDINARY`], as in the published tests. One sample of
//! each round is below them all and one above, at random moments: losing one of
//! those shows, and so does seeing it in a later round.

mod anomalies;
mod courses;
mod round;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use interval_stat::runtime::Std;
use interval_stat::{ConcurrentMutableStat, MutableStat, PerformanceMetrics};
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::specimen::{Combined, Jdk8, Jdk9, Merged, Phased};
use crate::statistic::Statistic;
use crate::subject::{ByLookup, ByRecorder, Subject, This};

pub use anomalies::{Anomalies, Totals};
pub use courses::{Effort, courses};

use round::Rounds;

/// What nearly all samples are drawn from.
pub const ORDINARY: RangeInclusive<i64> = 1_000..=10_000;

/// The statistics that are put to it.
pub const STATISTICS: [Statistic; 5] = [
    Statistic::MutableStat,
    Statistic::MergedJdk8,
    Statistic::MergedJdk9,
    Statistic::ConcurrentMutableStat,
    Statistic::Recorder,
];

/// How fast a thread repeats what it does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Pace {
    /// Without a pause.
    FlatOut,
    /// So often a second, at most.
    PerSecond(f64),
}

/// What a run does.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The statistic.
    pub statistic: Statistic,
    /// Threads that add.
    pub writers: NonZeroUsize,
    /// How fast each of them adds.
    pub writing: Pace,
    /// Threads that close intervals.
    pub readers: usize,
    /// Threads that ask for the last interval and close none.
    pub lookers: usize,
    /// How fast each of those two kinds reads.
    pub reading: Pace,
    /// It ends after the round in which it has so many samples,
    pub samples: u64,
    /// or has lasted so long.
    pub limit: Duration,
}

/// What a run showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was run.
    #[serde(flatten)]
    pub setting: Setting,
    /// What went wrong, and of how much.
    #[serde(flatten)]
    pub anomalies: Anomalies,
}

/// Runs, and where they were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Where, when, and of what.
    pub environment: Environment,
    /// The runs.
    pub runs: Vec<Run>,
}

/// What was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The statistic's name.
    pub statistic: String,
    /// Threads that added.
    pub writers: usize,
    /// Adds of each a second at most; none if flat out.
    pub writes_per_second: Option<f64>,
    /// Threads that closed intervals.
    pub readers: usize,
    /// Threads that asked for the last interval.
    pub lookers: usize,
    /// Reads of each a second at most; none if flat out.
    pub reads_per_second: Option<f64>,
    /// How long it took.
    pub seconds: f64,
}

/// Runs the course, and tells `progress` after each round how much of it is
/// over, from 0 to 1.
pub fn run(course: &Course, progress: impl FnMut(f64)) -> Run {
    match course.statistic {
        Statistic::MutableStat => on::<ByLookup<MutableStat>>(course, progress),
        Statistic::MutableStatExact => {
            on::<ByLookup<MutableStat<Std, interval_stat::Moments>>>(course, progress)
        }
        Statistic::MergedJdk8 => on::<ByLookup<Merged<Std, Jdk8>, This>>(course, progress),
        Statistic::MergedJdk9 => on::<ByLookup<Merged<Std, Jdk9>, This>>(course, progress),
        Statistic::ConcurrentMutableStat => on::<ByLookup<ConcurrentMutableStat>>(course, progress),
        Statistic::Recorder => on::<ByRecorder<Std>>(course, progress),
        Statistic::Combined => on::<ByLookup<Combined<Std>, This>>(course, progress),
        Statistic::Phased => on::<ByLookup<Phased<Std>, This>>(course, progress),
        Statistic::PerformanceMetrics => on::<PerformanceMetrics>(course, progress),
    }
}

fn on<S: Subject>(course: &Course, mut progress: impl FnMut(f64)) -> Run {
    let began = Instant::now();
    let mut rounds = Rounds::<S>::new(course);
    let mut over = 0.0;
    while over < 1.0 {
        rounds.next();
        let samples = rounds.anomalies().samples as f64 / course.samples.max(1) as f64;
        let time = began.elapsed().as_secs_f64() / course.limit.as_secs_f64();
        over = samples.max(time).min(1.0);
        progress(over);
    }
    Run {
        setting: course.took(began.elapsed()),
        anomalies: *rounds.anomalies(),
    }
}

impl Course {
    /// About how long it takes, for progress displays: a machine makes 10^7
    /// samples a second and more.
    pub fn expected(&self) -> Duration {
        self.limit.min(Duration::from_micros(self.samples / 10))
    }

    /// When a run of it ends, in words.
    pub fn ends(&self) -> String {
        let limit = format!("{} s", self.limit.as_secs_f64());
        match self.samples {
            u64::MAX => format!("after {limit}"),
            samples => format!("with {samples} samples, after {limit} at the latest"),
        }
    }

    fn took(&self, time: Duration) -> Setting {
        Setting {
            statistic: self.statistic.name().to_owned(),
            writers: self.writers.get(),
            writes_per_second: self.writing.per_second(),
            readers: self.readers,
            lookers: self.lookers,
            reads_per_second: self.reading.per_second(),
            seconds: time.as_secs_f64(),
        }
    }
}

impl Pace {
    fn per_second(self) -> Option<f64> {
        match self {
            Self::FlatOut => None,
            Self::PerSecond(rate) => Some(rate),
        }
    }
}

/// The runs as a table, a row a run.
///
/// # Errors
///
/// Never, short of a fault in the writer.
pub fn csv(runs: &[Run]) -> Result<Vec<u8>, csv::Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    for run in runs {
        table.serialize((&run.setting, &run.anomalies))?;
    }
    table
        .into_inner()
        .map_err(|error| error.into_error().into())
}

impl Run {
    /// Whether the statistic promises that nothing goes wrong.
    fn promises(&self) -> bool {
        let mut specimens = Statistic::ALL
            .iter()
            .filter(|statistic| statistic.keeps().is_empty());
        !specimens.any(|statistic| statistic.name() == self.setting.statistic)
    }

    /// The line for people.
    pub fn line(&self) -> String {
        let rate = |rate: Option<f64>| match rate {
            Some(rate) => format!("{rate}/s"),
            None => "flat out".to_owned(),
        };
        let setting = &self.setting;
        format!(
            "{:<32} | {} writers {} | {} readers, {} lookers {} | {:.1} s | {}",
            setting.statistic,
            setting.writers,
            rate(setting.writes_per_second),
            setting.readers,
            setting.lookers,
            rate(setting.reads_per_second),
            setting.seconds,
            self.anomalies.line(),
        )
    }
}

/// What should not have come out of these runs: an anomaly of a statistic that
/// promises to lose nothing, or fewer samples of it than the effort asks for.
pub fn faults(runs: &[Run], effort: Effort) -> Vec<String> {
    let promising = || runs.iter().filter(|run| run.promises());
    let mut samples = BTreeMap::<&str, u64>::new();
    for run in promising() {
        *samples.entry(&run.setting.statistic).or_default() += run.anomalies.samples;
    }
    let least = effort.least();
    let few = samples.into_iter().filter(|&(_, samples)| samples < least);
    let few = few.map(|(statistic, samples)| {
        format!("{statistic} was given {samples} samples, fewer than {least}")
    });
    let wrong = promising().filter(|run| !run.anomalies.is_clean());
    wrong.map(Run::line).chain(few).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(statistic: Statistic, samples: u64, impossible: u64) -> Run {
        let course = Course {
            statistic,
            writers: NonZeroUsize::MIN,
            writing: Pace::FlatOut,
            readers: 1,
            lookers: 0,
            reading: Pace::FlatOut,
            samples,
            limit: Duration::ZERO,
        };
        Run {
            setting: course.took(Duration::ZERO),
            anomalies: Anomalies {
                samples,
                impossible,
                ..Anomalies::default()
            },
        }
    }

    #[test]
    fn who_promises_must_be_clean_and_have_enough() {
        let ours = |impossible| run(Statistic::Recorder, 600_000_000, impossible);
        let specimen = run(Statistic::MergedJdk8, 5, 1);
        let few = faults(&[ours(0), specimen.clone()], Effort::Full);
        assert_eq!(few.len(), 1, "{few:?}");
        assert!(
            few[0].ends_with("600000000 samples, fewer than 1000000000"),
            "{few:?}"
        );
        let enough = [ours(0), ours(0), specimen];
        assert_eq!(faults(&enough, Effort::Full), [""; 0]);
        assert_eq!(faults(&[ours(0)], Effort::Quick), [""; 0]);
        assert_eq!(faults(&[ours(0), ours(1)], Effort::Full).len(), 1);
    }
}
