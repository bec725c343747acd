//! How contenders are measured.

pub(crate) mod burst;
pub(crate) mod crowd;
pub(crate) mod latency;
pub(crate) mod paced;
pub(crate) mod steady;

use crate::target::Target;
use crate::threads::Threads;
use serde::Serialize;
use std::sync::Barrier;
use std::time::Duration;

/// A way to measure a [`Target`].
pub trait Scenario {
    /// What a measurement says.
    type Figure: Figure;

    /// Measures a fresh target.
    fn run<T: Target>(&self, threads: Threads) -> Self::Figure;

    /// About how long that takes, for progress displays.
    fn expected(&self, threads: Threads) -> Duration;
}

/// What a measurement says.
pub trait Figure: Serialize {
    /// What the value counts.
    const UNIT: &str;
    /// Which values are the good ones.
    const BETTER: Better;

    /// The figure that contenders are compared by.
    fn value(&self) -> f64;

    /// Whether every sample added was there in the end; `None` if the target
    /// keeps no account.
    fn samples_kept(&self) -> Option<bool>;

    /// Whether the measurement met its own conditions.
    fn sound(&self) -> bool {
        self.samples_kept() != Some(false)
    }
}

/// Which values are the good ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Small ones: times.
    Lower,
    /// Large ones: rates.
    Higher,
}

impl Better {
    /// How many times better `figure` is than `base`.
    #[must_use]
    pub fn speedup(self, figure: f64, base: f64) -> f64 {
        match self {
            Self::Lower => base / figure,
            Self::Higher => figure / base,
        }
    }
}

/// Runs `work` on so many threads, with the number of each, and gives what they
/// return. None begins before all are there.
fn together<O: Send>(threads: Threads, work: impl Fn(usize, &Barrier) -> O + Sync) -> Vec<O> {
    let barrier = Barrier::new(threads.get());
    let (barrier, work) = (&barrier, &work);
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.get())
            .map(|number| scope.spawn(move || work(number, barrier)))
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().expect("a measuring thread does not panic"))
            .collect()
    })
}
