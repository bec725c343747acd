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
    /// Of these figures; `None` if there are none. What is no number, as a ratio
    /// to nothing is not, says nothing and is left out; `rounds` tells.
    #[must_use]
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = figures.into_iter().filter(|x| x.is_finite()).collect();
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
    fn what_is_no_number_is_left_out() {
        let spread = Spread::of([f64::NAN, 2.0, f64::INFINITY, 1.0]).unwrap();
        assert_eq!((spread.rounds, spread.min, spread.max), (2, 1.0, 2.0));
        assert_eq!(Spread::of([f64::INFINITY]), None);
    }
}
