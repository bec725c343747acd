//! How Hadoop shows a statistic: the record of a snapshot, and the text of an
//! interval.
//!
//! Hadoop has no way to say "there is none", so it puts numbers in such places.
//! They are kept here, in the view, and nowhere else:
//!
//! - The mean of no samples and the deviation of fewer than two are 0.
//! - The minimum of no samples is Java's `Float.MAX_VALUE`, about 3.4e38.
//! - The maximum of no samples is Java's `Float.MIN_VALUE`, about 1.4e-45. That
//!   is the smallest positive `float`, not the lowest one, and a search for the
//!   maximum that starts there never takes a sample that is zero or negative:
//!   such samples alone have the maximum 1.4e-45 as well.
//!
//! Source: `org.apache.hadoop.metrics2.util.SampleStat` and
//! `org.apache.hadoop.metrics2.lib.MutableStat`, Hadoop 3.4.1.

#![forbid(unsafe_code)]

use crate::{Interval, Part, Snapshot};
use std::fmt;

/// Java's `Float.MAX_VALUE`, (2 - 2^-23) * 2^127, as a double.
const FLOAT_MAX_VALUE: f64 = f32::MAX as f64;

/// Java's `Float.MIN_VALUE`, 2^-149, as a double.
const FLOAT_MIN_VALUE: f64 = f32::from_bits(1) as f64;

/// The value of a metric, in Hadoop's kinds.
///
/// # Examples
///
/// ```
/// use interval_stat::hadoop::{JavaDouble, Value};
///
/// let text = match Value::GaugeDouble(0.5) {
///     Value::Counter(n) | Value::GaugeInt(n) => n.to_string(),
///     Value::GaugeLong(n) => n.to_string(),
///     Value::GaugeDouble(x) => JavaDouble(x).to_string(),
/// };
/// assert_eq!(text, "0.5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number that only grows.
    Counter(u64),
    /// A whole number that goes up and down.
    GaugeInt(u64),
    /// A whole number that goes up and down, below zero too.
    GaugeLong(i64),
    /// A real number that goes up and down.
    GaugeDouble(f64),
}

/// One entry of a record.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Emit, Gathered, Labels, Moments};
///
/// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
/// let mut stat = Gathered::<Moments>::new(labels);
/// let record = stat.snapshot(Emit::All).unwrap().record();
/// assert_eq!(record.metrics[0].name, "WaitNumOps");
/// assert_eq!(record.metrics[0].description, "Number of ops for time waited");
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// As in `ReadLockHeldTimeNumOps`.
    pub name: String,
    /// As in "Number of ops for time spent holding the read lock".
    pub description: String,
    /// What is reported.
    pub value: Value,
}

/// What Hadoop emits for one snapshot of a statistic, in Hadoop's order.
///
/// # Examples
///
/// ```
/// use interval_stat::hadoop::Value;
/// use interval_stat::{Detail, Emit, Gathered, Labels, Moments};
///
/// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Extended)?;
/// let mut stat = Gathered::<Moments>::new(labels);
/// stat.add(-3);
/// let record = stat.snapshot(Emit::Changed).unwrap().record();
/// assert_eq!(record.get("WaitNumOps"), Some(Value::Counter(1)));
/// assert_eq!(record.get("WaitIMinTime"), Some(Value::GaugeDouble(-3.0)));
/// // Hadoop's maximum starts at the smallest positive float.
/// assert_eq!(record.get("WaitIMaxTime"), Some(Value::GaugeDouble(2f64.powi(-149))));
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The entries, in the order emitted.
    pub metrics: Vec<Metric>,
}

impl Record {
    /// The value of the metric of this name; `None` if the record has none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        let metric = self.metrics.iter().find(|metric| metric.name == name);
        metric.map(|metric| metric.value)
    }
}

impl<I: Interval> Snapshot<I> {
    /// This snapshot as Hadoop would emit it (see [`hadoop`](crate::hadoop)).
    ///
    /// ```
    /// use interval_stat::{Detail, Emit, Gathered, Labels, Moments};
    ///
    /// let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
    /// let mut stat = Gathered::<Moments>::new(labels);
    /// let record = stat.snapshot(Emit::All).unwrap().record();
    /// let names: Vec<_> = record.metrics.iter().map(|metric| &metric.name).collect();
    /// assert_eq!(names, ["WaitNumOps", "WaitAvgTime"]);
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    #[must_use]
    pub fn record(&self) -> Record {
        let parts = Part::emitted(self.labels.detail());
        Record {
            metrics: self.metrics(parts).collect(),
        }
    }

    /// The metrics of these parts.
    pub(crate) fn metrics(&self, parts: &[Part]) -> impl Iterator<Item = Metric> {
        let interval = SampleStat::from(&self.interval);
        parts.iter().map(move |&part| Metric {
            name: self.labels.metric_name(part),
            description: self.labels.metric_description(part),
            value: self.value(part, &interval),
        })
    }

    fn value(&self, part: Part, interval: &SampleStat) -> Value {
        match part {
            Part::Samples => Value::Counter(self.count),
            Part::Mean => Value::GaugeDouble(interval.mean),
            Part::Deviation => Value::GaugeDouble(interval.stddev),
            Part::IntervalMin => Value::GaugeDouble(interval.min),
            Part::IntervalMax => Value::GaugeDouble(interval.max),
            Part::Min => Value::GaugeDouble(shown_min(self.min)),
            Part::Max => Value::GaugeDouble(shown_max(self.max)),
            Part::IntervalSamples => Value::GaugeInt(interval.num_samples),
        }
    }
}

/// An interval as Hadoop's `SampleStat` answers for it, without `Option`s; its
/// text is that of `SampleStat.toString`.
///
/// Numbers are printed with the fewest digits that read back as the same
/// double. Java before 19 sometimes prints one more (JDK-4511638).
///
/// # Examples
///
/// ```
/// use interval_stat::hadoop::SampleStat;
/// use interval_stat::{Accumulator, Moments};
///
/// let mut interval = Moments::EMPTY;
/// interval.record(1691);
/// assert_eq!(
///     SampleStat::from(&interval).to_string(),
///     "Samples = 1  Min = 1691.0  Mean = 1691.0  Std Dev = 0.0  Max = 1691.0"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleStat {
    /// How many samples there are.
    pub num_samples: u64,
    /// Their sum.
    pub total: f64,
    /// Their mean, 0 if there are none.
    pub mean: f64,
    /// Their sample variance, 0 if there are fewer than two.
    pub variance: f64,
    /// The square root of the variance.
    pub stddev: f64,
    /// The smallest, `Float.MAX_VALUE` if there is none.
    pub min: f64,
    /// The largest if it is positive, else `Float.MIN_VALUE`.
    pub max: f64,
}

impl<I: Interval> From<&I> for SampleStat {
    fn from(interval: &I) -> Self {
        Self {
            num_samples: interval.count(),
            total: interval.total(),
            mean: interval.mean().unwrap_or(0.0),
            variance: interval.variance().unwrap_or(0.0),
            stddev: interval.stddev().unwrap_or(0.0),
            min: shown_min(interval.min()),
            max: shown_max(interval.max()),
        }
    }
}

impl fmt::Display for SampleStat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let samples = self.num_samples;
        let [min, mean, stddev, max] = [self.min, self.mean, self.stddev, self.max].map(JavaDouble);
        write!(
            f,
            "Samples = {samples}  Min = {min}  Mean = {mean}  Std Dev = {stddev}  Max = {max}"
        )
    }
}

fn shown_min(min: Option<i64>) -> f64 {
    min.map_or(FLOAT_MAX_VALUE, |min| min as f64)
}

fn shown_max(max: Option<i64>) -> f64 {
    max.map_or(FLOAT_MIN_VALUE, |max| FLOAT_MIN_VALUE.max(max as f64))
}

/// A double, shown as Java's `Double.toString` shows it (since Java 19).
///
/// Plain from 10^-3 up to but excluding 10^7, otherwise as a power of ten, with
/// at least one digit after the point in either case.
///
/// # Examples
///
/// ```
/// use interval_stat::hadoop::JavaDouble;
///
/// assert_eq!(JavaDouble(4754.0).to_string(), "4754.0");
/// assert_eq!(JavaDouble(11_641_537.2).to_string(), "1.16415372E7");
/// assert_eq!(JavaDouble(f64::INFINITY).to_string(), "Infinity");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JavaDouble(pub f64);

impl fmt::Display for JavaDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(x) = *self;
        if x.is_nan() {
            f.write_str("NaN")
        } else if x.is_infinite() {
            f.write_str(if x > 0.0 { "Infinity" } else { "-Infinity" })
        } else if x == 0.0 || (1e-3..1e7).contains(&x.abs()) {
            // Rust's `Debug` has the same layout in this range.
            write!(f, "{x:?}")
        } else {
            f.write_str(&scientific(x))
        }
    }
}

/// Where one digit would do, Java takes the nearest number of two.
fn scientific(x: f64) -> String {
    let shortest = format!("{x:E}");
    if shortest.contains('.') {
        shortest
    } else {
        format!("{x:.1E}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the documentation of Java's `Double` and the definition of its
    /// `toString`.
    #[test]
    fn doubles_are_laid_out_as_in_java() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-2.5, "-2.5"),
            (0.001, "0.001"),
            (9.999e-4, "9.999E-4"),
            (-1e-4, "-1.0E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (2e23, "2.0E23"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (f64::from_bits(1), "4.9E-324"),
            (FLOAT_MAX_VALUE, "3.4028234663852886E38"),
            (FLOAT_MIN_VALUE, "1.401298464324817E-45"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (x, text) in cases {
            assert_eq!(JavaDouble(x).to_string(), text);
        }
    }

    #[test]
    fn a_maximum_starts_at_the_smallest_positive_float() {
        let cases = [
            (None, FLOAT_MIN_VALUE),
            (Some(i64::MIN), FLOAT_MIN_VALUE),
            (Some(0), FLOAT_MIN_VALUE),
            (Some(1), 1.0),
            (Some(i64::MAX), 2f64.powi(63)),
        ];
        for (sample, shown) in cases {
            assert_eq!(shown_max(sample).to_bits(), f64::to_bits(shown));
        }
    }

    #[test]
    fn a_minimum_starts_at_the_largest_float() {
        assert_eq!(shown_min(None).to_bits(), FLOAT_MAX_VALUE.to_bits());
        assert_eq!(
            shown_min(Some(i64::MIN)).to_bits(),
            (-2f64.powi(63)).to_bits()
        );
    }
}
