//! What a drain reported, in integers.

use interval_stat::{Distribution, Interval, Moments, Welford};
use serde::{Deserialize, Serialize};

/// The summary of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Batch {
    /// How many samples.
    pub count: u64,
    /// Their sum.
    pub sum: i128,
    /// The sum of their squares; `None` if what was reported is no integer, as
    /// that of no samples is.
    pub squares: Option<u128>,
    /// The least, if there is one.
    pub min: Option<i64>,
    /// The greatest, if there is one.
    pub max: Option<i64>,
}

impl From<&Moments> for Batch {
    fn from(moments: &Moments) -> Self {
        let squares = moments.sum_of_squares();
        Self {
            count: moments.count(),
            sum: moments.sum(),
            squares: Some(squares.try_into().expect("the samples of a model are few")),
            min: moments.min(),
            max: moments.max(),
        }
    }
}

/// The samples of a model are powers of two, which the histogram tells exactly:
/// its half of the summary is the moments' own, or it is torn.
impl From<&Distribution> for Batch {
    fn from(distribution: &Distribution) -> Self {
        let buckets = distribution.buckets();
        let samples = buckets.flat_map(|(sample, count)| (0..count).map(move |_| sample));
        let histogram = Self::summarize(samples);
        let moments = Self::from(distribution.moments());
        assert_eq!(histogram, moments, "histogram and moments differ");
        moments
    }
}

/// Reads what is in `f64` back to the nearest integers, which is exact for the
/// few small samples of a model.
impl From<&Welford> for Batch {
    fn from(welford: &Welford) -> Self {
        let count = welford.count() as f64;
        let mean = welford.mean().unwrap_or(0.0);
        let spread = welford.variance().unwrap_or(0.0) * (count - 1.0);
        Self {
            count: welford.count(),
            sum: welford.total().round() as i128,
            squares: integer(spread + count * mean * mean),
            min: welford.min(),
            max: welford.max(),
        }
    }
}

/// The integer that rounding made this of. The fractions that a bulk of samples
/// at their mean can report are far from any: its count divides them.
fn integer(rounded: f64) -> Option<u128> {
    let nearest = rounded.round();
    ((rounded - nearest).abs() < 1e-12 * nearest.max(1.0)).then_some(nearest as u128)
}

impl Default for Batch {
    /// The summary of no samples.
    fn default() -> Self {
        Self {
            count: 0,
            sum: 0,
            squares: Some(0),
            min: None,
            max: None,
        }
    }
}

impl Batch {
    /// The summary of these samples.
    pub fn summarize(samples: impl IntoIterator<Item = i64>) -> Self {
        samples.into_iter().fold(Self::default(), Self::with)
    }

    /// The mean, if there are samples.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The standard deviation, if there are samples and their squares are known;
    /// of one sample it is 0.
    pub fn deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squared = self.squares? as f64 - mean * self.sum as f64;
        Some((squared.max(0.0) / (self.count.max(2) - 1) as f64).sqrt())
    }

    /// The summary of the samples of both.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        let extreme = |pick: fn(i64, i64) -> i64, one: Option<i64>, other: Option<i64>| {
            one.into_iter().chain(other).reduce(pick)
        };
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares_with(&other),
            min: extreme(i64::min, self.min, other.min),
            max: extreme(i64::max, self.max, other.max),
        }
    }

    /// The summary of one sample more.
    #[must_use]
    pub fn with(self, sample: i64) -> Self {
        Self {
            count: self.count + 1,
            sum: self.sum + i128::from(sample),
            squares: self
                .squares
                .map(|squares| squares + u128::from(sample.unsigned_abs()).pow(2)),
            min: Some(self.min.map_or(sample, |min| min.min(sample))),
            max: Some(self.max.map_or(sample, |max| max.max(sample))),
        }
    }

    fn squares_with(&self, other: &Self) -> Option<u128> {
        self.squares?.checked_add(other.squares?)
    }
}

/// The sets of `adds`, each with its index and the summary of its samples, that
/// `batch` is the exact summary of.
///
/// Exponential in the worst case; fast when the samples are distinct powers of
/// two, of which one set at most fits.
pub fn explanations(batch: &Batch, adds: &[(usize, Batch)]) -> Vec<Vec<usize>> {
    let mut sorted = adds.to_vec();
    sorted.sort_unstable_by_key(|(_, add)| std::cmp::Reverse(add.squares));
    let mut rest = vec![Batch::default()];
    for &(_, add) in sorted.iter().rev() {
        rest.push(rest[rest.len() - 1].merged(add));
    }
    rest.reverse();
    let mut search = Search {
        sorted: &sorted,
        rest: &rest,
        target: batch,
        chosen: Vec::new(),
        found: Vec::new(),
    };
    search.descend(0, Batch::default());
    search.found
}

struct Search<'a> {
    /// Largest magnitude first, so that a wrong choice shows early.
    sorted: &'a [(usize, Batch)],
    /// By index in `sorted`: the summary of all from there on.
    rest: &'a [Batch],
    target: &'a Batch,
    chosen: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn descend(&mut self, next: usize, so_far: Batch) {
        if so_far.count >= self.target.count {
            if so_far == *self.target {
                self.found.push(self.chosen.clone());
            }
            return;
        }
        if !self.can_reach(next, &so_far) {
            return;
        }
        let (index, add) = self.sorted[next];
        self.chosen.push(index);
        self.descend(next + 1, so_far.merged(add));
        self.chosen.pop();
        self.descend(next + 1, so_far);
    }

    /// Whether the samples from `next` on can still make up what is missing of
    /// the count and of the squares, which only grow.
    fn can_reach(&self, next: usize, so_far: &Batch) -> bool {
        let rest = &self.rest[next];
        so_far.squares <= self.target.squares
            && self.target.squares <= so_far.squares_with(rest)
            && self.target.count <= so_far.count + rest.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU64;

    fn numbered(samples: &[i64]) -> Vec<(usize, Batch)> {
        let adds = samples.iter().map(|&sample| Batch::summarize([sample]));
        adds.enumerate().collect()
    }

    #[test]
    fn finds_every_set_that_fits() {
        let samples = numbered(&[3, 5, 5, 9]);
        let batch = Batch::summarize([3, 5]);
        let mut found = explanations(&batch, &samples);
        found.iter_mut().for_each(|set| set.sort_unstable());
        found.sort();
        assert_eq!(found, [[0, 1], [0, 2]]);
    }

    #[test]
    fn finds_none_for_a_torn_summary() {
        let samples = numbered(&[5, 100]);
        let torn = Batch {
            sum: 10,
            ..Batch::summarize([5, 5])
        };
        assert!(explanations(&torn, &samples).is_empty());
        let stale = Batch {
            max: Some(100),
            ..Batch::summarize([5])
        };
        assert!(explanations(&stale, &samples).is_empty());
    }

    /// Hadoop's bulk of two samples with the sum 5 has the squares 12.5.
    #[test]
    fn finds_none_for_a_bulk_at_a_fraction() {
        let mut bulk = Welford::default();
        bulk.record_n(NonZeroU64::new(2).unwrap(), 5);
        let batch = Batch::from(&bulk);
        assert_eq!((batch.count, batch.sum, batch.squares), (2, 5, None));
        assert!(explanations(&batch, &numbered(&[2, 3])).is_empty());
    }

    #[test]
    fn nothing_explains_an_empty_batch() {
        assert_eq!(
            explanations(&Batch::default(), &numbered(&[1])),
            [vec![0_usize; 0]]
        );
    }

    #[test]
    fn decodes_sixty_powers_of_two_at_once() {
        let samples = numbered(&(0..60).map(|bit| 1 << bit).collect::<Vec<_>>());
        let batch = Batch::summarize([1 << 3, 1 << 40, 1 << 59]);
        assert_eq!(explanations(&batch, &samples), [[59, 40, 3]]);
    }
}
