//! The statistic as the storage of the `metrics` facade.
//!
//! What code records with `metrics::histogram!` goes to a
//! [`ConcurrentMutableStat`] each; counters and gauges go on to another recorder.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, NoopRecorder, Recorder,
    SharedString, Unit,
};

use crate::labels::tagged;
use crate::registry::{Reading, Source};
use crate::{ConcurrentMutableStat, Detail, Emit, IntervalStat, Labels};

/// A recorder whose histograms are interval statistics.
///
/// The facade's values are `f64`, usually seconds; samples are integers. A value
/// is multiplied by a number of *steps per unit* and rounded: with 1e9, seconds
/// become nanoseconds. What is beyond `i64` is recorded as its nearest end; what
/// is not a number is not recorded.
///
/// A histogram is one statistic for each set of labels, which are its
/// [tags](Labels::tags): it is called `name{label="value"}`. A name that is empty
/// or has one of `{}=,"` in it is quoted, that of a label as well, so that two
/// keys never share a statistic's name. (A label that is in a key twice makes no
/// tags: they are all in the name then.) A histogram is described by the last
/// `describe_histogram!` of its name before its first use.
///
/// Progress: recording with a handle is wait-free; looking a handle up, as the
/// macros do unless their handle is kept, takes a read lock.
///
/// # Examples
///
/// ```
/// use interval_stat::export::facade::StatRecorder;
/// use interval_stat::registry::{Registry, Source};
/// use interval_stat::Emit;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let recorder = Arc::new(StatRecorder::new(1e9));
/// let registry = <Registry>::new();
/// let source = Arc::clone(&recorder);
/// registry.register("Facade", "what is recorded by macros", move |emit| source.readings(emit))?;
///
/// metrics::with_local_recorder(&recorder, || {
///     metrics::histogram!("flush").record(Duration::from_micros(3));
/// });
/// let report = registry.snapshot(Emit::Changed);
/// assert_eq!(report.get("Facade", "flush").unwrap().snapshot.max, Some(3_000));
/// # Ok::<(), interval_stat::registry::RegisterError>(())
/// ```
#[derive(Debug)]
pub struct StatRecorder<Rest = NoopRecorder> {
    steps_per_unit: f64,
    rest: Rest,
    descriptions: RwLock<HashMap<KeyName, SharedString>>,
    stats: RwLock<HashMap<Key, Arc<Scaled>>>,
}

impl StatRecorder {
    /// No statistics yet; counters and gauges go nowhere.
    #[must_use]
    pub fn new(steps_per_unit: f64) -> Self {
        Self::beside(steps_per_unit, NoopRecorder)
    }
}

impl<Rest> StatRecorder<Rest> {
    /// No statistics yet; counters and gauges go to `rest`.
    ///
    /// # Panics
    ///
    /// If `steps_per_unit` is not a positive finite number.
    pub fn beside(steps_per_unit: f64, rest: Rest) -> Self {
        assert!(
            steps_per_unit.is_finite() && steps_per_unit > 0.0,
            "{steps_per_unit} steps per unit: it must be a positive number, as 1e9"
        );
        Self {
            steps_per_unit,
            rest,
            descriptions: RwLock::default(),
            stats: RwLock::default(),
        }
    }

    fn stat(&self, key: &Key) -> Arc<Scaled> {
        let read = self.stats.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(stat) = read.get(key) {
            return Arc::clone(stat);
        }
        drop(read);
        let mut stats = self.stats.write().unwrap_or_else(PoisonError::into_inner);
        let stat = stats.entry(key.clone()).or_insert_with(|| {
            Arc::new(Scaled {
                steps_per_unit: self.steps_per_unit,
                stat: ConcurrentMutableStat::new(self.labels(key)),
            })
        });
        Arc::clone(stat)
    }

    fn labels(&self, key: &Key) -> Labels {
        let descriptions = self.descriptions.read();
        let descriptions = descriptions.unwrap_or_else(PoisonError::into_inner);
        let described = descriptions.get(key.name()).map(|text| text.to_string());
        let (name, tags) = name_and_tags(key);
        let described = described.filter(|text| !text.is_empty());
        let description = described.unwrap_or_else(|| name.clone());
        let labels = Labels::new(&name, &description, "Ops", "Value", Detail::Extended);
        labels.expect("no label is empty").with_tags(tags)
    }
}

/// One name and tags a key, and no other key's.
fn name_and_tags(key: &Key) -> (String, BTreeMap<String, String>) {
    let name = quoted(key.name());
    let pairs = key
        .labels()
        .map(|label| (quoted(label.key()), label.value().to_owned()));
    let mut pairs: Vec<_> = pairs.collect();
    // The order of labels is nothing to a key, but for that of equal ones.
    pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
    if pairs.windows(2).any(|two| two[0].0 == two[1].0) {
        return (tagged(&name, pairs), BTreeMap::new());
    }
    (name, pairs.into_iter().collect())
}

/// What could be taken for a name with tags, or for no name, is put in quotes.
fn quoted(name: &str) -> String {
    if name.is_empty() || name.contains(['{', '}', '=', ',', '"']) {
        format!("{name:?}")
    } else {
        name.to_owned()
    }
}

impl<Rest> Source for StatRecorder<Rest> {
    fn readings(&self, emit: Emit) -> Vec<Reading> {
        let stats = self.stats.read().unwrap_or_else(PoisonError::into_inner);
        let mut readings: Vec<_> = stats
            .values()
            .flat_map(|scaled| scaled.stat.readings(emit))
            .collect();
        readings.sort_by(|a, b| a.snapshot.labels.name().cmp(b.snapshot.labels.name()));
        readings
    }
}

#[derive(Debug)]
struct Scaled {
    steps_per_unit: f64,
    stat: ConcurrentMutableStat,
}

impl HistogramFn for Scaled {
    fn record(&self, value: f64) {
        let steps = (value * self.steps_per_unit).round();
        if !steps.is_nan() {
            // The cast stops at the ends of `i64`.
            self.stat.add(steps as i64);
        }
    }
}

impl<Rest: Recorder> Recorder for StatRecorder<Rest> {
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, description: SharedString) {
        self.rest.describe_counter(key, unit, description);
    }

    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, description: SharedString) {
        self.rest.describe_gauge(key, unit, description);
    }

    fn describe_histogram(&self, key: KeyName, _unit: Option<Unit>, description: SharedString) {
        let descriptions = self.descriptions.write();
        let mut descriptions = descriptions.unwrap_or_else(PoisonError::into_inner);
        descriptions.insert(key, description);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        self.rest.register_counter(key, metadata)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.rest.register_gauge(key, metadata)
    }

    fn register_histogram(&self, key: &Key, _metadata: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.stat(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metrics::with_local_recorder;

    fn names(recorder: &StatRecorder) -> Vec<String> {
        let readings = recorder.readings(Emit::All);
        let names = readings
            .iter()
            .map(|reading| reading.snapshot.labels.name());
        names.map(str::to_owned).collect()
    }

    #[test]
    fn a_histogram_is_a_statistic_for_each_set_of_labels() {
        let recorder = StatRecorder::new(1e9);
        with_local_recorder(&recorder, || {
            metrics::describe_histogram!("flush", "time (in ns) of a flush");
            for disk in ["a", "b", "a"] {
                metrics::histogram!("flush", "disk" => disk).record(2e-9);
            }
        });
        let readings = recorder.readings(Emit::All);
        let read: Vec<_> = readings
            .iter()
            .map(|reading| {
                (
                    reading.snapshot.labels.name(),
                    reading.snapshot.interval.sum(),
                )
            })
            .collect();
        assert_eq!(read, [("flush{disk=\"a\"}", 4), ("flush{disk=\"b\"}", 2)]);
        let description = readings[0].snapshot.labels.description();
        assert_eq!(description, "time (in ns) of a flush");
    }

    #[test]
    fn what_is_no_number_is_not_recorded() {
        let recorder = StatRecorder::new(1.0);
        with_local_recorder(&recorder, || {
            for value in [f64::NAN, f64::INFINITY, -1e300, 0.4] {
                metrics::histogram!("odd").record(value);
            }
        });
        let snapshot = &recorder.readings(Emit::All)[0].snapshot;
        assert_eq!(snapshot.count, 3);
        assert_eq!(
            (snapshot.min, snapshot.max),
            (Some(i64::MIN), Some(i64::MAX))
        );
    }

    #[test]
    fn an_empty_name_is_still_a_statistic() {
        let recorder = StatRecorder::new(1.0);
        with_local_recorder(&recorder, || metrics::histogram!("").record(1.0));
        assert_eq!(names(&recorder), ["\"\""]);
    }

    #[test]
    fn no_two_keys_share_a_name() {
        let recorder = StatRecorder::new(1.0);
        let key = |name: &str, labels: &[(&str, &str)]| {
            let labels = labels
                .iter()
                .map(|&(name, value)| metrics::Label::new(name.to_owned(), value.to_owned()));
            let labels: Vec<_> = labels.collect();
            recorder
                .stat(&Key::from_parts(name.to_owned(), labels))
                .record(1.0);
        };
        key("", &[]);
        key("unnamed", &[]);
        key("\"\"", &[]);
        key("h{u=\"x\"}", &[]);
        key("h", &[("u", "x")]);
        key("h", &[("u=\"x\",v", "y")]);
        key("h", &[("u", "x"), ("v", "y")]);
        key("h", &[("v", "y"), ("u", "x")]);
        key("h", &[("u", "x"), ("u", "y")]);
        key("h", &[("u", "y")]);
        assert_eq!(
            names(&recorder),
            [
                r#""""#,
                r#""\"\"""#,
                r#""h{u=\"x\"}""#,
                r#"h{"u=\"x\",v"="y"}"#,
                r#"h{u="x",u="y"}"#,
                r#"h{u="x",v="y"}"#,
                r#"h{u="x"}"#,
                r#"h{u="y"}"#,
                "unnamed",
            ]
        );
    }

    #[test]
    #[should_panic(expected = "0 steps per unit: it must be a positive number")]
    fn steps_are_positive() {
        let _ = StatRecorder::new(0.0);
    }
}
