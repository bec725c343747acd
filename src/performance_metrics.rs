//! Statistic, quantiles and extremes of one stream of samples.

#![forbid(unsafe_code)]

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::concurrent_mutable_stat::ConcurrentMutableStat;
use crate::distribution::Distribution;
use crate::hadoop::{Metric, Record, Value};
use crate::labels::{Detail, Labels, Part};
use crate::runtime::{Mutex, Runtime, Std};
use crate::snapshot::{Emit, Snapshot};
use crate::striped::Recorder;
use crate::{Accumulator, Interval, IntervalStat, NoQuantile, Quantile};

/// Statistic, quantiles and extremes, lifetime included, of one stream of
/// samples: one `add` records a sample in all of them, and one snapshot reports
/// all of them over the same samples.
///
/// Besides each interval, it reports the quantiles of longer *windows*, such as
/// the last 60 s and the last 300 s. A window is made of whole intervals: it ends
/// with the first snapshot at which it has its length, and the next one begins
/// there. So no timer runs and no sample is split from its interval; windows are
/// as long as their name says if snapshots come at a divisor of it, and
/// [`Window::span`] says how long one was.
///
/// Guarantees and progress: those of [`ConcurrentMutableStat`], whose protocol it
/// runs over moments and histogram together. `add` is wait-free once the thread's
/// stripe is registered; a snapshot is O(stripes), times the buckets of a
/// histogram. A stripe takes two [`Distribution`]s, about 120 kB.
///
/// Source: `org.apache.hadoop.ozone.util.PerformanceMetrics` of Apache Ozone and
/// `org.apache.hadoop.metrics2.lib.MutableQuantiles` of Apache Hadoop 3.4.1. There
/// the three are recorded one after the other, the quantiles under a lock.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Emit, Interval, Labels, PerformanceMetrics, Quantile};
/// use std::time::Duration;
///
/// let labels = Labels::new("GetKeyInfo", "time (in ns) of GetKeyInfo", "Ops", "Time", Detail::Basic)?;
/// let metrics: PerformanceMetrics =
///     PerformanceMetrics::new(labels).with_windows(&[Duration::from_secs(60)])?;
/// (1..=100).for_each(|sample| metrics.add(sample));
///
/// let snapshot = metrics.snapshot(Emit::Changed).expect("there are samples");
/// assert_eq!(snapshot.statistic.interval.mean(), Some(50.5));
/// assert_eq!(snapshot.statistic.interval.quantile(Quantile::new(0.99)?), Some(99));
/// assert_eq!(snapshot.windows.len(), 0, "no minute has passed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PerformanceMetrics<R: Runtime = Std> {
    stat: ConcurrentMutableStat<R, Distribution>,
    quantiles: Arc<[Quantile]>,
    /// Its lock is taken before that of the statistic.
    windows: R::Mutex<Vec<Filling>>,
}

impl<R: Runtime> PerformanceMetrics<R> {
    /// No samples yet, no windows, and Hadoop's quantiles.
    pub fn new(labels: Labels) -> Self {
        Self {
            stat: ConcurrentMutableStat::new(labels),
            quantiles: Arc::new(Quantile::HADOOP),
            windows: Mutex::new("windows", Vec::new()),
        }
    }

    /// Reports windows of these lengths, from now on, in place of those before.
    ///
    /// # Errors
    ///
    /// If one is not a whole number of seconds (they go into names), is none, or
    /// is there twice.
    ///
    /// ```
    /// use interval_stat::{Detail, Labels, PerformanceMetrics};
    /// use std::time::Duration;
    ///
    /// let labels = Labels::new("GetKeyInfo", "time of GetKeyInfo", "Ops", "Time", Detail::Basic)?;
    /// let metrics: PerformanceMetrics = PerformanceMetrics::new(labels);
    /// let error = metrics.with_windows(&[Duration::ZERO]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "a window of 0ns: it must be a whole number of seconds, at least 1"
    /// );
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn with_windows(self, lengths: &[Duration]) -> Result<Self, WindowError> {
        let began = Instant::now();
        let mut windows: Vec<Filling> = Vec::new();
        for &length in lengths {
            if length.is_zero() || length.subsec_nanos() > 0 {
                return Err(WindowError::NotSeconds(length));
            }
            if windows.iter().any(|other| other.length == length) {
                return Err(WindowError::Twice(length));
            }
            windows.push(Filling::new(length, began));
        }
        self.windows.with(|current| *current = windows);
        Ok(self)
    }

    /// Lists these quantiles in records, in this order, in place of Hadoop's; one
    /// that is there twice (to a millionth) only once.
    ///
    /// # Errors
    ///
    /// If one is not within 0 and 1.
    ///
    /// ```
    /// use interval_stat::{Detail, Labels, PerformanceMetrics};
    ///
    /// let labels = Labels::new("GetKeyInfo", "time of GetKeyInfo", "Ops", "Time", Detail::Basic)?;
    /// let metrics: PerformanceMetrics = PerformanceMetrics::new(labels);
    /// assert!(metrics.with_quantiles(&[0.5, 99.0]).is_err());
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    pub fn with_quantiles(mut self, shares: &[f64]) -> Result<Self, NoQuantile> {
        let mut quantiles = Vec::new();
        for &share in shares {
            let quantile = Quantile::new(share)?;
            if !quantiles.contains(&quantile) {
                quantiles.push(quantile);
            }
        }
        self.quantiles = quantiles.into();
        Ok(self)
    }

    /// Adds one sample. Wait-free once the thread's stripe is registered.
    #[inline]
    pub fn add(&self, sample: i64) {
        self.stat.add(sample);
    }

    /// A handle that adds without looking up the thread's stripe.
    pub fn recorder(&self) -> Recorder<'_, Distribution, R> {
        self.stat.recorder()
    }

    /// The statistic alone.
    ///
    /// An interval that is closed through it is in no window.
    pub fn stat(&self) -> &ConcurrentMutableStat<R, Distribution> {
        &self.stat
    }

    /// Closes the interval, and the windows that have reached their length, and
    /// reports them; `None` if `emit` asks for changes only and there was
    /// neither a sample nor a window's end.
    pub fn snapshot(&self, emit: Emit) -> Option<PerformanceSnapshot> {
        self.snapshot_at(Instant::now(), emit)
    }

    /// As [`snapshot`](Self::snapshot), at a time of the caller's choice. One
    /// that lies before the last ends no window.
    ///
    /// ```
    /// use interval_stat::{Detail, Emit, Interval, Labels, PerformanceMetrics};
    /// use std::time::{Duration, Instant};
    ///
    /// let minute = Duration::from_secs(60);
    /// let labels = Labels::new("GetKeyInfo", "time of GetKeyInfo", "Ops", "Time", Detail::Basic)?;
    /// let metrics = <PerformanceMetrics>::new(labels).with_windows(&[minute])?;
    /// metrics.add(7);
    /// let snapshot = metrics.snapshot_at(Instant::now() + minute, Emit::Changed).unwrap();
    /// assert_eq!(snapshot.windows[0].samples.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot_at(&self, now: Instant, emit: Emit) -> Option<PerformanceSnapshot> {
        self.windows.with(|windows| {
            let ends = windows.iter().any(|window| window.ends(now));
            let emit = if ends { Emit::All } else { emit };
            let statistic = self.stat.snapshot(emit)?;
            let windows = windows.iter_mut();
            let windows = windows.filter_map(|window| window.take_in(&statistic.interval, now));
            Some(PerformanceSnapshot {
                windows: windows.collect(),
                quantiles: Arc::clone(&self.quantiles),
                statistic,
            })
        })
    }
}

impl<R: Runtime> From<Labels> for PerformanceMetrics<R> {
    fn from(labels: Labels) -> Self {
        Self::new(labels)
    }
}

impl<R: Runtime> fmt::Debug for PerformanceMetrics<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PerformanceMetrics({})", self.stat)
    }
}

/// A window that is being filled, and the one before.
struct Filling {
    length: Duration,
    began: Instant,
    samples: Distribution,
    before: Option<Window>,
}

impl Filling {
    fn new(length: Duration, began: Instant) -> Self {
        Self {
            length,
            began,
            samples: Distribution::default(),
            before: None,
        }
    }

    fn ends(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.began) >= self.length
    }

    /// Takes in an interval, ends the window if it is due, and reports the last
    /// that has ended.
    fn take_in(&mut self, interval: &Distribution, now: Instant) -> Option<Window> {
        self.samples.merge(interval);
        if self.ends(now) {
            self.before = Some(Window {
                length: self.length,
                span: now.saturating_duration_since(self.began),
                samples: Arc::new(std::mem::take(&mut self.samples)),
            });
            self.began = now;
        }
        self.before.clone()
    }
}

/// A window that has ended.
///
/// # Examples
///
/// See [`PerformanceMetrics::snapshot_at`].
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// How long it was to be.
    pub length: Duration,
    /// How long it was: until the first snapshot at which it had its length.
    pub span: Duration,
    /// All its samples.
    pub samples: Arc<Distribution>,
}

/// An interval of a [`PerformanceMetrics`], closed, and the windows that ended
/// last.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Emit, Labels, PerformanceMetrics};
///
/// let labels = Labels::new("GetKeyInfo", "time of GetKeyInfo", "Ops", "Time", Detail::Extended)?;
/// let metrics: PerformanceMetrics = PerformanceMetrics::new(labels);
/// metrics.add(7);
/// let record = metrics.snapshot(Emit::Changed).expect("there is a sample").record();
/// assert!(record.get("GetKeyInfo99thPercentileTime").is_some());
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceSnapshot {
    /// The interval, with its quantiles, and the lifetime figures.
    pub statistic: Snapshot<Distribution>,
    /// For each length, the window that ended last, if one has.
    pub windows: Vec<Window>,
    /// What a record lists.
    pub quantiles: Arc<[Quantile]>,
}

impl PerformanceSnapshot {
    /// What Ozone would emit.
    ///
    /// First the statistic's own record. With [`Detail::Basic`], next the
    /// quantiles of each window, then the extremes of the interval, as there.
    /// With [`Detail::Extended`], next the quantiles of the interval, without a
    /// length in their names, then those of each window. A quantile of no
    /// samples is 0, as in Hadoop.
    #[must_use]
    pub fn record(&self) -> Record {
        let statistic = &self.statistic;
        let windows = self
            .windows
            .iter()
            .flat_map(|window| self.of_window(window));
        let mut metrics = statistic.record().metrics;
        match statistic.labels.detail() {
            Detail::Basic => {
                metrics.extend(windows);
                metrics.extend(statistic.metrics(&[Part::IntervalMin, Part::IntervalMax]));
            }
            Detail::Extended => {
                metrics.extend(self.of_quantiles("", "", &statistic.interval));
                metrics.extend(windows);
            }
        }
        Record { metrics }
    }

    fn of_window(&self, window: &Window) -> Vec<Metric> {
        let labels = &self.statistic.labels;
        let seconds = window.length.as_secs();
        let infix = format!("{seconds}s");
        let mut metrics = vec![Metric {
            name: labels.window_name(&infix),
            description: format!(
                "{} with {infix} interval",
                labels.metric_description(Part::Samples)
            ),
            value: Value::GaugeInt(window.samples.count()),
        }];
        let wording = format!(" with {seconds} second interval");
        metrics.extend(self.of_quantiles(&infix, &wording, &window.samples));
        metrics
    }

    fn of_quantiles(&self, infix: &str, wording: &str, samples: &Distribution) -> Vec<Metric> {
        let labels = &self.statistic.labels;
        let metric = |&quantile: &Quantile| Metric {
            name: labels.quantile_name(infix, quantile),
            description: labels.quantile_description(wording, quantile),
            value: Value::GaugeLong(samples.quantile(quantile).unwrap_or(0)),
        };
        self.quantiles.iter().map(metric).collect()
    }
}

/// A length that no window can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowError {
    /// It is not a whole number of seconds, or none.
    NotSeconds(Duration),
    /// There is another window of this length.
    Twice(Duration),
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSeconds(length) => write!(
                f,
                "a window of {length:?}: it must be a whole number of seconds, at least 1"
            ),
            Self::Twice(length) => {
                write!(f, "two windows of {length:?}: one of each length will do")
            }
        }
    }
}

impl Error for WindowError {}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn metrics(detail: Detail) -> PerformanceMetrics {
        let labels = Labels::new("getKeyInfo", "Time of it", "Ops", "Time", detail).unwrap();
        PerformanceMetrics::new(labels)
            .with_windows(&[MINUTE, 5 * MINUTE])
            .unwrap()
    }

    /// Snapshots ten seconds apart.
    fn clock() -> impl Iterator<Item = Instant> {
        let began = Instant::now();
        (1..).map(move |tick| began + tick * Duration::from_secs(10))
    }

    #[test]
    fn a_window_is_its_intervals() {
        let metrics = metrics(Detail::Basic);
        let mut ended = Vec::new();
        for (sample, now) in (1..=36).zip(clock()) {
            metrics.add(sample);
            let snapshot = metrics.snapshot_at(now, Emit::Changed).unwrap();
            ended = snapshot.windows;
        }
        let sums: Vec<_> = ended
            .iter()
            .map(|window| window.samples.moments().sum())
            .collect();
        // The sixth minute, and the first five.
        assert_eq!(sums, [(31..=36).sum(), (1..=30).sum()]);
        assert!(
            ended
                .iter()
                .all(|window| window.span - window.length < Duration::from_secs(1))
        );
    }

    #[test]
    fn a_window_waits_for_the_next_snapshot() {
        let metrics = metrics(Detail::Basic);
        metrics.add(1);
        let late = Instant::now() + 10 * MINUTE;
        let windows = metrics.snapshot_at(late, Emit::Changed).unwrap().windows;
        assert_eq!(windows.len(), 2);
        assert!(windows.iter().all(|window| window.span >= 10 * MINUTE));
    }

    #[test]
    fn the_end_of_a_window_is_a_change() {
        let metrics = metrics(Detail::Basic);
        let began = Instant::now();
        metrics.snapshot_at(began, Emit::All);
        assert_eq!(metrics.snapshot_at(began, Emit::Changed), None);
        let snapshot = metrics.snapshot_at(began + 2 * MINUTE, Emit::Changed);
        let windows = snapshot.unwrap().windows;
        assert_eq!(windows[0].samples.count(), 0);
    }

    #[test]
    fn a_clock_that_goes_backwards_ends_no_window() {
        let metrics = metrics(Detail::Basic);
        let now = Instant::now();
        metrics.snapshot_at(now + MINUTE, Emit::All);
        metrics.add(5);
        let snapshot = metrics.snapshot_at(now, Emit::Changed).unwrap();
        assert_eq!(snapshot.windows.len(), 1);
        assert_eq!(snapshot.windows[0].samples.count(), 0);
        let later = metrics
            .snapshot_at(now + 3 * MINUTE, Emit::Changed)
            .unwrap();
        assert_eq!(later.windows[0].samples.count(), 1);
    }

    #[test]
    fn the_record_is_ozones() {
        let metrics = metrics(Detail::Basic);
        metrics.add(7);
        let late = Instant::now() + 2 * MINUTE;
        let record = metrics.snapshot_at(late, Emit::Changed).unwrap().record();
        let names: Vec<_> = record
            .metrics
            .iter()
            .map(|metric| metric.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "GetKeyInfoNumOps",
                "GetKeyInfoAvgTime",
                "GetKeyInfo60sNumOps",
                "GetKeyInfo60s50thPercentileTime",
                "GetKeyInfo60s75thPercentileTime",
                "GetKeyInfo60s90thPercentileTime",
                "GetKeyInfo60s95thPercentileTime",
                "GetKeyInfo60s99thPercentileTime",
                "GetKeyInfoIMinTime",
                "GetKeyInfoIMaxTime",
            ]
        );
        let descriptions = [2, 3].map(|at| record.metrics[at].description.as_str());
        assert_eq!(
            descriptions,
            [
                "Number of ops for time of it with 60s interval",
                "50 percentile time with 60 second interval for time of it",
            ]
        );
        assert_eq!(
            record.get("GetKeyInfo60s50thPercentileTime"),
            Some(Value::GaugeLong(7))
        );
    }

    #[test]
    fn an_extended_record_has_the_quantiles_of_the_interval() {
        let metrics = metrics(Detail::Extended).with_quantiles(&[0.999]).unwrap();
        metrics.add(-3);
        let record = metrics.snapshot(Emit::Changed).unwrap().record();
        assert_eq!(record.metrics.len(), 8 + 1);
        assert_eq!(
            record.get("GetKeyInfo99.9thPercentileTime"),
            Some(Value::GaugeLong(-3))
        );
    }

    #[test]
    fn a_quantile_is_listed_once() {
        let metrics = metrics(Detail::Extended);
        let metrics = metrics
            .with_quantiles(&[0.9, 0.5, 0.9, 0.500_000_1])
            .unwrap();
        let record = metrics.snapshot(Emit::All).unwrap().record();
        let names = record.metrics[8..]
            .iter()
            .map(|metric| metric.name.as_str());
        assert_eq!(
            names.collect::<Vec<_>>(),
            [
                "GetKeyInfo90thPercentileTime",
                "GetKeyInfo50thPercentileTime"
            ]
        );
    }

    #[test]
    fn windows_are_told_apart() {
        let labels = Labels::new("name", "description", "Ops", "Time", Detail::Basic).unwrap();
        let metrics: PerformanceMetrics = PerformanceMetrics::new(labels);
        let error = metrics.with_windows(&[MINUTE, MINUTE]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "two windows of 60s: one of each length will do"
        );
    }
}
