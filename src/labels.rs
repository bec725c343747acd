//! What a statistic and its metrics are called.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

/// How much of a statistic Hadoop's record shows.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Labels};
///
/// let mut labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic)?;
/// labels.set_detail(Detail::Extended);
/// assert_eq!(labels.detail(), Detail::Extended);
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Detail {
    /// The number of samples and the mean.
    Basic,
    /// Also the standard deviation and the extremes (Hadoop: `extended`).
    Extended,
}

/// One of the metrics of a statistic.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Part};
///
/// assert_eq!(Part::emitted(Detail::Basic), [Part::Samples, Part::Mean]);
/// assert_eq!(Part::emitted(Detail::Extended).len(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// How many samples there were in the statistic's whole life.
    Samples,
    /// The mean of the interval.
    Mean,
    /// The standard deviation of the interval.
    Deviation,
    /// The smallest sample of the interval.
    IntervalMin,
    /// The largest sample of the interval.
    IntervalMax,
    /// The smallest sample since the extremes were last reset.
    Min,
    /// The largest sample since the extremes were last reset.
    Max,
    /// How many samples there were in the interval.
    IntervalSamples,
}

impl Part {
    const EXTENDED: [Self; 8] = [
        Self::Samples,
        Self::Mean,
        Self::Deviation,
        Self::IntervalMin,
        Self::IntervalMax,
        Self::Min,
        Self::Max,
        Self::IntervalSamples,
    ];

    /// What Hadoop emits at this detail, in its order.
    #[must_use]
    pub fn emitted(detail: Detail) -> &'static [Self] {
        match detail {
            Detail::Basic => &Self::EXTENDED[..2],
            Detail::Extended => &Self::EXTENDED,
        }
    }

    /// What stands between the statistic's name and the thing measured, and
    /// what the description opens with.
    fn wording(self) -> (&'static str, &'static str) {
        match self {
            Self::Samples => ("Num", "Number of"),
            Self::Mean => ("Avg", "Average"),
            Self::Deviation => ("Stdev", "Standard deviation of"),
            Self::IntervalMin => ("IMin", "Interval min"),
            Self::IntervalMax => ("IMax", "Interval max"),
            Self::Min => ("Min", "Min"),
            Self::Max => ("Max", "Max"),
            Self::IntervalSamples => ("INum", "Interval number of"),
        }
    }
}

/// The names of a statistic: its own, its description, what a sample and what
/// its value is called, and how much of it is shown.
///
/// They are the constructor arguments of Hadoop's
/// `org.apache.hadoop.metrics2.lib.MutableStat`, and metrics are named as there.
/// The one exception is a name that opens with a character whose other case is
/// more than one character or has a title form of its own (`ß`, `ǆ`, Georgian
/// letters), which Java may map differently.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Labels, Part};
///
/// let labels = Labels::new(
///     "readLockHeldTime",
///     "Time spent holding the read lock",
///     "Ops",
///     "Time",
///     Detail::Extended,
/// )?;
/// assert_eq!(labels.metric_name(Part::Samples), "ReadLockHeldTimeNumOps");
/// assert_eq!(
///     labels.metric_description(Part::Mean),
///     "Average time for time spent holding the read lock"
/// );
/// # Ok::<(), interval_stat::EmptyLabel>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        into = "crate::serial::LabelsForm",
        try_from = "crate::serial::LabelsForm"
    )
)]
pub struct Labels {
    name: String,
    family: String,
    tags: BTreeMap<String, String>,
    description: String,
    sample_name: String,
    value_name: String,
    detail: Detail,
}

impl Labels {
    /// Names a statistic, e.g. `readLockHeldTime`, "Time spent holding the read
    /// lock", `Ops`, `Time`.
    ///
    /// # Errors
    ///
    /// Returns which of the four texts is empty, the first if several are.
    ///
    /// ```
    /// use interval_stat::{Detail, Labels};
    ///
    /// let error = Labels::new("name", "description", "", "Time", Detail::Basic).unwrap_err();
    /// assert_eq!(error.field(), "sample_name");
    /// ```
    pub fn new(
        name: &str,
        description: &str,
        sample_name: &str,
        value_name: &str,
        detail: Detail,
    ) -> Result<Self, EmptyLabel> {
        Ok(Self {
            name: filled("name", name)?,
            family: name.to_owned(),
            tags: BTreeMap::new(),
            description: filled("description", description)?,
            sample_name: filled("sample_name", sample_name)?,
            value_name: filled("value_name", value_name)?,
            detail,
        })
    }

    /// The same, for one of several statistics that have their name in common and
    /// are told apart by these tags (Hadoop: `MetricsTag`), by name, in place of
    /// those before.
    ///
    /// ```
    /// use interval_stat::{Detail, Labels};
    ///
    /// let labels = Labels::new("flush", "time of a flush", "Ops", "Time", Detail::Basic)?;
    /// let labels = labels.with_tags([("disk".to_owned(), "a".to_owned())].into());
    /// assert_eq!(labels.name(), "flush{disk=\"a\"}");
    /// assert_eq!(labels.family(), "flush");
    /// # Ok::<(), interval_stat::EmptyLabel>(())
    /// ```
    #[must_use]
    pub fn with_tags(mut self, tags: BTreeMap<String, String>) -> Self {
        self.name = tagged(&self.family, &tags);
        self.tags = tags;
        self
    }

    /// The statistic's name: as given, with the tags if there are any.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name as given, without the tags.
    #[must_use]
    pub fn family(&self) -> &str {
        &self.family
    }

    /// What tells the statistic apart from others of its family.
    #[must_use]
    pub fn tags(&self) -> &BTreeMap<String, String> {
        &self.tags
    }

    /// The statistic's description, as given.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What a sample is called, as given.
    #[must_use]
    pub fn sample_name(&self) -> &str {
        &self.sample_name
    }

    /// What a sample's value is called, as given.
    #[must_use]
    pub fn value_name(&self) -> &str {
        &self.value_name
    }

    /// How much of the statistic is shown.
    #[must_use]
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Changes how much of the statistic is shown (Hadoop: `setExtended`).
    pub fn set_detail(&mut self, detail: Detail) {
        self.detail = detail;
    }

    /// The name of one metric, each of its words with a capital, as in
    /// `ReadLockHeldTimeNumOps`.
    #[must_use]
    pub fn metric_name(&self, part: Part) -> String {
        let (infix, _) = part.wording();
        let subject = capitalize(self.subject(part));
        format!("{}{infix}{subject}", capitalize(&self.name))
    }

    /// The description of one metric, as in "Number of ops for time spent
    /// holding the read lock".
    #[must_use]
    pub fn metric_description(&self, part: Part) -> String {
        let (_, opening) = part.wording();
        let subject = uncapitalize(self.subject(part));
        let description = uncapitalize(&self.description);
        format!("{opening} {subject} for {description}")
    }

    /// The name of the number of samples in a window, as in
    /// `GetKeyInfo60sNumOps`, where `infix` is `60s`.
    #[cfg(feature = "quantiles")]
    pub(crate) fn window_name(&self, infix: &str) -> String {
        let (name, sample) = (capitalize(&self.name), capitalize(&self.sample_name));
        format!("{name}{infix}Num{sample}")
    }

    /// The name of a quantile, as in `GetKeyInfo60s99thPercentileTime`, where
    /// `infix` is `60s`.
    #[cfg(feature = "quantiles")]
    pub(crate) fn quantile_name(&self, infix: &str, quantile: crate::Quantile) -> String {
        let (name, value) = (capitalize(&self.name), capitalize(&self.value_name));
        format!("{name}{infix}{}thPercentile{value}", quantile.percent())
    }

    /// The description of a quantile, as in "99 percentile time with 60 second
    /// interval for time of it", where `wording` is " with 60 second interval".
    #[cfg(feature = "quantiles")]
    pub(crate) fn quantile_description(&self, wording: &str, quantile: crate::Quantile) -> String {
        let (value, description) = (
            uncapitalize(&self.value_name),
            uncapitalize(&self.description),
        );
        format!(
            "{} percentile {value}{wording} for {description}",
            quantile.percent()
        )
    }

    fn subject(&self, part: Part) -> &str {
        match part {
            Part::Samples | Part::IntervalSamples => &self.sample_name,
            _ => &self.value_name,
        }
    }
}

/// A label that was left empty.
///
/// # Examples
///
/// ```
/// use interval_stat::{Detail, Labels};
///
/// let error = Labels::new("", "description", "Ops", "Time", Detail::Basic).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the label `name` is empty: it needs at least one character"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyLabel {
    field: &'static str,
}

impl EmptyLabel {
    /// The parameter of [`Labels::new`] that is empty.
    #[must_use]
    pub fn field(&self) -> &'static str {
        self.field
    }
}

impl fmt::Display for EmptyLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field;
        write!(
            f,
            "the label `{field}` is empty: it needs at least one character"
        )
    }
}

impl Error for EmptyLabel {}

fn filled(field: &'static str, text: &str) -> Result<String, EmptyLabel> {
    match text {
        "" => Err(EmptyLabel { field }),
        text => Ok(text.to_owned()),
    }
}

/// `family{tag="value"}`; the family if there are no tags.
pub(crate) fn tagged<K: fmt::Display, V: fmt::Debug>(
    family: &str,
    tags: impl IntoIterator<Item = (K, V)>,
) -> String {
    let pairs = tags
        .into_iter()
        .map(|(tag, value)| format!("{tag}={value:?}"));
    match pairs.collect::<Vec<_>>().as_slice() {
        [] => family.to_owned(),
        pairs => format!("{family}{{{}}}", pairs.join(",")),
    }
}

/// Commons-lang's `StringUtils.capitalize`: the first character in upper case,
/// the rest as it is.
fn capitalize(text: &str) -> String {
    map_first(text, |first| single(first, first.to_uppercase()))
}

/// Commons-lang's `StringUtils.uncapitalize`: the first character in lower
/// case, the rest as it is.
fn uncapitalize(text: &str) -> String {
    map_first(text, |first| single(first, first.to_lowercase()))
}

fn map_first(text: &str, map: impl Fn(char) -> char) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(map)
        .into_iter()
        .chain(characters)
        .collect()
}

/// Java maps a character to one character, so one whose other case is longer
/// (as `ß`, `SS`) stays as it is.
fn single(original: char, mut mapped: impl ExactSizeIterator<Item = char>) -> char {
    match mapped.len() {
        1 => mapped.next().unwrap_or(original),
        _ => original,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(detail: Detail) -> Labels {
        let description = "Time (in milliseconds) spent holding the read lock";
        Labels::new("readLockHeldTime", description, "Ops", "time", detail).unwrap()
    }

    #[test]
    fn metrics_are_named_as_in_hadoop() {
        let labels = labels(Detail::Extended);
        let names: Vec<_> = Part::emitted(labels.detail())
            .iter()
            .map(|&part| labels.metric_name(part))
            .collect();
        assert_eq!(
            names,
            [
                "ReadLockHeldTimeNumOps",
                "ReadLockHeldTimeAvgTime",
                "ReadLockHeldTimeStdevTime",
                "ReadLockHeldTimeIMinTime",
                "ReadLockHeldTimeIMaxTime",
                "ReadLockHeldTimeMinTime",
                "ReadLockHeldTimeMaxTime",
                "ReadLockHeldTimeINumOps",
            ]
        );
    }

    #[test]
    fn metrics_are_described_as_in_hadoop() {
        let labels = labels(Detail::Extended);
        let suffix = " for time (in milliseconds) spent holding the read lock";
        let expected = [
            "Number of ops",
            "Average time",
            "Standard deviation of time",
            "Interval min time",
            "Interval max time",
            "Min time",
            "Max time",
            "Interval number of ops",
        ];
        for (&part, opening) in Part::emitted(labels.detail()).iter().zip(expected) {
            assert_eq!(
                labels.metric_description(part),
                format!("{opening}{suffix}")
            );
        }
    }

    #[test]
    fn only_the_first_character_changes_case() {
        assert_eq!(capitalize("getKeyInfo"), "GetKeyInfo");
        assert_eq!(capitalize("GetKeyInfo"), "GetKeyInfo");
        assert_eq!(capitalize("élan"), "Élan");
        assert_eq!(capitalize("ßtat"), "ßtat");
        assert_eq!(capitalize("9lives"), "9lives");
        assert_eq!(uncapitalize("LatencyNs"), "latencyNs");
        assert_eq!(uncapitalize("X"), "x");
    }

    #[test]
    fn each_empty_label_is_named() {
        let fields = ["name", "description", "sample_name", "value_name"];
        for (empty, field) in fields.into_iter().enumerate() {
            let text = |at| if at == empty { "" } else { "text" };
            let error = Labels::new(text(0), text(1), text(2), text(3), Detail::Basic).unwrap_err();
            assert_eq!(error.field(), field);
        }
    }
}
