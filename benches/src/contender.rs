//! Who is measured.

use crate::scenario::Scenario;
use crate::target::{ByRecorder, Locked, Nothing, Plain, Shared, Target, Use};
use crate::threads::Threads;
use interval_stat::{ConcurrentMutableStat, MutableStat};
use serde::{Deserialize, Serialize};

/// A [`Target`](crate::Target) by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Contender {
    /// [`Nothing`]: the harness alone.
    Nothing,
    /// [`Plain`]: an accumulator a thread.
    Plain,
    /// [`ByRecorder`]: the concurrent statistic through recorders.
    Recorder,
    /// The concurrent statistic, looking up the thread's stripe at each add.
    ConcurrentMutableStat,
    /// [`Locked`]: the same accumulator behind a mutex.
    Mutex,
    /// Hadoop's statistic, behind a mutex.
    MutableStat,
}

/// What a contender's figures are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What measuring itself costs.
    Harness,
    /// What cannot be beaten.
    Limit,
    /// A concurrent statistic.
    Statistic,
}

impl Contender {
    /// All, in the order in which they take turns.
    pub const ALL: [Self; 6] = [
        Self::Nothing,
        Self::Plain,
        Self::Recorder,
        Self::ConcurrentMutableStat,
        Self::Mutex,
        Self::MutableStat,
    ];

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "harness only",
            Self::Plain => "plain accumulator",
            Self::Recorder => "Recorder",
            Self::ConcurrentMutableStat => "ConcurrentMutableStat",
            Self::Mutex => "Mutex<Moments>",
            Self::MutableStat => "MutableStat",
        }
    }

    /// What it is, in a sentence.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Nothing => "draws the samples and adds them to nothing",
            Self::Plain => {
                "one unshared accumulator a thread: the limit, not a concurrent statistic"
            }
            Self::Recorder => "ConcurrentMutableStat through a Recorder handle a thread",
            Self::ConcurrentMutableStat => {
                "ConcurrentMutableStat through a shared reference: each add looks its stripe up"
            }
            Self::Mutex => "the same exact accumulator behind std::sync::Mutex",
            Self::MutableStat => "Hadoop's statistic: Welford's method behind a mutex",
        }
    }

    /// What its figures are for.
    #[must_use]
    pub fn role(self) -> Role {
        match self {
            Self::Nothing => Role::Harness,
            Self::Plain => Role::Limit,
            _ => Role::Statistic,
        }
    }

    /// Puts its target to a use.
    pub fn put_to<U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Nothing => purpose.of::<Nothing>(),
            Self::Plain => purpose.of::<Plain>(),
            Self::Recorder => purpose.of::<ByRecorder>(),
            Self::ConcurrentMutableStat => purpose.of::<Shared<ConcurrentMutableStat>>(),
            Self::Mutex => purpose.of::<Locked>(),
            Self::MutableStat => purpose.of::<Shared<MutableStat>>(),
        }
    }

    /// Runs a scenario over a fresh one.
    pub fn run<S: Scenario>(self, scenario: &S, threads: Threads) -> S::Figure {
        self.put_to(Run { scenario, threads })
    }
}

/// Runs a scenario over whatever target it is put to.
pub(crate) struct Run<'a, S> {
    pub(crate) scenario: &'a S,
    pub(crate) threads: Threads,
}

impl<S: Scenario> Use for Run<'_, S> {
    type Output = S::Figure;

    fn of<T: Target>(self) -> S::Figure {
        self.scenario.run::<T>(self.threads)
    }
}
