//! Who is measured.

use crate::scenario::Scenario;
use crate::target::{ByRecorder, Locked, Nothing, Plain, Shared, Target, Use};
use crate::threads::Threads;
use interval_stat::runtime::Std;
use interval_stat::{ConcurrentMutableStat, MutableStat};
use models::specimen::{Jdk9, Merged};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// One of several that take turns at being measured: a target by name.
pub trait Entrant: Copy + Debug + PartialEq + Serialize + 'static {
    /// All, in the order in which they take turns.
    const ALL: &'static [Self];

    /// What people call it.
    fn name(self) -> &'static str;

    /// Puts its target to a use.
    fn put_to<U: Use>(self, purpose: U) -> U::Output;

    /// Runs a scenario over a fresh one.
    fn run<S: Scenario>(self, scenario: &S, threads: Threads) -> S::Figure {
        self.put_to(Run { scenario, threads })
    }
}

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
    /// HDDS-9377's concurrent statistic.
    Merged,
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

impl Entrant for Contender {
    const ALL: &'static [Self] = &[
        Self::Nothing,
        Self::Plain,
        Self::Recorder,
        Self::ConcurrentMutableStat,
        Self::Mutex,
        Self::MutableStat,
        Self::Merged,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "harness only",
            Self::Plain => "plain accumulator",
            Self::Recorder => "Recorder",
            Self::ConcurrentMutableStat => "ConcurrentMutableStat",
            Self::Mutex => "Mutex<Moments>",
            Self::MutableStat => "MutableStat",
            Self::Merged => "merged (JDK 9+)",
        }
    }

    fn put_to<U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Nothing => purpose.of::<Nothing>(),
            Self::Plain => purpose.of::<Plain>(),
            Self::Recorder => purpose.of::<ByRecorder>(),
            Self::ConcurrentMutableStat => purpose.of::<Shared<ConcurrentMutableStat>>(),
            Self::Mutex => purpose.of::<Locked>(),
            Self::MutableStat => purpose.of::<Shared<MutableStat>>(),
            Self::Merged => purpose.of::<Shared<Merged<Std, Jdk9>>>(),
        }
    }
}

impl Contender {
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
            Self::Merged => {
                "the algorithm merged for HDDS-9377, in Rust: four striped accumulators as the JDK builds them, one after the other; its intervals can be wrong when it is drained meanwhile, which only a reader does"
            }
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
}

/// Runs a scenario over whatever target it is put to.
struct Run<'a, S> {
    scenario: &'a S,
    threads: Threads,
}

impl<S: Scenario> Use for Run<'_, S> {
    type Output = S::Figure;

    fn of<T: Target>(self) -> S::Figure {
        self.scenario.run::<T>(self.threads)
    }
}
