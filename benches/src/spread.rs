//! What a handful of figures comes to.

use serde::{Deserialize, Serialize};

/// The five-number summary of some figures.
///
/// # Examples
///
/// ```
/// use benches::Spread;
///
/// let spread = Spread::of([4.0, 1.0, 2.0, 3.0, 10.0]).unwrap();
/// assert_eq!((spread.min, spread.median, spread.max), (1.0, 3.0, 10.0));
/// assert_eq!((spread.lower, spread.upper), (2.0, 4.0));
/// assert_eq!(Spread::of([]), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many figures.
    pub rounds: usize,
    /// The smallest.
    pub min: f64,
    /// The lower quartile.
    pub lower: f64,
    /// The middle one.
    pub median: f64,
    /// The upper quartile.
    pub upper: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of these figures; `None` if there are none.
    #[must_use]
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            rounds: sorted.len(),
            min: *sorted.first()?,
            lower: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper: quantile(&sorted, 0.75),
            max: *sorted.last()?,
        })
    }

    /// The same in another unit.
    #[must_use]
    pub fn map(self, convert: impl Fn(f64) -> f64) -> Option<Self> {
        let Self {
            min,
            lower,
            median,
            upper,
            max,
            rounds,
        } = self;
        let spread = Self::of([min, lower, median, upper, max].map(convert))?;
        Some(Self { rounds, ..spread })
    }
}

/// Linear between the neighbours (R's type 7).
fn quantile(sorted: &[f64], at: f64) -> f64 {
    let position = at * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    below + (above - below) * position.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours() {
        let spread = Spread::of([1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(
            (spread.lower, spread.median, spread.upper),
            (1.75, 2.5, 3.25)
        );
    }

    #[test]
    fn of_one_figure_is_that_figure() {
        let spread = Spread::of([7.0]).unwrap();
        assert_eq!((spread.min, spread.median, spread.max), (7.0, 7.0, 7.0));
    }

    #[test]
    fn a_falling_conversion_turns_it_round() {
        let inverse = Spread::of([1.0, 2.0, 4.0])
            .unwrap()
            .map(|x| 1.0 / x)
            .unwrap();
        assert_eq!((inverse.min, inverse.median, inverse.max), (0.25, 0.5, 1.0));
        assert_eq!(inverse.rounds, 3);
    }
}
