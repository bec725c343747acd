//! How intervals go over the wire, so that what other processes gathered can be
//! added up to the last bit.
//!
//! Sums are decimal strings: they do not fit the numbers of most JSON readers.
//!
//! What is read is checked, as far as a few products can tell: everything that the
//! library writes is read, and what is read stays readable however it is merged.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::Zero;
use serde::{Deserialize, Serialize};

#[cfg(feature = "quantiles")]
use crate::Distribution;
use crate::labels::{Detail, EmptyLabel, Labels};
use crate::moments::Moments;
use crate::{Accumulator, Extremes, Interval};

/// The form of [`Moments`].
#[derive(Debug, Serialize, Deserialize)]
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
        let sum: i128 = match form.sum.parse() {
            Ok(sum) => sum,
            Err(_) => return Err(no_number("sum", &form.sum)),
        };
        let squares = squares(&form.sum_of_squares)?;
        let extremes = extremes(form.min, form.max)?;
        let moments = Self::from_parts(form.count, sum, &squares, extremes);
        if is_possible(&moments) {
            Ok(moments)
        } else {
            Err(format!(
                "no {} samples have the sum {sum} and the sum of squares {squares}, \
                 `min` {:?} and `max` {:?}",
                form.count, form.min, form.max
            ))
        }
    }
}

/// Whether samples can have these sums and extremes, as far as the bounds of both
/// sums and their parity tell; exactly for up to one sample besides the extremes.
/// Beyond the range anything can be.
fn is_possible(moments: &Moments) -> bool {
    if moments.count() == u64::MAX {
        return true;
    }
    // The extremes are samples, two if they differ. Nothing is known of the others:
    // batches leave the extremes alone.
    let ends = match (moments.min(), moments.max()) {
        (Some(min), Some(max)) if min != max => vec![min, max],
        (min, _) => Vec::from_iter(min),
    };
    let Some(others) = moments.count().checked_sub(ends.len() as u64) else {
        return false;
    };
    let ends = ends.into_iter().map(BigInt::from);
    let sum = BigInt::from(moments.sum()) - ends.clone().sum::<BigInt>();
    let of_ends: BigInt = ends.map(|end| &end * &end).sum();
    let squares = BigInt::from(moments.sum_of_squares()) - of_ends;
    can_be_sums(others, &sum, &squares)
}

/// Whether so many `i64`s can have this sum and this sum of squares.
fn can_be_sums(count: u64, sum: &BigInt, squares: &BigInt) -> bool {
    let n = BigInt::from(count);
    match count {
        0 => sum.is_zero() && squares.is_zero(),
        1 => i64::try_from(sum).is_ok() && *squares == sum * sum,
        _ => {
            // The nearest to each other that there are, as in `record_n`.
            let (low, at_high) = sum.div_mod_floor(&n);
            let high = &low + 1;
            let least = (&n - &at_high) * &low * &low + at_high * &high * &high;
            // (x - min) * (max - x) is never negative.
            let (min, max) = (BigInt::from(i64::MIN), BigInt::from(i64::MAX));
            let most = (&min + &max) * sum - n * min * max;
            // A number is odd if its square is.
            least <= *squares && *squares <= most && (squares - sum).is_even()
        }
    }
}

/// Digits of 2^192.
const SQUARES_DIGITS: usize = 58;

/// The digits are counted first: reading them takes the square of their number.
fn squares(text: &str) -> Result<BigUint, String> {
    let digits = text.trim_start_matches('0');
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err(no_number("sum_of_squares", text));
    }
    let too_many = || {
        let digits = shortened(digits);
        format!("`sum_of_squares` {digits} has more than 192 bits")
    };
    if digits.len() > SQUARES_DIGITS {
        return Err(too_many());
    }
    // None if only zeros were there.
    let squares = BigUint::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
    if squares.bits() > 192 {
        return Err(too_many());
    }
    Ok(squares)
}

fn no_number(field: &str, text: &str) -> String {
    let text = shortened(text);
    format!("`{field}` is {text:?}: it must be a whole number in decimal digits")
}

/// No longer than what there could be a use for.
fn shortened(text: &str) -> String {
    let most = SQUARES_DIGITS + 6;
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let all = text.chars().count();
            format!("{}... ({all} characters)", &text[..end])
        }
    }
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
    #[serde(default)]
    tags: BTreeMap<String, String>,
    description: String,
    sample_name: String,
    value_name: String,
    detail: Detail,
}

impl From<Labels> for LabelsForm {
    fn from(labels: Labels) -> Self {
        Self {
            name: labels.family().to_owned(),
            tags: labels.tags().clone(),
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
        let labels = Self::new(
            &form.name,
            &form.description,
            &form.sample_name,
            &form.value_name,
            form.detail,
        )?;
        Ok(labels.with_tags(form.tags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::num::NonZeroU64;

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

        #[test]
        fn batches_and_merges_come_back(steps in prop::collection::vec(step(), 0..40)) {
            let mut moments = Moments::EMPTY;
            for step in steps {
                step.apply(&mut moments);
                prop_assert_eq!(round_trip(&moments), moments);
            }
        }

        #[test]
        fn what_is_read_stays_readable_when_merged(
            one in form(),
            other in form(),
            times in 0..66,
        ) {
            let read = |form: MomentsForm| Moments::try_from(form).ok();
            if let (Some(mut all), Some(other)) = (read(one), read(other)) {
                all.merge(&other);
                for _ in 0..times {
                    let half = all;
                    all.merge(&half);
                }
                prop_assert_eq!(round_trip(&all), all);
            }
        }
    }

    /// What makes moments.
    #[derive(Clone, Debug)]
    enum Step {
        Record(i64),
        Batch(NonZeroU64, i64),
        Double,
    }

    impl Step {
        fn apply<I: Interval>(&self, interval: &mut I) {
            match *self {
                Self::Record(sample) => interval.record(sample),
                Self::Batch(count, sum) => interval.record_n(count, sum),
                Self::Double => interval.merge(&interval.clone()),
            }
        }
    }

    fn step() -> impl Strategy<Value = Step> {
        let sample = || prop_oneof![-9_i64..9, any::<i64>(), Just(i64::MIN), Just(i64::MAX)];
        let count = prop_oneof![1_u64..5, 1..=u64::MAX, Just(u64::MAX)];
        prop_oneof![
            sample().prop_map(Step::Record),
            (count, sample()).prop_map(|(count, sum)| {
                Step::Batch(NonZeroU64::new(count).expect("it is at least 1"), sum)
            }),
            Just(Step::Double),
        ]
    }

    /// Small enough that some are possible.
    fn form() -> impl Strategy<Value = MomentsForm> {
        let ends = prop::option::of((-4_i64..4, 0_i64..4));
        (0_u64..5, -9_i64..9, 0_i64..40, ends).prop_map(|(count, sum, squares, ends)| {
            let ends = ends.map(|(min, more)| (min, min + more));
            sent(count, &sum.to_string(), &squares.to_string(), ends)
        })
    }

    fn sent(count: u64, sum: &str, squares: &str, ends: Option<(i64, i64)>) -> MomentsForm {
        MomentsForm {
            count,
            sum: sum.to_owned(),
            sum_of_squares: squares.to_owned(),
            min: ends.map(|(min, _)| min),
            max: ends.map(|(_, max)| max),
        }
    }

    /// All sums of up to three samples, by trying them.
    #[test]
    fn small_moments_are_read_if_samples_have_them() {
        let range = -3..=3_i64;
        let mut possible = BTreeSet::new();
        for a in range.clone() {
            possible.insert((1, a, a * a));
            for b in range.clone() {
                possible.insert((2, a + b, a * a + b * b));
                for c in range.clone() {
                    possible.insert((3, a + b + c, a * a + b * b + c * c));
                }
            }
        }
        for &(count, sum, squares) in &possible {
            assert!(can_be_sums(count, &sum.into(), &squares.into()));
        }
        for (sum, squares) in (-9..=9).flat_map(|sum| (0..=9).map(move |squares| (sum, squares))) {
            let is_read = can_be_sums(1, &sum.into(), &squares.into());
            assert_eq!(is_read, possible.contains(&(1, sum, squares)));
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
        moments.record_n(NonZeroU64::new(3).unwrap(), -7);
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
        // 2^192, of as many digits as 2^192 - 1.
        let power = (BigUint::from(1_u32) << 192_u32).to_string();
        assert_eq!(power.len(), SQUARES_DIGITS);
        assert!(refused(json(2, "8", &power, "3")).contains("more than 192 bits"));
        assert!(refused(json(2, "8", "3_4", "3")).contains("`sum_of_squares` is \"3_4\""));
        assert!(serde_json::from_str::<Moments>(&json(2, "8", "034", "3")).is_ok());
    }

    #[test]
    fn moments_of_no_samples_are_refused() {
        let is_read = |count, sum: &str, squares: &str, ends| {
            Moments::try_from(sent(count, sum, squares, ends)).is_ok()
        };
        assert!(is_read(1, "5", "25", Some((5, 5))));
        assert!(is_read(1, "5", "25", None));
        assert!(!is_read(1, "101", "10001", Some((1, 100))));
        assert!(!is_read(1, "5", "26", Some((5, 5))));
        assert!(!is_read(1, "5", "25", Some((4, 4))));
        assert!(!is_read(
            1,
            "9223372036854775808",
            "85070591730234615865843651857942052864",
            None
        ));
        // One besides the extremes: 1, 4, 9.
        assert!(is_read(3, "14", "98", Some((1, 9))));
        assert!(!is_read(3, "14", "100", Some((1, 9))));
        // Two of 2^126 each is the most.
        let (both, most) = (
            "-18446744073709551616",
            "170141183460469231731687303715884105728",
        );
        assert!(is_read(2, both, most, Some((i64::MIN, i64::MIN))));
        assert!(is_read(2, both, most, None));
        assert!(!is_read(2, both, &format!("{most}0"), None));
        // 2 and 3 are nearest to each other; no square is odd if its root is even.
        assert!(is_read(2, "5", "13", None));
        assert!(!is_read(2, "5", "11", None));
        assert!(!is_read(2, "5", "14", None));
    }

    #[test]
    fn long_numbers_are_refused_in_short() {
        let digits = "7".repeat(3_000_000);
        let refused =
            |sum: &str, squares: &str| Moments::try_from(sent(2, sum, squares, None)).unwrap_err();
        let letters = "é".repeat(3_000_000);
        for error in [
            refused("8", &digits),
            refused("8", &letters),
            refused(&digits, "34"),
            refused(&letters, "34"),
        ] {
            assert!(error.len() < 300, "{} bytes", error.len());
            assert!(error.contains("(3000000 characters)"), "{error}");
        }
        assert_eq!(
            squares(&format!("{}34", "0".repeat(3_000_000))),
            Ok(34_u32.into())
        );
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
            distribution.record_n(NonZeroU64::new(3).unwrap(), -7);
            assert_eq!(round_trip(&distribution), distribution);
        }

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(64))]

            /// Beyond 2^64 - 1 samples as well.
            #[test]
            fn batches_and_merges_come_back(
                steps in prop::collection::vec(step(), 0..10),
                doubled in 0..70,
            ) {
                let mut distribution = Distribution::default();
                steps.iter().for_each(|step| step.apply(&mut distribution));
                (0..doubled).for_each(|_| Step::Double.apply(&mut distribution));
                prop_assert_eq!(round_trip(&distribution), distribution);
            }
        }

        #[test]
        fn more_samples_than_can_be_counted_come_back() {
            let mut distribution = of(&[-1, 5, 7]);
            (0..64).for_each(|_| Step::Double.apply(&mut distribution));
            let full = u64::MAX;
            assert!(
                distribution
                    .buckets()
                    .eq([(-1, full), (5, full), (7, full)])
            );
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
        let untagged = text.replace(r#""tags":{},"#, "");
        assert_ne!(untagged, text);
        assert_eq!(serde_json::from_str::<Labels>(&untagged).unwrap(), labels);
        let tagged = labels.with_tags([("disk".to_owned(), "a".to_owned())].into());
        assert_eq!(round_trip(&tagged), tagged);
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
