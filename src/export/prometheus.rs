//! Text that Prometheus and OpenMetrics scrapers read, by `prometheus-client`.
//!
//! A statistic `ReadLockHeldTime` of the source `OMLockMetrics` becomes these
//! families, each with the label `source="OMLockMetrics"`:
//!
//! | family | type | what |
//! | --- | --- | --- |
//! | `read_lock_held_time` | histogram | over the lifetime: `_count`, `_sum`, one bucket |
//! | `read_lock_held_time_min`, `..._max` | gauge | over the lifetime, or since they were reset |
//! | `read_lock_held_time_interval_count` | gauge | of the last interval |
//! | `..._interval_mean`, `_stddev`, `_min`, `_max` | gauge | of the last interval |
//! | `read_lock_held_time_quantile` | gauge | labels `window` and `quantile` |
//!
//! What is undefined (the mean of no samples) is left out: a scraper sees that
//! there is no value. Values are in the unit of the samples, which the
//! description should name: it is the help text.
//!
//! Names are in snake case; characters that the format does not know become `_`.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use heck::ToSnakeCase;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use crate::Interval;
use crate::registry::{Reading, Report};

/// The content type of [`text`](text()).
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The report as text.
///
/// # Errors
///
/// If two statistics of a source have the same name in this format.
///
/// # Examples
///
/// ```
/// use interval_stat::export::prometheus;
/// use interval_stat::registry::{Registry, Source};
/// use interval_stat::{Emit, LockMetrics};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let registry = <Registry>::new();
/// let metrics = Arc::new(<LockMetrics>::new());
/// let source = Arc::clone(&metrics);
/// registry.register("OMLockMetrics", "lock metrics", move |emit| source.readings(emit))?;
/// metrics.read.held.add(Duration::from_nanos(7));
///
/// let text = prometheus::text(&registry.snapshot(Emit::All))?;
/// assert!(text.contains("read_lock_held_time_sum{source=\"OMLockMetrics\"} 7.0\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text<I: Interval>(report: &Report<I>) -> Result<String, TextError> {
    let families = families(report)?;
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Encoded(families)));
    let mut text = String::new();
    text::encode(&mut text, &registry).map_err(|_| TextError::Format)?;
    Ok(text)
}

/// The families of a report, owned, so that they can be encoded later.
type Families = BTreeMap<String, Family>;

#[derive(Debug)]
struct Family {
    help: String,
    kind: Kind,
    series: Vec<(Series, Point)>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Distribution,
    Gauge,
}

#[derive(Clone, Debug, PartialEq)]
struct Series(Vec<(&'static str, String)>);

#[derive(Clone, Copy, Debug)]
enum Point {
    Distribution { sum: f64, count: u64 },
    Gauge(f64),
}

fn families<I: Interval>(report: &Report<I>) -> Result<Families, TextError> {
    let mut families = Families::new();
    for source in &report.sources {
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        for reading in &source.readings {
            let name = reading.snapshot.labels.name();
            if let Some(other) = names.insert(family_name(name), name) {
                return Err(TextError::Clash {
                    source: source.name.clone(),
                    names: [other.to_owned(), name.to_owned()],
                });
            }
            add_reading(&mut families, &source.name, reading);
        }
    }
    Ok(families)
}

fn add_reading<I: Interval>(families: &mut Families, source: &str, reading: &Reading<I>) {
    let snapshot = &reading.snapshot;
    let mut family = Adding {
        families,
        name: family_name(snapshot.labels.name()),
        help: snapshot.labels.description(),
        source,
    };
    let all = Point::Distribution {
        sum: snapshot.lifetime.total(),
        count: snapshot.lifetime.count(),
    };
    family.add("", "", Kind::Distribution, &[], all);
    let whole = |value: Option<i64>| value.map(|value| value as f64);
    let interval = &snapshot.interval;
    let gauges = [
        ("_min", "least ", whole(snapshot.min)),
        ("_max", "greatest ", whole(snapshot.max)),
        (
            "_interval_count",
            "samples in the interval: ",
            Some(interval.count() as f64),
        ),
        ("_interval_mean", "mean of the interval: ", interval.mean()),
        (
            "_interval_stddev",
            "standard deviation of the interval: ",
            interval.stddev(),
        ),
        (
            "_interval_min",
            "least in the interval: ",
            whole(interval.min()),
        ),
        (
            "_interval_max",
            "greatest in the interval: ",
            whole(interval.max()),
        ),
    ];
    for (suffix, opening, value) in gauges {
        family.gauge(suffix, opening, &[], value);
    }
    for quantiles in &reading.quantiles {
        for &(share, value) in &quantiles.values {
            let labels = [
                ("window", quantiles.name()),
                ("quantile", share.to_string()),
            ];
            family.gauge("_quantile", "quantiles of ", &labels, whole(value));
        }
    }
}

/// Where one statistic's families go.
struct Adding<'a> {
    families: &'a mut Families,
    name: String,
    help: &'a str,
    source: &'a str,
}

impl Adding<'_> {
    fn gauge(
        &mut self,
        suffix: &str,
        opening: &str,
        labels: &[(&'static str, String)],
        value: Option<f64>,
    ) {
        if let Some(value) = value {
            self.add(suffix, opening, Kind::Gauge, labels, Point::Gauge(value));
        }
    }

    fn add(
        &mut self,
        suffix: &str,
        opening: &str,
        kind: Kind,
        labels: &[(&'static str, String)],
        point: Point,
    ) {
        let name = format!("{}{suffix}", self.name);
        let family = self.families.entry(name).or_insert_with(|| Family {
            help: escaped(&format!("{opening}{}", self.help)),
            kind,
            series: Vec::new(),
        });
        let source = [("source", self.source.to_owned())];
        let labels = source.into_iter().chain(labels.iter().cloned());
        family.series.push((Series(labels.collect()), point));
    }
}

/// A name that the format knows: snake case, in its alphabet.
fn family_name(name: &str) -> String {
    let known = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.to_snake_case().chars().map(known).collect();
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("_{name}"),
    }
}

/// `prometheus-client` escapes the values of labels but not the help.
fn escaped(help: &str) -> String {
    let help = help.replace('\\', "\\\\").replace('\n', "\\n");
    help.replace('"', "\\\"")
}

#[derive(Debug)]
struct Encoded(Families);

impl Collector for Encoded {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for (name, family) in &self.0 {
            let kind = match family.kind {
                Kind::Distribution => MetricType::Histogram,
                Kind::Gauge => MetricType::Gauge,
            };
            let mut metric = encoder.encode_descriptor(name, &family.help, None, kind)?;
            for (series, point) in &family.series {
                let mut metric = metric.encode_family(series)?;
                match *point {
                    Point::Distribution { sum, count } => {
                        let buckets = [(f64::INFINITY, count)];
                        metric.encode_histogram::<Series>(sum, count, &buckets, None)?;
                    }
                    Point::Gauge(value) => ConstGauge::new(value).encode(metric)?,
                }
            }
        }
        Ok(())
    }
}

impl EncodeLabelSet for Series {
    fn encode(
        &self,
        encoder: &mut prometheus_client::encoding::LabelSetEncoder<'_>,
    ) -> fmt::Result {
        use prometheus_client::encoding::EncodeLabel;
        let mut labels = self.0.iter();
        labels.try_for_each(|(name, value)| (*name, value.as_str()).encode(encoder.encode_label()))
    }
}

/// Encodes the report of `report` whenever a registry of `prometheus-client` is
/// encoded, beside the other metrics there.
///
/// A report that [`text`](text()) refuses is an error of that encoding.
///
/// # Examples
///
/// ```
/// use interval_stat::export::prometheus::Reports;
/// use interval_stat::registry::Registry;
/// use std::sync::Arc;
///
/// let registry = Arc::new(<Registry>::new());
/// let mut others = prometheus_client::registry::Registry::default();
/// let last = Arc::clone(&registry);
/// others.register_collector(Box::new(Reports::new(move || last.last())));
/// ```
pub struct Reports<F>(F);

impl<I: Interval, F: Fn() -> Arc<Report<I>> + Send + Sync + 'static> Reports<F> {
    /// Asks `report` for what to encode.
    pub fn new(report: F) -> Self {
        Self(report)
    }
}

impl<F> fmt::Debug for Reports<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reports").finish_non_exhaustive()
    }
}

impl<I: Interval, F: Fn() -> Arc<Report<I>> + Send + Sync + 'static> Collector for Reports<F> {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let families = families(&self.0()).map_err(|_| fmt::Error)?;
        Encoded(families).encode(encoder)
    }
}

/// A report that has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextError {
    /// Two statistics of one source have the same name in this format.
    Clash {
        /// The name of the source.
        source: String,
        /// The names of the statistics.
        names: [String; 2],
    },
    /// The encoder failed.
    Format,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clash {
                source,
                names: [one, other],
            } => write!(
                f,
                "the statistics `{one}` and `{other}` of the source `{source}` are both \
                 `{}` here: rename one",
                family_name(one)
            ),
            Self::Format => f.write_str("the text cannot be formatted"),
        }
    }
}

impl Error for TextError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Source;
    use crate::{ConcurrentMutableStat, Detail, Emit, IntervalStat, Labels, Moments};

    fn readings(name: &str, samples: &[i64]) -> Vec<Reading> {
        let labels = Labels::new(
            name,
            "time (in \"ns\")\nof it",
            "Ops",
            "Time",
            Detail::Basic,
        );
        let stat: ConcurrentMutableStat = ConcurrentMutableStat::new(labels.unwrap());
        stat.add_batch(samples);
        stat.readings(Emit::All)
    }

    type Statistics<'a> = &'a [(&'a str, &'a [i64])];

    fn report(sources: &[(&str, Statistics<'_>)]) -> Report {
        let registry = crate::registry::Registry::<Moments>::new();
        for &(source, statistics) in sources {
            let all: Vec<_> = statistics
                .iter()
                .flat_map(|&(name, samples)| readings(name, samples))
                .collect();
            registry
                .register(source, "a test", move |_| all.clone())
                .unwrap();
        }
        Report::clone(&registry.snapshot(Emit::All))
    }

    #[test]
    fn families_are_grouped_over_sources() {
        let text = text(&report(&[
            ("a", &[("wait", &[1, 2])]),
            ("b", &[("wait", &[4])]),
        ]))
        .unwrap();
        assert_eq!(text.matches("# TYPE wait histogram").count(), 1);
        assert!(text.contains("wait_sum{source=\"a\"} 3.0\n"), "{text}");
        assert!(text.contains("wait_count{source=\"b\"} 1\n"), "{text}");
        assert!(
            text.contains("wait_bucket{source=\"b\",le=\"+Inf\"} 1\n")
                || text.contains("wait_bucket{le=\"+Inf\",source=\"b\"} 1\n"),
            "{text}"
        );
        assert!(
            text.contains("wait_interval_mean{source=\"a\"} 1.5\n"),
            "{text}"
        );
        assert!(text.ends_with("# EOF\n"));
    }

    #[test]
    fn what_is_undefined_is_left_out() {
        let text = text(&report(&[("a", &[("wait", &[])])])).unwrap();
        assert!(
            text.contains("wait_interval_count{source=\"a\"} 0.0\n"),
            "{text}"
        );
        assert!(!text.contains("wait_interval_mean"), "{text}");
        assert!(!text.contains("wait_max"), "{text}");
    }

    #[test]
    fn odd_names_become_known_ones() {
        assert_eq!(family_name("ReadLockHeldTime"), "read_lock_held_time");
        assert_eq!(family_name("9 lives"), "_9_lives");
        assert_eq!(family_name("é"), "__");
        assert_eq!(family_name("a{b=\"c\"}"), "a_b_c");
    }

    #[test]
    fn odd_labels_and_help_are_escaped() {
        let text = text(&report(&[("a \"quoted\"\nsource", &[("wait", &[1])])])).unwrap();
        assert!(
            text.contains("source=\"a \\\"quoted\\\"\\nsource\""),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.starts_with(['#', 'w'])),
            "{text}"
        );
    }

    #[test]
    fn names_that_clash_are_refused() {
        let error = text(&report(&[("a", &[("getKey", &[1]), ("GetKey", &[2])])])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the statistics `getKey` and `GetKey` of the source `a` are both `get_key` here: rename one"
        );
    }
}
