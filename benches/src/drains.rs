//! What a drain costs by the number of stripes, when nobody else is about.

use crate::spread::Spread;
use interval_stat::{Moments, Striped};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::Instant;

/// The drains of so many stripes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuietDrain {
    /// How many stripes, each with one sample in it.
    pub stripes: usize,
    /// Nanoseconds a drain, over the repetitions.
    pub ns: Spread,
}

impl QuietDrain {
    /// Nanoseconds a stripe, from this drain to one of more stripes: what all
    /// drains have in common is in neither.
    ///
    /// # Examples
    ///
    /// ```
    /// use benches::quiet_drains;
    ///
    /// let drains = quiet_drains(&[1, 100], 20);
    /// let per_stripe = drains[0].per_stripe(&drains[1]);
    /// assert!(per_stripe.is_finite());
    /// ```
    #[must_use]
    pub fn per_stripe(&self, more: &Self) -> f64 {
        (more.ns.median - self.ns.median) / (more.stripes as f64 - self.stripes as f64)
    }
}

/// Times so many drains of each number of stripes; one sample is added to every
/// stripe before each.
#[must_use]
pub fn quiet_drains(stripes: &[usize], repetitions: usize) -> Vec<QuietDrain> {
    stripes
        .iter()
        .map(|&stripes| quiet_drain(stripes, repetitions))
        .collect()
}

fn quiet_drain(stripes: usize, repetitions: usize) -> QuietDrain {
    let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
    // Recorders that live at once own a stripe each.
    let mut recorders: Vec<_> = (0..stripes).map(|_| samples.recorder()).collect();
    let time = |_| {
        recorders.iter_mut().for_each(|recorder| recorder.add(1));
        let start = Instant::now();
        black_box(samples.drain());
        start.elapsed().as_secs_f64() * 1e9
    };
    let ns = Spread::of((0..repetitions).map(time)).expect("there is a repetition");
    QuietDrain { stripes, ns }
}
