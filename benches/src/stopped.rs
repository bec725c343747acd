//! What adds notice of a drainer that is stopped in mid-drain.

use crate::contender::Entrant;
use crate::target::{Adder, Counts, Locked, Recorded, Target, Use};
use interval_stat::runtime::Std;
use interval_stat::{Accumulator, Interval, Moments};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Moments whose merge takes [`STOP`](Self::STOP): a drainer is stopped where it
/// has emptied some stripes and not yet others.
#[derive(Clone, Debug, Default)]
struct SlowToMerge(Moments);

impl SlowToMerge {
    /// About as long as a machine under load lets a thread wait for its turn.
    const STOP: Duration = Duration::from_millis(20);
}

impl Accumulator for SlowToMerge {
    #[inline]
    fn record(&mut self, sample: i64) {
        self.0.record(sample);
    }

    fn merge(&mut self, other: &Self) {
        std::thread::sleep(Self::STOP);
        self.0.merge(&other.0);
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl Counts for SlowToMerge {
    fn counted(&self) -> u64 {
        self.0.count()
    }
}

/// Added to through a shared reference.
#[derive(Debug)]
struct ByLookUp(Recorded<Std, SlowToMerge>);

impl Target for ByLookUp {
    type Adder<'a> = &'a Self;

    fn fresh() -> Self {
        Self(Recorded::new())
    }

    fn adder(&self) -> &Self {
        self
    }

    fn drain(&self) {
        self.0.drain();
    }

    fn collected(&self) -> Option<u64> {
        self.0.collected()
    }
}

impl Adder for &ByLookUp {
    #[inline]
    fn add(&mut self, sample: i64) {
        self.0.0.add(sample);
    }
}

/// Who may have a drainer that is stopped in mid-drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StoppedContender {
    /// The protocol, through a recorder.
    Recorder,
    /// The protocol, looking up the thread's stripe at each add.
    LookUp,
    /// The same accumulator behind a mutex.
    Mutex,
}

impl StoppedContender {
    /// For how long, at each stripe or lock.
    pub const STOP: Duration = SlowToMerge::STOP;
}

impl Entrant for StoppedContender {
    const ALL: &'static [Self] = &[Self::Recorder, Self::LookUp, Self::Mutex];

    fn name(self) -> &'static str {
        match self {
            Self::Recorder => "Recorder",
            Self::LookUp => "ConcurrentMutableStat",
            Self::Mutex => "Mutex<Moments>",
        }
    }

    fn put_to<U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Recorder => purpose.of::<Recorded<Std, SlowToMerge>>(),
            Self::LookUp => purpose.of::<ByLookUp>(),
            Self::Mutex => purpose.of::<Locked<SlowToMerge>>(),
        }
    }
}
