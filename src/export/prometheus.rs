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
//! The sum of a histogram never falls. Where there is a negative sample or sum in a
//! family, `..._count` and `..._sum` are gauges of the same names in place of it,
//! without a bucket. (Of a batch it is only known once the lifetime's sum is negative.)
//!
//! # Names
//!
//! A family's name is the statistic's ([`Labels::family`](crate::Labels::family)) in
//! snake case; characters that the format does not know become `_`. If that gives two
//! statistics of a source the same series (`getKey` and `GetKey`), or two families
//! the same metric (`wait` and `waitCount`), each of them goes by its escaped name
//! instead, which is no other's: `U__` and its characters, where `_` is `__` and one
//! that is neither letter nor digit is its code point, as in `_2d_`. This is how
//! Prometheus escapes names (`values`). What clashes is told from the report alone, so
//! it should be one of all statistics ([`Emit::All`](crate::Emit::All)), or names may
//! change from report to report.
//!
//! [Tags](crate::Labels::tags) are labels, by their own names, or by their escaped
//! ones where the format does not know or allow them, or uses them itself: `source`,
//! `window`, `quantile`, `le`. An empty value is shown as `""`, since it would be no
//! label at all.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use heck::ToSnakeCase;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use crate::registry::{Reading, Report};
use crate::{Interval, Labels};

/// The content type of [`text`](text()).
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The report as text.
///
/// # Errors
///
/// If a source has two statistics of the same name and tags.
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
    series: BTreeMap<Series, Point>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Distribution,
    Gauge,
}

/// Names and values of its labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Series(Vec<(String, String)>);

#[derive(Clone, Copy, Debug)]
enum Point {
    Distribution { sum: f64, count: u64 },
    Gauge(f64),
}

/// What is added to a family's name, by us or by the format.
const SUFFIXES: [&str; 13] = [
    "",
    "_count",
    "_sum",
    "_bucket",
    "_created",
    "_min",
    "_max",
    "_interval_count",
    "_interval_mean",
    "_interval_stddev",
    "_interval_min",
    "_interval_max",
    "_quantile",
];

/// A statistic, and the source that it is of.
struct Statistic<'a, I> {
    source: &'a str,
    reading: &'a Reading<I>,
}

impl<'a, I: Interval> Statistic<'a, I> {
    fn labels(&self) -> &'a Labels {
        &self.reading.snapshot.labels
    }

    /// Whether its sum may have fallen.
    fn is_signed(&self) -> bool {
        let lifetime = &self.reading.snapshot.lifetime;
        let total = lifetime.total();
        lifetime.min().is_some_and(|min| min < 0) || total < 0.0 || total.is_nan()
    }
}

fn families<I: Interval>(report: &Report<I>) -> Result<Families, TextError> {
    let sources = report.sources.iter();
    let statistics = sources.flat_map(|report| {
        let source = report.name.as_str();
        let readings = report.readings.iter();
        readings.map(move |reading| Statistic { source, reading })
    });
    let statistics: Vec<_> = statistics.collect();
    no_twins(&statistics)?;
    let clashing = clashing(&statistics);
    let name = |statistic: &Statistic<'_, I>| match statistic.labels().family() {
        name if clashing.contains(name) => escaped_name(name),
        name => family_name(name),
    };
    let signed = statistics.iter().filter(|statistic| statistic.is_signed());
    let signed: BTreeSet<String> = signed.map(name).collect();
    let mut families = Families::new();
    for statistic in &statistics {
        let name = name(statistic);
        let is_signed = signed.contains(&name);
        add_statistic(&mut families, name, is_signed, statistic);
    }
    Ok(families)
}

fn no_twins<I: Interval>(statistics: &[Statistic<'_, I>]) -> Result<(), TextError> {
    let mut known = BTreeSet::new();
    for statistic in statistics {
        let labels = statistic.labels();
        if !known.insert((statistic.source, labels.family(), labels.tags())) {
            return Err(TextError::Twice {
                source: statistic.source.to_owned(),
                name: labels.name().to_owned(),
            });
        }
    }
    Ok(())
}

/// The statistics' own names of which several would be one in this format.
fn clashing<'a, I: Interval>(statistics: &[Statistic<'a, I>]) -> BTreeSet<&'a str> {
    let mut clashing = BTreeSet::new();
    let mut originals: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut series = BTreeMap::new();
    for statistic in statistics {
        let labels = statistic.labels();
        let (original, name) = (labels.family(), family_name(labels.family()));
        let same = series.insert((statistic.source, name.clone(), labels.tags()), original);
        if let Some(other) = same {
            clashing.extend([other, original]);
        }
        originals.entry(name).or_default().insert(original);
    }
    let mut owners: BTreeMap<String, &BTreeSet<&str>> = BTreeMap::new();
    for (name, originals) in &originals {
        for suffix in SUFFIXES {
            if let Some(others) = owners.insert(format!("{name}{suffix}"), originals) {
                clashing.extend(others.iter().chain(originals));
            }
        }
    }
    clashing
}

fn add_statistic<I: Interval>(
    families: &mut Families,
    name: String,
    is_signed: bool,
    statistic: &Statistic<'_, I>,
) {
    let Reading {
        snapshot,
        quantiles,
    } = statistic.reading;
    let source = ("source".to_owned(), statistic.source.to_owned());
    let tags = snapshot.labels.tags().iter();
    let tags = tags.map(|(tag, value)| (label_name(tag), label_value(value)));
    let mut family = Adding {
        families,
        name,
        help: snapshot.labels.description(),
        labels: std::iter::once(source).chain(tags).collect(),
    };
    let (sum, count) = (snapshot.lifetime.total(), snapshot.lifetime.count());
    if is_signed {
        family.gauge("_count", "samples: ", &[], Some(count as f64));
        family.gauge("_sum", "sum: ", &[], Some(sum));
    } else {
        let all = Point::Distribution { sum, count };
        family.add("", "", Kind::Distribution, &[], all);
    }
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
    for quantiles in quantiles {
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
    labels: Vec<(String, String)>,
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
            series: BTreeMap::new(),
        });
        let labels = labels
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        let labels = self.labels.iter().cloned().chain(labels);
        // A quantile that is there twice is one.
        family
            .series
            .entry(Series(labels.collect()))
            .or_insert(point);
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

/// A name that the format knows, and no other statistic's: the other way back there
/// is one reading of it, and of it with a suffix, none of which opens as a code point
/// and ends in `_`.
fn escaped_name(name: &str) -> String {
    let characters = name.chars().map(|c| match c {
        '_' => "__".to_owned(),
        c if c.is_ascii_alphanumeric() => c.to_string(),
        c => format!("_{:x}_", u32::from(c)),
    });
    format!("U__{}", characters.collect::<String>())
}

/// The tag's name if the format allows it, else its escaped name.
fn label_name(tag: &str) -> String {
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_known = tag.chars().all(known) && !tag.starts_with(|c: char| c.is_ascii_digit());
    let is_taken = ["source", "window", "quantile", "le", ""].contains(&tag)
        || ["__", "U__"].iter().any(|start| tag.starts_with(start));
    if is_known && !is_taken {
        tag.to_owned()
    } else {
        escaped_name(tag)
    }
}

/// An empty value, which to the format is as good as no label, is put in quotes; and
/// so is what could be taken for it.
fn label_value(value: &str) -> String {
    if value.is_empty() || value.starts_with('"') {
        format!("{value:?}")
    } else {
        value.to_owned()
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
        labels.try_for_each(|(name, value)| {
            (name.as_str(), value.as_str()).encode(encoder.encode_label())
        })
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
    /// A source has two statistics of the same name and tags.
    Twice {
        /// The name of the source.
        source: String,
        /// The name of the statistics.
        name: String,
    },
    /// The encoder failed.
    Format,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Twice { source, name } => write!(
                f,
                "the source `{source}` has two statistics `{name}`: rename one, or give them tags"
            ),
            Self::Format => f.write_str("the text cannot be formatted"),
        }
    }
}

impl Error for TextError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Source, SourceReport};
    use crate::{ConcurrentMutableStat, Detail, Emit, IntervalStat, Moments};
    use proptest::prelude::*;

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

    /// The lines of the text that are no comments.
    fn lines(report: &Report) -> Vec<String> {
        let text = text(report).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn names_that_clash_are_escaped() {
        let lines = lines(&report(&[
            ("a", &[("getKey", &[1]), ("GetKey", &[2]), ("wait", &[3])]),
            ("b", &[("get_key", &[4])]),
            ("c", &[("等待", &[5]), ("持有", &[6])]),
        ]));
        for line in [
            "U__getKey_sum{source=\"a\"} 1.0",
            "U__GetKey_sum{source=\"a\"} 2.0",
            "wait_sum{source=\"a\"} 3.0",
            "get_key_sum{source=\"b\"} 4.0",
            "U___7b49__5f85__sum{source=\"c\"} 5.0",
            "U___6301__6709__sum{source=\"c\"} 6.0",
        ] {
            assert!(lines.iter().any(|other| other == line), "{line}: {lines:?}");
        }
    }

    #[test]
    fn metrics_that_clash_are_of_escaped_names() {
        for (other, escaped) in [
            ("waitCount", "U__waitCount"),
            ("wait_count", "U__wait__count"),
            ("waitMax", "U__waitMax"),
            ("WaitIntervalMin", "U__WaitIntervalMin"),
            ("wait interval", "U__wait_20_interval"),
        ] {
            let lines = lines(&report(&[
                ("a", &[("wait", &[1])]),
                ("b", &[(other, &[2])]),
            ]));
            let sum = |name, sum| format!("{name}_sum{{source=\"{sum}");
            assert!(lines.contains(&sum("U__wait", "a\"} 1.0")), "{lines:?}");
            assert!(lines.contains(&sum(escaped, "b\"} 2.0")), "{lines:?}");
        }
    }

    #[test]
    fn a_sum_that_falls_is_a_gauge() {
        let text = text(&report(&[
            ("a", &[("wait", &[-9, 1])]),
            ("b", &[("wait", &[2])]),
        ]))
        .unwrap();
        for line in [
            "# TYPE wait_count gauge",
            "# TYPE wait_sum gauge",
            "wait_count{source=\"a\"} 2.0",
            "wait_sum{source=\"a\"} -8.0",
            "wait_sum{source=\"b\"} 2.0",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}: {text}");
        }
        assert!(!text.contains("wait_bucket"), "{text}");
        assert!(!text.contains("# TYPE wait "), "{text}");
    }

    #[test]
    fn a_quantile_that_is_there_twice_is_one_series() {
        let mut reading = readings("wait", &[7]).remove(0);
        reading.quantiles = vec![crate::registry::Quantiles {
            window: None,
            count: 1,
            values: vec![(0.5, Some(7)), (0.5, Some(7))],
        }];
        let registry = crate::registry::Registry::<Moments>::new();
        let registered = registry.register("a", "a test", move |_| vec![reading.clone()]);
        registered.unwrap();
        let text = text(&registry.snapshot(Emit::All)).unwrap();
        assert_eq!(text.matches("\nwait_quantile{").count(), 1, "{text}");
    }

    #[test]
    fn tags_are_labels() {
        assert_eq!(label_name("path"), "path");
        assert_eq!(label_name("http.method"), "U__http_2e_method");
        assert_eq!(label_name("source"), "U__source");
        assert_eq!(label_name("__name"), "U______name");
        assert_eq!(label_name("9"), "U__9");
        assert_eq!(label_name(""), "U__");
        assert_eq!(label_value(""), "\"\"");
        assert_eq!(label_value("\"\""), "\"\\\"\\\"\"");
    }

    #[test]
    fn two_of_one_name_are_refused() {
        let error = text(&report(&[("a", &[("wait", &[1]), ("wait", &[2])])])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the source `a` has two statistics `wait`: rename one, or give them tags"
        );
    }

    /// The rules of OpenMetrics that text of ours could break: each metric is of one
    /// family, each sample of the family above it and there once, and no sum or count
    /// of a histogram is negative.
    fn check(text: &str) -> Result<(), TestCaseError> {
        let mut metrics = BTreeSet::new();
        let mut series = BTreeSet::new();
        let mut family = Vec::new();
        let mut is_histogram = false;
        for line in text.lines() {
            if let Some(declared) = line.strip_prefix("# TYPE ") {
                let (name, kind) = declared.split_once(' ').unwrap();
                is_histogram = kind == "histogram";
                let suffixes = ["", "_count", "_sum", "_bucket", "_created"];
                let suffixes = &suffixes[..if is_histogram { 5 } else { 1 }];
                family = suffixes.iter().map(|end| format!("{name}{end}")).collect();
                for metric in &family {
                    prop_assert!(metrics.insert(metric.clone()), "{} twice", metric);
                }
            } else if !line.starts_with('#') {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let metric = name.split('{').next().unwrap();
                prop_assert!(family.iter().any(|other| other == metric), "{}", line);
                prop_assert!(series.insert(name), "{} twice", name);
                prop_assert!(!is_histogram || !value.starts_with('-'), "{}", line);
            }
        }
        Ok(())
    }

    fn name() -> impl Strategy<Value = String> {
        let word = proptest::sample::select(vec![
            "wait",
            "Wait",
            "count",
            "Count",
            "_count",
            "Max",
            "_min",
            "Interval",
            " interval",
            "sum",
            "Sum",
            "bucket",
            "Created",
            "quantile",
            "_Quantile",
            "_",
            "-",
            "等",
            "持",
            "U__",
            "_c0_",
        ]);
        prop::collection::vec(word, 1..4).prop_map(|words| words.concat())
    }

    fn tags() -> impl Strategy<Value = BTreeMap<String, String>> {
        let tag = proptest::sample::select(vec!["", "u", "U", "U__u", "source", "le", "a-", "a_"]);
        let value = proptest::sample::select(vec!["", "\"\"", "x"]);
        let tags = prop::collection::btree_map(tag, value, 0..3);
        tags.prop_map(|tags| {
            let owned = tags
                .into_iter()
                .map(|(tag, value)| (tag.to_owned(), value.to_owned()));
            owned.collect()
        })
    }

    proptest! {
        #[test]
        fn any_names_make_valid_text(
            statistics in prop::collection::btree_map((0..2, name(), tags()), -2_i64..9, 0..12),
        ) {
            let mut sources = BTreeMap::<i32, Vec<Reading>>::new();
            for ((source, name, tags), sample) in statistics {
                let mut reading = readings(&name, &[sample]).remove(0);
                let labels = Labels::clone(&reading.snapshot.labels).with_tags(tags);
                reading.snapshot.labels = Arc::new(labels);
                sources.entry(source).or_default().push(reading);
            }
            let sources = sources.into_iter().map(|(source, readings)| SourceReport {
                name: source.to_string(),
                description: "a test".to_owned(),
                readings,
            });
            check(&text(&Report { sources: sources.collect() }).unwrap())?;
        }
    }
}
