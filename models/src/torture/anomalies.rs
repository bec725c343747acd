//! What can be wrong with an interval, and with a round.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::batch::Batch;

/// What was added, or what intervals report together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// How many samples.
    pub count: u64,
    /// Their sum.
    pub sum: i128,
    /// The least, if there is one.
    pub min: Option<i64>,
    /// The greatest, if there is one.
    pub max: Option<i64>,
}

impl Totals {
    /// One sample more.
    #[inline]
    pub fn add(&mut self, sample: i64) {
        self.merge(&Self {
            count: 1,
            sum: sample.into(),
            min: Some(sample),
            max: Some(sample),
        });
    }

    /// Those of `other` as well.
    #[inline]
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.into_iter().chain(other.min).min();
        self.max = self.max.into_iter().chain(other.max).max();
    }
}

impl From<Batch> for Totals {
    fn from(batch: Batch) -> Self {
        Self {
            count: batch.count,
            sum: batch.sum,
            min: batch.min,
            max: batch.max,
        }
    }
}

fn magnitude(sum: i128) -> u64 {
    u64::try_from(sum.unsigned_abs()).unwrap_or(u64::MAX)
}

/// What went wrong, and of how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Anomalies {
    /// Samples added.
    pub samples: u64,
    /// Intervals with samples.
    pub intervals: u64,
    /// Intervals that no set of samples has: with any of the next five.
    pub impossible: u64,
    /// Intervals whose mean is outside the range of all samples.
    pub mean_out_of_range: u64,
    /// Intervals without a min or max.
    pub extremes_missing: u64,
    /// Intervals whose min or max is outside the range of all samples.
    pub extremes_out_of_range: u64,
    /// Intervals whose min exceeds their max.
    pub min_above_max: u64,
    /// Intervals whose mean is below their min or above their max.
    pub mean_beyond_extremes: u64,
    /// Rounds.
    pub rounds: u64,
    /// Rounds whose intervals have another count than was added.
    pub rounds_with_wrong_count: u64,
    /// Rounds whose intervals have another sum than was added.
    pub rounds_with_wrong_sum: u64,
    /// Rounds whose intervals have another min than was added.
    pub rounds_with_wrong_min: u64,
    /// Rounds whose intervals have another max than was added.
    pub rounds_with_wrong_max: u64,
    /// Samples that no interval counts, over all rounds that lack some.
    pub lost_samples: u64,
    /// Samples that intervals count and nobody added.
    pub invented_samples: u64,
    /// The sum of all samples.
    pub sum: u64,
    /// What the intervals of each round lack of their sum, over all rounds that
    /// lack some.
    pub lost_sum: u64,
    /// What the intervals of each round have too much.
    pub invented_sum: u64,
}

impl Anomalies {
    /// Looks at an interval; no sample was outside `range`.
    pub fn look_at(&mut self, interval: &Totals, range: &RangeInclusive<i64>) {
        if interval.count == 0 {
            return;
        }
        let (count, sum) = (i128::from(interval.count), interval.sum);
        // Compared as sums, so that nothing is rounded.
        let mean_below = |bound: i64| sum < count * i128::from(bound);
        let mean_above = |bound: i64| sum > count * i128::from(bound);
        let (min, max) = (interval.min, interval.max);
        let found = [
            mean_below(*range.start()) || mean_above(*range.end()),
            min.is_none() || max.is_none(),
            min.into_iter().chain(max).any(|end| !range.contains(&end)),
            min.zip(max).is_some_and(|(min, max)| min > max),
            min.is_some_and(mean_below) || max.is_some_and(mean_above),
        ];
        self.intervals += 1;
        self.impossible += u64::from(found.contains(&true));
        let counters = [
            &mut self.mean_out_of_range,
            &mut self.extremes_missing,
            &mut self.extremes_out_of_range,
            &mut self.min_above_max,
            &mut self.mean_beyond_extremes,
        ];
        for (counter, found) in counters.into_iter().zip(found) {
            *counter += u64::from(found);
        }
    }

    /// Compares what was added in a round with what its intervals report.
    pub fn compare(&mut self, added: &Totals, reported: &Totals) {
        self.samples += added.count;
        self.sum += magnitude(added.sum);
        self.rounds += 1;
        self.rounds_with_wrong_count += u64::from(added.count != reported.count);
        self.rounds_with_wrong_sum += u64::from(added.sum != reported.sum);
        self.rounds_with_wrong_min += u64::from(added.min != reported.min);
        self.rounds_with_wrong_max += u64::from(added.max != reported.max);
        self.lost_samples += added.count.saturating_sub(reported.count);
        self.invented_samples += reported.count.saturating_sub(added.count);
        self.lost_sum += magnitude((added.sum - reported.sum).max(0));
        self.invented_sum += magnitude((reported.sum - added.sum).max(0));
    }

    /// Whether nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.impossible == 0
            && [
                self.rounds_with_wrong_count,
                self.rounds_with_wrong_sum,
                self.rounds_with_wrong_min,
                self.rounds_with_wrong_max,
            ] == [0; 4]
    }

    /// So many, to a million samples.
    pub fn per_million(&self, number: u64) -> f64 {
        number as f64 * 1e6 / self.samples.max(1) as f64
    }

    /// The line for people.
    pub(super) fn line(&self) -> String {
        let base = format!("{} samples, {} intervals", self.samples, self.intervals);
        if self.is_clean() {
            return format!("{base}: nothing wrong");
        }
        format!(
            "{base}: {} impossible ({:.3} per million samples); {} samples and {:.4} % of the sum \
             lost; of {} rounds, wrong count {}, sum {}, min {}, max {}",
            self.impossible,
            self.per_million(self.impossible),
            self.lost_samples,
            100.0 * self.lost_sum as f64 / self.sum.max(1) as f64,
            self.rounds,
            self.rounds_with_wrong_count,
            self.rounds_with_wrong_sum,
            self.rounds_with_wrong_min,
            self.rounds_with_wrong_max,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: RangeInclusive<i64> = 1..=100;

    fn of(samples: &[i64]) -> Totals {
        let mut totals = Totals::default();
        samples.iter().for_each(|&sample| totals.add(sample));
        totals
    }

    fn looked_at(interval: Totals) -> Anomalies {
        let mut anomalies = Anomalies::default();
        anomalies.look_at(&interval, &RANGE);
        anomalies
    }

    #[test]
    fn nothing_is_wrong_with_a_summary() {
        for samples in [&[1][..], &[1, 100], &[5, 5, 7], &[]] {
            let anomalies = looked_at(of(samples));
            assert!(anomalies.is_clean());
            assert_eq!(anomalies.intervals, u64::from(!samples.is_empty()));
        }
    }

    #[test]
    fn each_fault_is_counted_as_what_it_is() {
        let whole = of(&[5, 7]);
        let mean = looked_at(Totals { sum: 201, ..whole });
        assert_eq!((mean.mean_out_of_range, mean.mean_beyond_extremes), (1, 1));
        let missing = looked_at(Totals { min: None, ..whole });
        assert_eq!(missing.extremes_missing, 1);
        let stale = looked_at(Totals {
            max: Some(101),
            ..whole
        });
        assert_eq!(stale.extremes_out_of_range, 1);
        let crossed = looked_at(Totals {
            min: Some(8),
            ..whole
        });
        assert_eq!(
            (crossed.min_above_max, crossed.mean_beyond_extremes),
            (1, 1)
        );
        for found in [mean, missing, stale, crossed] {
            assert_eq!((found.intervals, found.impossible), (1, 1));
            assert!(!found.is_clean());
        }
    }

    #[test]
    fn a_round_must_add_up() {
        let added = of(&[5, 7, 9]);
        let mut anomalies = Anomalies::default();
        anomalies.compare(&added, &added);
        assert!(anomalies.is_clean());
        anomalies.compare(&added, &of(&[5, 7]));
        assert_eq!((anomalies.lost_samples, anomalies.lost_sum), (1, 9));
        assert_eq!(anomalies.rounds_with_wrong_count, 1);
        assert_eq!(anomalies.rounds_with_wrong_min, 0);
        assert_eq!(anomalies.rounds_with_wrong_max, 1);
        anomalies.compare(&added, &of(&[5, 7, 9, 9]));
        assert_eq!((anomalies.invented_samples, anomalies.invented_sum), (1, 9));
        assert_eq!(
            (anomalies.rounds, anomalies.samples, anomalies.sum),
            (3, 9, 63)
        );
    }
}
