//! Steady adding: all threads, all the time, in one window common to all.

use super::{Better, Figure, Scenario, together};
use crate::contender::Entrant;
use crate::reader::{Reader, beside};
use crate::rounds::Measurements;
use crate::samples::Samples;
use crate::spread::Spread;
use crate::target::{Adder, Target};
use crate::threads::Threads;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Every thread adds in a loop; what counts is what they add in one window.
///
/// All threads are there before the window is set, and each reads the clock
/// every [`BATCH`](Self::BATCH) adds: a batch counts if it began and ended in
/// the window. The rate is what all threads counted over the window's length.
/// Where threads outnumber cores a thread runs in part of the window only, and
/// counts for that part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steady {
    /// From when all threads are there to the opening of the window.
    pub warm_up: Duration,
    /// How long the window is open.
    pub window: Duration,
    /// Who closes intervals meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader>,
}

/// The adds of all threads in the common window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyFigure {
    /// All threads together.
    pub ops_per_ms: f64,
    /// All threads together.
    pub adds: u64,
    /// How long the window was open.
    pub window_us: f64,
    /// How many threads counted at least one batch.
    pub threads_counting: usize,
    /// The first counted add of any thread, after the window's opening.
    pub first_us: f64,
    /// The last counted add of any thread, after the window's opening.
    pub last_us: f64,
    /// Whether every thread went by the same window and its clock, read at its
    /// first and at its last counted add, was inside.
    pub in_window: bool,
    /// How many intervals the reader closed, warm-up included.
    #[serde(default)]
    pub drains: u64,
    /// Whether every sample added was there in the end.
    pub samples_kept: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    opens: Instant,
    closes: Instant,
}

/// What one thread reports.
#[derive(Clone, Copy, Debug)]
struct Report {
    /// The window it went by.
    window: Window,
    /// Its adds, counted or not.
    added: u64,
    /// The adds that counted.
    counted: u64,
    /// The clock at the first and at the last of those.
    clock: Option<(Instant, Instant)>,
}

impl Steady {
    /// Adds between two readings of the clock.
    pub const BATCH: u64 = 128;

    fn window(&self) -> Window {
        let opens = Instant::now() + self.warm_up;
        Window {
            opens,
            closes: opens + self.window,
        }
    }

    fn figure(&self, reports: &[Report], samples_kept: Option<bool>) -> SteadyFigure {
        let window = reports[0].window;
        let since_opening = |at: Instant| at.saturating_duration_since(window.opens);
        let clocks = || reports.iter().filter_map(|report| report.clock);
        let first = clocks().map(|(first, _)| first).min();
        let last = clocks().map(|(_, last)| last).max();
        let adds = reports.iter().map(|report| report.counted).sum();
        SteadyFigure {
            ops_per_ms: adds as f64 / (self.window.as_secs_f64() * 1e3),
            adds,
            window_us: self.window.as_secs_f64() * 1e6,
            threads_counting: clocks().count(),
            first_us: first.map_or(0.0, |at| since_opening(at).as_secs_f64() * 1e6),
            last_us: last.map_or(0.0, |at| since_opening(at).as_secs_f64() * 1e6),
            in_window: reports.iter().all(|report| report.is_in(window)),
            drains: 0,
            samples_kept,
        }
    }
}

impl<C: Entrant> Measurements<SteadyFigure, C> {
    /// A contender's nanoseconds an add: the window over the adds of all threads.
    #[must_use]
    pub fn nanoseconds(&self, contender: C, threads: Threads) -> Option<Spread> {
        Spread::of(self.values(contender, threads).map(|rate| 1e6 / rate))
    }
}

impl Report {
    fn is_in(&self, window: Window) -> bool {
        let inside = |(first, last)| window.opens <= first && last <= window.closes;
        self.window == window && self.clock.is_none_or(inside)
    }
}

/// Adds until the window closes.
fn add_through(window: Window, adder: &mut impl Adder, mut samples: Samples) -> Report {
    let mut report = Report {
        window,
        added: 0,
        counted: 0,
        clock: None,
    };
    let mut start = Instant::now();
    while start < window.closes {
        (0..Steady::BATCH).for_each(|_| adder.add(samples.draw()));
        let end = Instant::now();
        report.added += Steady::BATCH;
        if window.opens <= start && end <= window.closes {
            report.counted += Steady::BATCH;
            report.clock = Some((report.clock.map_or(start, |clock| clock.0), end));
        }
        start = end;
    }
    report
}

impl Scenario for Steady {
    type Figure = SteadyFigure;

    fn run<T: Target>(&self, threads: Threads) -> SteadyFigure {
        let target = T::fresh();
        let common = OnceLock::new();
        let (reports, drains) = beside(self.reader, &target, || {
            together(threads, |number, barrier| {
                let mut adder = target.adder();
                barrier.wait();
                let window = *common.get_or_init(|| self.window());
                add_through(window, &mut adder, Samples::of_thread(number))
            })
        });
        let added: u64 = reports.iter().map(|report| report.added).sum();
        let kept = target.collected().map(|collected| collected == added);
        SteadyFigure {
            drains,
            ..self.figure(&reports, kept)
        }
    }

    fn expected(&self, _: Threads) -> Duration {
        self.warm_up + self.window
    }
}

impl Figure for SteadyFigure {
    const UNIT: &str = "ops/ms";
    const BETTER: Better = Better::Higher;

    fn value(&self) -> f64 {
        self.ops_per_ms
    }

    fn samples_kept(&self) -> Option<bool> {
        self.samples_kept
    }

    fn sound(&self) -> bool {
        self.in_window && self.samples_kept != Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Contender;

    const STEADY: Steady = Steady {
        warm_up: Duration::from_millis(2),
        window: Duration::from_millis(20),
        reader: None,
    };

    #[test]
    fn more_threads_than_cores_count_within_one_window() {
        let threads = Threads::try_from(40).unwrap();
        for contender in Contender::ALL {
            let figure = contender.run(&STEADY, threads);
            assert!(figure.sound(), "{contender:?}: {figure:?}");
            assert!((1..=40).contains(&figure.threads_counting));
            assert!(0.0 <= figure.first_us && figure.last_us <= figure.window_us);
        }
    }

    #[test]
    fn a_reader_closes_intervals_and_loses_nothing() {
        let steady = Steady {
            reader: Some(Reader { per_second: 1000 }),
            ..STEADY
        };
        let threads = Threads::try_from(2).unwrap();
        for &contender in Contender::ALL {
            if contender == Contender::Merged {
                continue; // It promises nothing of the kind.
            }
            let figure = contender.run(&steady, threads);
            assert!(figure.sound(), "{contender:?}: {figure:?}");
        }
    }

    fn report(window: Window, first: i64, last: i64) -> Report {
        let at = |us: i64| {
            let distance = Duration::from_micros(us.unsigned_abs());
            if us < 0 {
                window.opens - distance
            } else {
                window.opens + distance
            }
        };
        Report {
            window,
            added: 9,
            counted: 5,
            clock: Some((at(first), at(last))),
        }
    }

    #[test]
    fn a_window_of_its_own_is_found_out() {
        let window = STEADY.window();
        let late = Window {
            opens: window.opens + STEADY.window,
            ..window
        };
        let good = report(window, 0, 20_000);
        let own = Report {
            window: late,
            ..good
        };
        assert!(STEADY.figure(&[good, good], None).in_window);
        assert!(!STEADY.figure(&[good, own], None).in_window);
    }

    #[test]
    fn an_add_outside_is_found_out() {
        let window = STEADY.window();
        let good = report(window, 0, 20_000);
        let [early, late] = [report(window, -1, 9), report(window, 9, 20_001)];
        assert!(!STEADY.figure(&[good, early], None).in_window);
        assert!(!STEADY.figure(&[good, late], None).in_window);
    }

    #[test]
    fn the_rate_is_what_was_counted_over_the_common_window() {
        let window = STEADY.window();
        let idle = Report {
            counted: 0,
            clock: None,
            ..report(window, 0, 0)
        };
        let figure = STEADY.figure(&[report(window, 100, 200), idle], Some(true));
        assert_eq!((figure.adds, figure.threads_counting), (5, 1));
        assert!((figure.ops_per_ms - 0.25).abs() < 1e-9);
        assert!((figure.last_us - 200.0).abs() < 1e-9);
    }
}
