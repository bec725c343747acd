//! What adds notice of a drainer that is stopped in mid-drain.

use crate::contender::Entrant;
use crate::target::{Adder, Target, Use};
use interval_stat::{Accumulator, Interval, Moments, Recorder, Striped};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};
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

/// The protocol over them.
#[derive(Debug)]
struct SlowlyDrained {
    samples: Striped<SlowToMerge, Moments>,
}

impl SlowlyDrained {
    fn fresh() -> Self {
        Self {
            samples: Striped::new(SlowToMerge::default(), Moments::EMPTY),
        }
    }

    /// How many samples all drains have found, this one included.
    fn drain(&self) -> u64 {
        self.samples.drain_with(|all, batch| {
            all.merge(&batch.0);
            all.count()
        })
    }
}

/// Added to through a recorder.
#[derive(Debug)]
struct ByRecorder(SlowlyDrained);

impl Target for ByRecorder {
    type Adder<'a> = Recorder<'a, SlowToMerge>;

    fn fresh() -> Self {
        Self(SlowlyDrained::fresh())
    }

    fn adder(&self) -> Self::Adder<'_> {
        self.0.samples.recorder()
    }

    fn drain(&self) {
        self.0.drain();
    }

    fn collected(&self) -> Option<u64> {
        Some(self.0.drain())
    }
}

/// Added to through a shared reference.
#[derive(Debug)]
struct ByLookUp(SlowlyDrained);

impl Target for ByLookUp {
    type Adder<'a> = &'a Self;

    fn fresh() -> Self {
        Self(SlowlyDrained::fresh())
    }

    fn adder(&self) -> &Self {
        self
    }

    fn drain(&self) {
        self.0.drain();
    }

    fn collected(&self) -> Option<u64> {
        Some(self.0.drain())
    }
}

impl Adder for &ByLookUp {
    #[inline]
    fn add(&mut self, sample: i64) {
        self.0.samples.add(sample);
    }
}

/// Behind a mutex, which a drain holds until it has merged.
#[derive(Debug, Default)]
struct BehindMutex(Mutex<(SlowToMerge, SlowToMerge)>);

impl BehindMutex {
    fn lock(&self) -> MutexGuard<'_, (SlowToMerge, SlowToMerge)> {
        // Adding does not panic, so there is nothing half-done to see.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Target for BehindMutex {
    type Adder<'a> = &'a Self;

    fn fresh() -> Self {
        Self::default()
    }

    fn adder(&self) -> &Self {
        self
    }

    fn drain(&self) {
        let (open, closed) = &mut *self.lock();
        closed.merge(open);
        open.clear();
    }

    fn collected(&self) -> Option<u64> {
        self.drain();
        Some(self.lock().1.0.count())
    }
}

impl Adder for &BehindMutex {
    #[inline]
    fn add(&mut self, sample: i64) {
        self.lock().0.record(sample);
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
            Self::Recorder => purpose.of::<ByRecorder>(),
            Self::LookUp => purpose.of::<ByLookUp>(),
            Self::Mutex => purpose.of::<BehindMutex>(),
        }
    }
}
