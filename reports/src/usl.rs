//! The Universal Scalability Law (N. Gunther): with N threads, throughput is
//! λN / (1 + σ(N - 1) + κN(N - 1)). λ is what one thread does; σ, contention, is
//! the part of the work that only one can do at a time; κ, coherency, is what
//! each costs each other one. With σ = κ = 0 throughput grows as N does.

use fastrand::Rng;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// What one series of throughputs comes to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Law {
    pub(crate) lambda: f64,
    pub(crate) sigma: f64,
    pub(crate) kappa: f64,
}

/// A figure, and within which bounds 95 % of the resampled fits have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A law, how sure it is, and what it predicts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Fit {
    pub(crate) law: Law,
    pub(crate) sigma: Estimate,
    pub(crate) kappa: Estimate,
    /// The root mean square of the relative residuals.
    pub(crate) residual: f64,
    /// At [`PREDICTED`] threads, over what one thread does.
    pub(crate) predicted: Estimate,
}

/// For how many threads something is predicted.
pub(crate) const PREDICTED: f64 = 128.0;

/// A throughput of so many threads: one figure, or one a round.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) threads: f64,
    pub(crate) rounds: Vec<f64>,
}

impl Law {
    pub(crate) fn at(self, threads: f64) -> f64 {
        let others = threads - 1.0;
        self.lambda * threads / (1.0 + self.sigma * others + self.kappa * threads * others)
    }

    fn scaling(self, threads: f64) -> f64 {
        self.at(threads) / self.lambda
    }

    /// The law whose relative errors have the least squares, with no coefficient
    /// below zero. N over the throughput is linear in 1/λ, σ/λ and κ/λ, so this
    /// is linear least squares; a coefficient that would be negative is zero, and
    /// the best of the ways to choose which are is taken.
    fn of(points: &[(f64, f64)]) -> Option<Self> {
        let choices = [[true, true], [true, false], [false, true], [false, false]];
        let laws = choices
            .into_iter()
            .filter_map(|free| Self::with(points, free));
        let error = |law: &Self| squares(*law, points);
        laws.min_by(|a, b| error(a).total_cmp(&error(b)))
    }

    /// With σ and κ free, or zero.
    fn with(points: &[(f64, f64)], free: [bool; 2]) -> Option<Self> {
        let columns = 1 + free.iter().filter(|&&free| free).count();
        let row = |n: f64| {
            let all = [n - 1.0, n * (n - 1.0)];
            let chosen = all.into_iter().zip(free).filter(|choice| choice.1);
            std::iter::once(1.0).chain(chosen.map(|choice| choice.0))
        };
        // Relative: each equation is divided by N over the throughput.
        let weighted = points
            .iter()
            .flat_map(|&(n, x)| row(n).map(move |term| term * x / n));
        let terms = DMatrix::from_row_iterator(points.len(), columns, weighted);
        let ones = DVector::from_element(points.len(), 1.0);
        let solved = terms.svd(true, true).solve(&ones, 1e-12).ok()?;
        let mut solved = solved.iter().copied();
        let inverse = solved.next()?;
        let mut next = |free: bool| if free { solved.next() } else { Some(0.0) };
        let [sigma, kappa] = [next(free[0])?, next(free[1])?];
        let law = Self {
            lambda: 1.0 / inverse,
            sigma: sigma / inverse,
            kappa: kappa / inverse,
        };
        (inverse > 0.0 && sigma >= 0.0 && kappa >= 0.0).then_some(law)
    }
}

/// The relative errors of N over the throughput, squared.
fn squares(law: Law, points: &[(f64, f64)]) -> f64 {
    let error = |&(n, x): &(f64, f64)| (x / law.at(n) - 1.0).powi(2);
    points.iter().map(error).sum()
}

fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    benches::Spread::of(values).map_or(f64::NAN, |spread| spread.median)
}

impl Fit {
    /// Of at least four points; `None` below, where there is nothing left to
    /// judge a fit by.
    pub(crate) fn of(points: &[Point]) -> Option<Self> {
        if points.len() < 4 {
            return None;
        }
        let medians: Vec<(f64, f64)> = points
            .iter()
            .map(|point| (point.threads, median(point.rounds.iter().copied())))
            .collect();
        let law = Law::of(&medians)?;
        let laws = resampled(points, law, &medians);
        let estimate = |of: fn(Law) -> f64| Estimate::of(of(law), laws.iter().map(|&law| of(law)));
        Some(Self {
            law,
            sigma: estimate(|law| law.sigma),
            kappa: estimate(|law| law.kappa),
            residual: (squares(law, &medians) / medians.len() as f64).sqrt(),
            predicted: estimate(|law| law.scaling(PREDICTED)),
        })
    }
}

impl Estimate {
    fn of(value: f64, resampled: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = resampled.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let place = (part * (sorted.len() as f64 - 1.0)).round() as usize;
            sorted.get(place).copied().unwrap_or(value)
        };
        Self {
            value,
            low: at(0.025),
            high: at(0.975),
        }
    }
}

/// Laws of points as they might have come out: the law's own figures, each off by
/// the relative error of some point (a residual bootstrap), with the rounds of
/// each point drawn anew where there are rounds.
fn resampled(points: &[Point], law: Law, medians: &[(f64, f64)]) -> Vec<Law> {
    const TIMES: usize = 1000;
    let mut rng = Rng::with_seed(1);
    // With as many coefficients as this the residuals are too small by so much.
    let freedom = (medians.len() as f64 / (medians.len() as f64 - 3.0)).sqrt();
    let residuals: Vec<f64> = medians
        .iter()
        .map(|&(n, x)| freedom * (x / law.at(n) - 1.0))
        .collect();
    let mut again = || {
        let mut point = |(point, &(n, x)): (&Point, &(f64, f64))| {
            let residual = residuals[rng.usize(..residuals.len())];
            let rounds = point.rounds.len();
            let drawn = median((0..rounds).map(|_| point.rounds[rng.usize(..rounds)]));
            (
                n,
                (law.at(n) * (1.0 + residual)).max(f64::MIN_POSITIVE) * drawn / x,
            )
        };
        let points: Vec<(f64, f64)> = points.iter().zip(medians).map(&mut point).collect();
        Law::of(&points)
    };
    (0..TIMES).filter_map(|_| again()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(law: Law, noise: impl Fn(usize) -> f64) -> Vec<Point> {
        let counts = [1.0, 2.0, 10.0, 20.0, 40.0, 80.0];
        let point = |(place, &threads): (usize, &f64)| Point {
            threads,
            rounds: vec![law.at(threads) * noise(place)],
        };
        counts.iter().enumerate().map(point).collect()
    }

    const LAW: Law = Law {
        lambda: 100.0,
        sigma: 0.05,
        kappa: 0.0003,
    };

    #[test]
    fn a_law_is_found_in_its_own_figures() {
        let fit = Fit::of(&points(LAW, |_| 1.0)).unwrap();
        assert!((fit.law.lambda - LAW.lambda).abs() < 1e-6, "{fit:?}");
        assert!((fit.law.sigma - LAW.sigma).abs() < 1e-8, "{fit:?}");
        assert!((fit.law.kappa - LAW.kappa).abs() < 1e-9, "{fit:?}");
        // 128 / (1 + 0.05 * 127 + 0.0003 * 128 * 127) = 128 / 12.2268
        assert!((fit.predicted.value - 10.4688).abs() < 1e-3, "{fit:?}");
        assert!(fit.residual < 1e-9);
    }

    #[test]
    fn noise_widens_the_bounds_and_stays_in_them() {
        let noise = |place: usize| if place % 2 == 0 { 1.05 } else { 0.95 };
        let fit = Fit::of(&points(LAW, noise)).unwrap();
        let holds = |estimate: Estimate, truth: f64| {
            estimate.low <= truth && truth <= estimate.high && estimate.low < estimate.high
        };
        assert!(holds(fit.sigma, LAW.sigma), "{fit:?}");
        assert!(holds(fit.predicted, LAW.scaling(PREDICTED)), "{fit:?}");
    }

    #[test]
    fn what_grows_faster_than_its_threads_has_no_negative_coefficients() {
        let faster = |n: f64| Point {
            threads: n,
            rounds: vec![n * n],
        };
        let fit = Fit::of(&[1.0, 2.0, 3.0, 4.0].map(faster)).unwrap();
        assert_eq!((fit.law.sigma, fit.law.kappa), (0.0, 0.0));
    }

    #[test]
    fn three_points_are_too_few() {
        assert!(Fit::of(&points(LAW, |_| 1.0)[..3]).is_none());
    }
}
