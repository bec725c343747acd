//! The values that are added, and what the harness's tools cost.

use fastrand::Rng;
use std::hint::black_box;
use std::time::Instant;

/// Samples uniform in [`RANGE`](Self::RANGE), as in the published benchmark,
/// from [`GENERATOR`](Self::GENERATOR) with one fixed seed a thread: every run
/// and every contender adds the same ones.
///
/// # Examples
///
/// ```
/// use benches::Samples;
///
/// let mut samples = Samples::of_thread(0);
/// assert!(Samples::RANGE.contains(&samples.draw()));
/// ```
#[derive(Debug)]
pub struct Samples(Rng);

impl Samples {
    /// What is drawn.
    pub const RANGE: std::ops::RangeInclusive<i64> = 1..=10_000;

    /// Who draws.
    pub const GENERATOR: &str = "wyrand (crate fastrand 2)";

    /// The samples of the thread with this number.
    #[must_use]
    pub fn of_thread(number: usize) -> Self {
        // The golden ratio keeps the seeds of neighbours far apart.
        Self(Rng::with_seed(
            (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        ))
    }

    /// The next sample.
    #[inline]
    pub fn draw(&mut self) -> i64 {
        self.0.i64(Self::RANGE)
    }

    /// Nanoseconds a draw.
    #[must_use]
    pub fn cost() -> f64 {
        let mut samples = Self::of_thread(0);
        nanoseconds_each(|| {
            black_box(samples.draw());
        })
    }
}

/// Nanoseconds a reading of the clock.
#[must_use]
pub fn clock_cost() -> f64 {
    nanoseconds_each(|| {
        black_box(Instant::now());
    })
}

/// The least nanoseconds that two readings of the clock differ by, if they do.
#[must_use]
pub fn clock_step() -> f64 {
    let step = |_| {
        let start = Instant::now();
        loop {
            let step = start.elapsed();
            if !step.is_zero() {
                return step.as_nanos() as f64;
            }
        }
    };
    (0..100_000).map(step).fold(f64::INFINITY, f64::min)
}

/// The fastest of some repetitions: what disturbs them only ever adds.
fn nanoseconds_each(mut action: impl FnMut()) -> f64 {
    const TIMES: u32 = 100_000;
    let repetition = |_| {
        let start = Instant::now();
        (0..TIMES).for_each(|_| action());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES)
    };
    (0..20).map(repetition).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_whole_range_evenly() {
        let mut samples = Samples::of_thread(3);
        let drawn: Vec<i64> = (0..200_000).map(|_| samples.draw()).collect();
        assert_eq!(drawn.iter().min(), Some(&1));
        assert_eq!(drawn.iter().max(), Some(&10_000));
        let mean = drawn.iter().sum::<i64>() as f64 / drawn.len() as f64;
        // Five standard errors: 5 * 2887 / sqrt(200,000).
        assert!((mean - 5000.5).abs() < 32.3, "{mean}");
    }

    #[test]
    fn threads_draw_differently_and_runs_alike() {
        let first = |thread| Samples::of_thread(thread).draw();
        assert_eq!(first(1), first(1));
        assert!((0..80).any(|thread| first(thread) != first(0)));
    }
}
