//! How intervals go over the wire, so that what other processes gathered can be
//! added up to the last bit.
//!
//! Sums are decimal strings: they do not fit the numbers of most JSON readers.

#![forbid(unsafe_code)]

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

#[cfg(feature = "quantiles")]
use crate::Distribution;
use crate::labels::{Detail, EmptyLabel, Labels};
use crate::moments::Moments;
use crate::{Accumulator, Extremes, Interval};

/// The form of [`Moments`].
#[derive(Serialize, Deserialize)]
#[serde(rename = "Moments", deny_unknown_fields)]
pub(crate) struct MomentsForm {
    count: u64,
    sum: String,
    sum_of_squares: String,
    min: Option<i64>,
    max: Option<i64>,
}

impl From<Moments> for MomentsForm {
    fn from(moments: Moments) -> Self {
        Self {
            count: moments.count(),
            sum: moments.sum().to_string(),
            sum_of_squares: moments.sum_of_squares().to_string(),
            min: moments.min(),
            max: moments.max(),
        }
    }
}

impl TryFrom<MomentsForm> for Moments {
    type Error = String;

    fn try_from(form: MomentsForm) -> Result<Self, String> {
        let sum: i128 = parsed("sum", &form.sum)?;
        let squares: BigUint = parsed("sum_of_squares", &form.sum_of_squares)?;
        if squares.bits() > 192 {
            return Err(format!("`sum_of_squares` {squares} has more than 192 bits"));
        }
        let extremes = extremes(form.min, form.max)?;
        let moments = Self::from_parts(form.count, sum, &squares, extremes);
        if moments.is_possible() {
            Ok(moments)
        } else {
            Err(format!(
                "no {} samples have the sum {sum} and the sum of squares {squares}",
                form.count
            ))
        }
    }
}

fn parsed<T: std::str::FromStr>(field: &str, text: &str) -> Result<T, String> {
    let error = |_| format!("`{field}` is {text:?}: it must be a whole number in decimal digits");
    text.parse().map_err(error)
}

fn extremes(min: Option<i64>, max: Option<i64>) -> Result<Extremes, String> {
    let mut extremes = Extremes::EMPTY;
    match (min, max) {
        (None, None) => {}
        (Some(min), Some(max)) if min <= max => {
            extremes.record(min);
            extremes.record(max);
        }
        _ => {
            return Err(format!(
                "`min` {min:?} and `max` {max:?} are not those of any samples"
            ));
        }
    }
    Ok(extremes)
}

/// The form of [`Distribution`].
#[cfg(feature = "quantiles")]
#[derive(Serialize, Deserialize)]
#[serde(rename = "Distribution", deny_unknown_fields)]
pub(crate) struct DistributionForm {
    moments: Moments,
    /// Lowest value and count of each that is not empty.
    buckets: Vec<(i64, u64)>,
}

#[cfg(feature = "quantiles")]
impl From<Distribution> for DistributionForm {
    fn from(distribution: Distribution) -> Self {
        Self {
            moments: *distribution.moments(),
            buckets: distribution.buckets().collect(),
        }
    }
}

#[cfg(feature = "quantiles")]
impl TryFrom<DistributionForm> for Distribution {
    type Error = String;

    fn try_from(form: DistributionForm) -> Result<Self, String> {
        Self::from_parts(form.moments, &form.buckets)
    }
}

/// The form of [`Labels`].
#[derive(Serialize, Deserialize)]
#[serde(rename = "Labels", deny_unknown_fields)]
pub(crate) struct LabelsForm {
    name: String,
    description: String,
    sample_name: String,
    value_name: String,
    detail: Detail,
}

impl From<Labels> for LabelsForm {
    fn from(labels: Labels) -> Self {
        Self {
            name: labels.name().to_owned(),
            description: labels.description().to_owned(),
            sample_name: labels.sample_name().to_owned(),
            value_name: labels.value_name().to_owned(),
            detail: labels.detail(),
        }
    }
}

impl TryFrom<LabelsForm> for Labels {
    type Error = EmptyLabel;

    fn try_from(form: LabelsForm) -> Result<Self, EmptyLabel> {
        Self::new(
            &form.name,
            &form.description,
            &form.sample_name,
            &form.value_name,
            form.detail,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(samples: &[i64]) -> Moments {
        let mut moments = Moments::EMPTY;
        samples.iter().for_each(|&sample| moments.record(sample));
        moments
    }

    fn round_trip<T: Serialize + serde::de::DeserializeOwned>(sent: &T) -> T {
        serde_json::from_str(&serde_json::to_string(sent).unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn moments_come_back_as_they_were(samples: Vec<i64>) {
            let moments = of(&samples);
            prop_assert_eq!(round_trip(&moments), moments);
        }
    }

    #[test]
    fn all_192_bits_come_back() {
        let mut moments = of(&[i64::MIN]);
        for _ in 0..63 {
            let half = moments;
            moments.merge(&half);
        }
        moments.record(-7);
        assert!(moments.sum_of_squares().bits() > 189);
        assert_eq!(round_trip(&moments), moments);
    }

    #[test]
    fn batches_without_extremes_come_back() {
        let mut moments = Moments::EMPTY;
        moments.record_n(std::num::NonZeroU64::new(3).unwrap(), -7);
        assert_eq!(round_trip(&moments), moments);
    }

    #[test]
    fn impossible_moments_are_refused() {
        let json = |count: u64, sum: &str, squares: &str, min: &str| {
            format!(
                r#"{{"count":{count},"sum":"{sum}","sum_of_squares":"{squares}","min":{min},"max":5}}"#
            )
        };
        let refused = |text: String| {
            serde_json::from_str::<Moments>(&text)
                .unwrap_err()
                .to_string()
        };
        assert!(serde_json::from_str::<Moments>(&json(2, "8", "34", "3")).is_ok());
        assert!(refused(json(2, "8", "31", "3")).contains("no 2 samples have the sum 8"));
        assert!(refused(json(0, "8", "34", "3")).contains("no 0 samples"));
        assert!(refused(json(2, "eight", "34", "3")).contains("`sum` is \"eight\""));
        assert!(refused(json(2, "8", "34", "6")).contains("`min` Some(6) and `max` Some(5)"));
        assert!(refused(json(2, "8", "34", "null")).contains("`min` None"));
        let vast = format!("1{}", "0".repeat(60));
        assert!(refused(json(2, "8", &vast, "3")).contains("more than 192 bits"));
    }

    #[cfg(feature = "quantiles")]
    mod distributions {
        use super::*;
        use crate::distribution::tests::{of, sample};

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(64))]

            #[test]
            fn come_back_as_they_were_and_merge(
                here in prop::collection::vec(sample(), 0..40),
                there in prop::collection::vec(sample(), 0..40),
            ) {
                let mut merged = round_trip(&of(&here));
                prop_assert_eq!(&merged, &of(&here));
                merged.merge(&round_trip(&of(&there)));
                prop_assert_eq!(merged, of(&[here, there].concat()));
            }
        }

        #[test]
        fn batches_without_buckets_come_back() {
            let mut distribution = of(&[4]);
            distribution.record_n(std::num::NonZeroU64::new(3).unwrap(), -7);
            assert_eq!(round_trip(&distribution), distribution);
        }

        /// 1024 to 1031 are one bucket.
        #[test]
        fn impossible_ones_are_refused() {
            let sent = serde_json::to_string(&of(&[7, 7, 1025])).unwrap();
            assert!(sent.contains(r#""buckets":[[7,2],[1024,1]]"#), "{sent}");
            let refused = |buckets: &str| {
                let text = sent.replace("[[7,2],[1024,1]]", buckets);
                let error = serde_json::from_str::<Distribution>(&text).unwrap_err();
                error.to_string()
            };
            assert!(refused("[[7,2],[1024,2]]").contains("more samples than the 3"));
            let vast = format!("[[7,{}],[1024,1]]", u64::MAX);
            assert!(refused(&vast).contains("more samples than the 3"));
            for wrong in [
                "[[1024,1],[7,2]]",
                "[[7,1],[7,1],[1024,1]]",
                "[[7,2],[9,0],[1024,1]]",
                "[[7,2],[1025,1]]",
            ] {
                assert!(
                    refused(wrong).contains("`buckets` are not the non-empty ones"),
                    "{wrong}"
                );
            }
            for wrong in ["[[7,2]]", "[]", "[[8,2],[1024,1]]"] {
                assert!(
                    refused(wrong).contains("not those of `min` and `max`"),
                    "{wrong}"
                );
            }
        }
    }

    #[test]
    fn labels_come_back_and_empty_ones_are_refused() {
        let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Extended).unwrap();
        let text = serde_json::to_string(&labels).unwrap();
        assert_eq!(serde_json::from_str::<Labels>(&text).unwrap(), labels);
        let empty = text.replace("Time waited", "");
        let error = serde_json::from_str::<Labels>(&empty)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("the label `description` is empty"),
            "{error}"
        );
    }
}
