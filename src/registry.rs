//! All sources of a process, and one snapshot of them.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use crate::{Emit, Interval, IntervalStat, LockMetrics, Moments, Rate, Snapshot};

/// What a source reports of one statistic.
///
/// # Examples
///
/// ```
/// use interval_stat::registry::{Reading, Source};
/// use interval_stat::{Emit, LockMetrics};
///
/// let metrics = <LockMetrics>::new();
/// let readings: Vec<Reading> = metrics.readings(Emit::All);
/// assert_eq!(readings[0].snapshot.labels.name(), "ReadLockHeldTime");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reading<I = Moments> {
    /// The interval and the lifetime figures.
    pub snapshot: Snapshot<I>,
    /// The quantiles, if the statistic has any: of the interval, and of the
    /// windows that ended last.
    pub quantiles: Vec<Quantiles>,
}

/// The quantiles of the samples of some time.
///
/// # Examples
///
/// ```
/// use interval_stat::registry::Quantiles;
///
/// let quantiles = Quantiles { window: None, count: 0, values: vec![(0.99, None)] };
/// assert_eq!(quantiles.name(), "interval");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Quantiles {
    /// How long the window is, in whole seconds; `None` for the interval.
    pub window: Option<Duration>,
    /// How many samples there were.
    pub count: u64,
    /// Shares from 0 to 1, and the value there; `None` if there were no samples.
    pub values: Vec<(f64, Option<i64>)>,
}

impl Quantiles {
    /// What the time is called, as in "60s".
    #[must_use]
    pub fn name(&self) -> String {
        let seconds = self.window.map(|window| format!("{}s", window.as_secs()));
        seconds.unwrap_or_else(|| "interval".to_owned())
    }
}

/// Something that reports statistics.
///
/// # Examples
///
/// A pool that reports two:
///
/// ```
/// use interval_stat::registry::{Reading, Source};
/// use interval_stat::{ConcurrentMutableStat, Emit};
///
/// struct Pool {
///     wait: ConcurrentMutableStat,
///     run: ConcurrentMutableStat,
/// }
///
/// impl Source for Pool {
///     fn readings(&self, emit: Emit) -> Vec<Reading> {
///         [&self.wait, &self.run].into_iter().flat_map(|stat| stat.readings(emit)).collect()
///     }
/// }
/// ```
pub trait Source<I = Moments> {
    /// Closes the intervals and reports them; of those that did not change, only
    /// if `emit` asks for all.
    fn readings(&self, emit: Emit) -> Vec<Reading<I>>;
}

impl<S: IntervalStat> Source<S::Interval> for S {
    fn readings(&self, emit: Emit) -> Vec<Reading<S::Interval>> {
        self.snapshot(emit).into_iter().map(Reading::from).collect()
    }
}

impl<S: IntervalStat> Source<S::Interval> for Rate<S> {
    fn readings(&self, emit: Emit) -> Vec<Reading<S::Interval>> {
        self.stat().readings(emit)
    }
}

impl<S: IntervalStat> Source<S::Interval> for LockMetrics<S> {
    fn readings(&self, emit: Emit) -> Vec<Reading<S::Interval>> {
        self.snapshot(emit).into_iter().map(Reading::from).collect()
    }
}

#[cfg(feature = "quantiles")]
impl<R: crate::runtime::Runtime> Source for crate::PerformanceMetrics<R> {
    fn readings(&self, emit: Emit) -> Vec<Reading> {
        let snapshot = self.snapshot(emit);
        snapshot.iter().map(Reading::from).collect()
    }
}

impl<I> From<Snapshot<I>> for Reading<I> {
    fn from(snapshot: Snapshot<I>) -> Self {
        Self {
            snapshot,
            quantiles: Vec::new(),
        }
    }
}

#[cfg(feature = "quantiles")]
impl From<&crate::PerformanceSnapshot> for Reading {
    fn from(performance: &crate::PerformanceSnapshot) -> Self {
        let quantiles = |window, samples: &crate::Distribution| Quantiles {
            window,
            count: samples.count(),
            values: {
                let quantiles = performance.quantiles.iter();
                quantiles
                    .map(|&quantile| (quantile.share(), samples.quantile(quantile)))
                    .collect()
            },
        };
        let statistic = &performance.statistic;
        let interval = quantiles(None, &statistic.interval);
        let windows = performance.windows.iter();
        let windows = windows.map(|window| quantiles(Some(window.length), &window.samples));
        Self {
            quantiles: std::iter::once(interval).chain(windows).collect(),
            snapshot: Snapshot {
                labels: Arc::clone(&statistic.labels),
                count: statistic.count,
                interval: *statistic.interval.moments(),
                lifetime: *statistic.lifetime.moments(),
                min: statistic.min,
                max: statistic.max,
            },
        }
    }
}

/// What a registered source reported.
///
/// # Examples
///
/// See [`Registry`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SourceReport<I = Moments> {
    /// The name that the source is registered under.
    pub name: String,
    /// What the source is.
    pub description: String,
    /// Its statistics.
    pub readings: Vec<Reading<I>>,
}

/// What all sources of a registry reported at one time, by name.
///
/// # Examples
///
/// See [`Registry`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report<I = Moments> {
    /// The sources, by name in ascending order.
    pub sources: Vec<SourceReport<I>>,
}

impl<I> Default for Report<I> {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
        }
    }
}

impl<I> Report<I> {
    /// The reading of a source's statistic; `None` if there is none.
    #[must_use]
    pub fn get(&self, source: &str, statistic: &str) -> Option<&Reading<I>> {
        let source = self.sources.iter().find(|report| report.name == source)?;
        let mut readings = source.readings.iter();
        readings.find(|reading| reading.snapshot.labels.name() == statistic)
    }
}

/// The named sources of a process.
///
/// A snapshot of a registry closes the interval of everything registered. Take it
/// in one place, at regular times, and show what it reported
/// ([`last`](Self::last)) to however many ask: two that take snapshots would each
/// see half of the intervals. (Counts, sums and extremes over the lifetime are
/// right all the same.)
///
/// Sources may come and go at any time, during a snapshot as well: a snapshot
/// asks those that were there when it began, and what a source has not reported
/// when it goes is returned to whoever removes it.
///
/// Progress: every operation takes a lock for a moment; snapshots exclude each
/// other, and sources are asked under no other lock. No lock is held that an `add`
/// takes.
///
/// # Examples
///
/// ```
/// use interval_stat::registry::{Registry, Source};
/// use interval_stat::{Emit, LockMetrics};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let registry = <Registry>::new();
/// let metrics = Arc::new(<LockMetrics>::new());
/// let source = Arc::clone(&metrics);
/// registry.register("OMLockMetrics", "Ozone Manager lock metrics", move |emit| source.readings(emit))?;
///
/// metrics.read.held.add(Duration::from_nanos(7));
/// let report = registry.snapshot(Emit::Changed);
/// let held = report.get("OMLockMetrics", "ReadLockHeldTime").expect("it was held");
/// assert_eq!(held.snapshot.max, Some(7));
///
/// // A static is a source as well.
/// # use interval_stat::{ConcurrentMutableRate, Detail};
/// # use std::sync::LazyLock;
/// static FLUSH: LazyLock<ConcurrentMutableRate> = LazyLock::new(|| {
///     ConcurrentMutableRate::new("Flush", "time (in ns) of a flush", Detail::Basic).unwrap()
/// });
/// registry.register("Log", "the log", |emit| FLUSH.readings(emit))?;
/// # Ok::<(), interval_stat::registry::RegisterError>(())
/// ```
pub struct Registry<I = Moments> {
    sources: Mutex<BTreeMap<String, Arc<Registered<I>>>>,
    /// Held by whoever takes a snapshot.
    turn: Mutex<()>,
    /// Whose turn it is.
    taker: Mutex<Option<ThreadId>>,
    last: Mutex<Arc<Report<I>>>,
}

struct Registered<I> {
    description: String,
    readings: Box<dyn Fn(Emit) -> Vec<Reading<I>> + Send + Sync>,
}

impl<I: Interval> Registry<I> {
    /// No sources yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sources: Mutex::new(BTreeMap::new()),
            turn: Mutex::new(()),
            taker: Mutex::new(None),
            last: Mutex::new(Arc::default()),
        }
    }

    /// Adds a source: what is called at each snapshot.
    ///
    /// # Errors
    ///
    /// If the name is empty or taken; nothing is changed then.
    ///
    /// ```
    /// use interval_stat::registry::Registry;
    ///
    /// let registry = <Registry>::new();
    /// registry.register("Locks", "lock metrics", |_| Vec::new())?;
    /// let error = registry.register("Locks", "others", |_| Vec::new()).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "the source `Locks` (others) needs another name: it is that of the registered source `Locks` (lock metrics)"
    /// );
    /// # Ok::<(), interval_stat::registry::RegisterError>(())
    /// ```
    pub fn register(
        &self,
        name: &str,
        description: &str,
        readings: impl Fn(Emit) -> Vec<Reading<I>> + Send + Sync + 'static,
    ) -> Result<(), RegisterError> {
        if name.is_empty() {
            return Err(RegisterError::NoName {
                description: description.to_owned(),
            });
        }
        let mut sources = lock(&self.sources);
        if let Some(registered) = sources.get(name) {
            return Err(RegisterError::Taken {
                name: name.to_owned(),
                registered: registered.description.clone(),
                description: description.to_owned(),
            });
        }
        let source = Registered {
            description: description.to_owned(),
            readings: Box::new(readings),
        };
        sources.insert(name.to_owned(), Arc::new(source));
        Ok(())
    }

    /// Removes a source and returns what it has not reported yet; `None` if there
    /// is no such source.
    ///
    /// ```
    /// use interval_stat::registry::{Registry, Source};
    /// use interval_stat::LockMetrics;
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// let registry = <Registry>::new();
    /// let metrics = Arc::new(<LockMetrics>::new());
    /// let source = Arc::clone(&metrics);
    /// registry.register("Locks", "lock metrics", move |emit| source.readings(emit))?;
    /// metrics.read.held.add(Duration::from_nanos(7));
    /// let rest = registry.unregister("Locks").expect("it is registered");
    /// assert_eq!(rest.readings[0].snapshot.count, 1);
    /// assert_eq!(registry.unregister("Locks"), None);
    /// # Ok::<(), interval_stat::registry::RegisterError>(())
    /// ```
    pub fn unregister(&self, name: &str) -> Option<SourceReport<I>> {
        let source = lock(&self.sources).remove(name)?;
        Some(source.report(name, Emit::Changed))
    }

    /// Closes the intervals of all sources and reports them; of statistics that
    /// did not change, only if `emit` asks for all.
    ///
    /// # Panics
    ///
    /// If a source does, but not before all have been asked: what the others
    /// reported is [`last`](Self::last). A source that takes a snapshot of the
    /// registry that asks it panics.
    ///
    /// ```
    /// use interval_stat::Emit;
    /// use interval_stat::registry::Registry;
    /// use std::panic::{AssertUnwindSafe, catch_unwind};
    ///
    /// let registry = <Registry>::new();
    /// registry.register("A", "one with a fault", |_| panic!("no reading"))?;
    /// registry.register("B", "one without", |_| Vec::new())?;
    /// let snapshot = catch_unwind(AssertUnwindSafe(|| registry.snapshot(Emit::All)));
    /// assert!(snapshot.is_err());
    /// assert_eq!(registry.last().sources[0].name, "B");
    /// # Ok::<(), interval_stat::registry::RegisterError>(())
    /// ```
    pub fn snapshot(&self, emit: Emit) -> Arc<Report<I>> {
        let taker = Some(thread::current().id());
        assert_ne!(
            *lock(&self.taker),
            taker,
            "a source takes a snapshot of the registry that asks it"
        );
        let _turn = lock(&self.turn);
        *lock(&self.taker) = taker;
        // Sources are asked without this lock: they may come and go meanwhile.
        let sources = lock(&self.sources).clone();
        let mut panic = None;
        let reports = sources.iter().filter_map(|(name, source)| {
            let report = catch_unwind(AssertUnwindSafe(|| source.report(name, emit)));
            report.map_err(|payload| panic = Some(payload)).ok()
        });
        let report = Arc::new(Report {
            sources: reports.collect(),
        });
        *lock(&self.last) = Arc::clone(&report);
        *lock(&self.taker) = None;
        match panic {
            Some(payload) => resume_unwind(payload),
            None => report,
        }
    }

    /// What the last snapshot reported that was finished; a report of no sources if
    /// there was none.
    ///
    /// ```
    /// use interval_stat::Emit;
    /// use interval_stat::registry::Registry;
    ///
    /// let registry = <Registry>::new();
    /// let report = registry.snapshot(Emit::All);
    /// assert_eq!(registry.last(), report);
    /// ```
    pub fn last(&self) -> Arc<Report<I>> {
        Arc::clone(&lock(&self.last))
    }
}

impl<I: Interval> Default for Registry<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I> fmt::Debug for Registry<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(lock(&self.sources).keys()).finish()
    }
}

impl<I> Registered<I> {
    fn report(&self, name: &str, emit: Emit) -> SourceReport<I> {
        SourceReport {
            name: name.to_owned(),
            description: self.description.clone(),
            readings: (self.readings)(emit),
        }
    }
}

/// A source's panic leaves the registry as it was.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A source that cannot be registered.
///
/// # Examples
///
/// See [`Registry::register`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterError {
    /// The name is empty.
    NoName {
        /// What the source is.
        description: String,
    },
    /// Another source has this name.
    Taken {
        /// The name.
        name: String,
        /// What the source is that has it.
        registered: String,
        /// What the source is that was to have it.
        description: String,
    },
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName { description } => write!(
                f,
                "the source ({description}) has an empty name: it needs at least one character"
            ),
            Self::Taken {
                name,
                registered,
                description,
            } => write!(
                f,
                "the source `{name}` ({description}) needs another name: \
                 it is that of the registered source `{name}` ({registered})"
            ),
        }
    }
}

impl Error for RegisterError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConcurrentMutableStat, Detail, Labels};
    use std::thread;

    fn stat() -> Arc<ConcurrentMutableStat> {
        let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic);
        Arc::new(ConcurrentMutableStat::new(labels.unwrap()))
    }

    fn registered(registry: &Registry, name: &str) -> Arc<ConcurrentMutableStat> {
        let stat = stat();
        let source = Arc::clone(&stat);
        let readings = move |emit| source.readings(emit);
        registry.register(name, "a test", readings).unwrap();
        stat
    }

    fn samples(reports: &[SourceReport]) -> u64 {
        let readings = reports.iter().flat_map(|report| &report.readings);
        readings
            .map(|reading| reading.snapshot.interval.count())
            .sum()
    }

    #[test]
    fn sources_are_reported_by_name() {
        let registry = Registry::new();
        let [_b, a] = ["b", "a"].map(|name| registered(&registry, name));
        registry.snapshot(Emit::All);
        a.add(3);
        let report = registry.snapshot(Emit::Changed);
        let names: Vec<_> = report.sources.iter().map(|source| &source.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(report.get("a", "wait").unwrap().snapshot.interval.sum(), 3);
        assert_eq!(report.get("b", "wait"), None);
        assert_eq!(registry.last(), report);
    }

    #[test]
    fn a_name_must_be_there() {
        let error = Registry::<Moments>::new().register("", "a test", |_| Vec::new());
        let error = error.unwrap_err().to_string();
        assert_eq!(
            error,
            "the source (a test) has an empty name: it needs at least one character"
        );
    }

    /// The text with which a snapshot panics.
    fn panics(registry: &Registry) -> String {
        let snapshot = AssertUnwindSafe(|| registry.snapshot(Emit::All));
        let payload = catch_unwind(snapshot).unwrap_err();
        let text = payload.downcast_ref::<&str>().map(|&text| text.to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap()
    }

    /// Those before and behind it are reported, and the next snapshot is as ever.
    #[test]
    fn a_source_that_panics_takes_no_other_with_it() {
        let registry = Registry::new();
        let stats = ["a", "c"].map(|name| registered(&registry, name));
        registry.register("b", "panics", |_| panic!("b")).unwrap();
        for round in 1..=3 {
            stats.iter().for_each(|stat| stat.add(round));
            assert_eq!(panics(&registry), "b");
            assert_eq!(samples(&registry.last().sources), 2);
        }
        let bad = catch_unwind(AssertUnwindSafe(|| registry.unregister("b")));
        assert!(bad.is_err());
        assert_eq!(samples(&registry.snapshot(Emit::All).sources), 0);
        assert_eq!(stats[0].snapshot(Emit::All).unwrap().count, 3);
    }

    #[test]
    fn a_source_may_look_at_the_last_report_and_not_take_one() {
        let registry: Arc<Registry> = Arc::new(Registry::new());
        let asked = Arc::clone(&registry);
        let last = move |_| {
            asked.last();
            Vec::new()
        };
        registry.register("a", "looks", last).unwrap();
        registry.snapshot(Emit::All);
        registry.unregister("a");
        let asked = Arc::clone(&registry);
        let nested = move |emit| {
            asked.snapshot(emit);
            Vec::new()
        };
        registry.register("b", "nests", nested).unwrap();
        assert!(panics(&registry).contains("a source takes a snapshot of the registry"));
        assert_eq!(registry.last().sources.len(), 0);
    }

    /// Sources that come, are added to and go beside a reporter: every sample is
    /// in a report or in what their removal returns.
    #[test]
    fn nothing_is_lost_while_sources_come_and_go() {
        const ROUNDS: u64 = 300;
        let registry = Registry::new();
        let (reported, rest) = thread::scope(|scope| {
            let reporter = scope.spawn(|| {
                (0..ROUNDS)
                    .map(|_| samples(&registry.snapshot(Emit::Changed).sources))
                    .sum::<u64>()
            });
            let comers = ["a", "b"].map(|name| {
                let registry = &registry;
                scope.spawn(move || {
                    let round = |_| {
                        let stat = registered(registry, name);
                        stat.add(1);
                        stat.add(2);
                        samples(&registry.unregister(name).into_iter().collect::<Vec<_>>())
                    };
                    (0..ROUNDS).map(round).sum::<u64>()
                })
            });
            let rest: u64 = comers.map(|comer| comer.join().unwrap()).into_iter().sum();
            (reporter.join().unwrap(), rest)
        });
        assert_eq!(reported + rest, 2 * 2 * ROUNDS);
    }
}
