//! The merged algorithm, repaired by a phaser.

use std::fmt;

use interval_stat::hadoop::SampleStat;
use interval_stat::runtime::{Mutex, Runtime};
use interval_stat::{BatchError, Detail, Emit, Gathered, IntervalStat, Labels, Snapshot, Welford};

use super::pending::Pending;
use super::reset::Jdk9;
use super::volatile::Volatile;

/// The merged algorithm with its four accumulators twice, and a phaser that says
/// which four are being filled.
///
/// The phaser is the one of HdrHistogram's interval recorders. An add *enters*:
/// it increments a word that counts entries and whose top bit names the phase;
/// it fills that phase's accumulators and *leaves* by incrementing the phase's
/// count of exits. A drain holds the parent's lock all the time. It swaps the
/// entries for the other phase's, waits until as many have left the old phase as
/// had entered it, and takes that one's accumulators at rest. So the identity
/// check has nothing to check and is gone.
///
/// On hardware an entry is one fetch-and-add; here it is a compare-and-swap that
/// repeats, the runtime having nothing else.
pub struct Phased<R: Runtime> {
    entries: Volatile<R>,
    exits: [Volatile<R>; 2],
    pending: [Pending<R>; 2],
    parent: R::Mutex<Gathered<Welford>>,
}

/// Which accumulators are filled. The entries of the second phase count up from
/// the least `i64`, so that their sign tells the phase.
#[derive(Clone, Copy)]
enum Phase {
    First,
    Second,
}

impl Phase {
    fn of(entries: i64) -> Self {
        if entries < 0 {
            Self::Second
        } else {
            Self::First
        }
    }

    fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    fn start(self) -> i64 {
        match self {
            Self::First => 0,
            Self::Second => i64::MIN,
        }
    }
}

impl<R: Runtime> Phased<R> {
    /// No samples yet, on a machine of so many processors.
    pub fn new(labels: Labels, processors: usize) -> Self {
        let exits = |phase: Phase| Volatile::new("exits", phase.start());
        Self {
            entries: Volatile::new("entries", Phase::First.start()),
            exits: [Phase::First, Phase::Second].map(exits),
            pending: [(); 2].map(|()| Pending::new(processors)),
            parent: Mutex::new("parent", Gathered::new(labels)),
        }
    }

    /// Drains, and calls `section` with the parent.
    fn drained<O>(&self, section: impl FnOnce(&mut Gathered<Welford>) -> O) -> O {
        self.parent.with(|parent| {
            let phase = self.flip();
            let taken = self.pending[phase as usize].take::<Jdk9>();
            let shares = taken.map(|taken| taken.shares());
            let shares = shares.into_iter().flatten().flatten();
            shares.for_each(|share| share.add_to(parent));
            section(parent)
        })
    }

    /// Ends the phase and returns it when nobody is in it any more.
    fn flip(&self) -> Phase {
        let old = Phase::of(self.entries.get());
        let new = old.other();
        self.exits[new as usize].set(new.start());
        let entered = self.entries.get_and_set(new.start());
        let mut turn = 0;
        while self.exits[old as usize].get() != entered {
            R::pause(turn);
            turn = turn.saturating_add(1);
        }
        old
    }
}

impl<R: Runtime> IntervalStat for Phased<R> {
    type Interval = Welford;

    #[inline]
    fn add(&self, sample: i64) {
        let phase = Phase::of(self.entries.get_and_increment());
        self.pending[phase as usize].add(sample);
        self.exits[phase as usize].get_and_increment();
    }

    fn add_n(&self, count: u64, sum: i64) -> Result<(), BatchError> {
        self.drained(|parent| parent.add_n(count, sum))
    }

    fn snapshot(&self, emit: Emit) -> Option<Snapshot<Welford>> {
        self.drained(|parent| parent.snapshot(emit))
    }

    fn changed(&self) -> bool {
        self.drained(|parent| parent.changed())
    }

    fn last_stat(&self) -> Welford {
        self.drained(|parent| *parent.last_stat())
    }

    fn reset_min_max(&self) {
        self.drained(Gathered::reset_min_max);
    }

    fn set_detail(&self, detail: Detail) {
        self.drained(|parent| parent.set_detail(detail));
    }
}

impl<R: Runtime> fmt::Display for Phased<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SampleStat::from(&self.last_stat()).fmt(f)
    }
}
