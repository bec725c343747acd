//! The merged algorithm, repaired by cells that are taken in one step.

use std::fmt;

use crossbeam_utils::CachePadded;
use interval_stat::hadoop::SampleStat;
use interval_stat::runtime::{Mutex, Runtime};
use interval_stat::{
    Accumulator, BatchError, Detail, Emit, Gathered, IntervalStat, Labels, Moments, Snapshot,
};

use super::striped64::Probes;

/// The merged algorithm with one kind of cell in place of four: an add changes
/// all figures of its thread's cell in one step, and a drain takes each cell in
/// one step.
///
/// On the JVM that step is a compare-and-swap of a reference to an immutable
/// record, since count, sum, min and max are four times the 64 bits that it can
/// exchange. Here it is a section of a lock that is held for that step alone.
pub struct Combined<R: Runtime> {
    cells: Box<[CachePadded<R::Mutex<Moments>>]>,
    probes: Probes<R>,
    parent: R::Mutex<Gathered<Moments>>,
}

impl<R: Runtime> Combined<R> {
    /// No samples yet, on a machine of so many processors.
    pub fn new(labels: Labels, processors: usize) -> Self {
        let cell = |_| CachePadded::new(Mutex::new("cell", Moments::EMPTY));
        Self {
            cells: (0..processors.next_power_of_two().max(2))
                .map(cell)
                .collect(),
            probes: Probes::new(),
            parent: Mutex::new("parent", Gathered::new(labels)),
        }
    }

    /// Drains, and calls `section` with the parent.
    fn drained<O>(&self, section: impl FnOnce(&mut Gathered<Moments>) -> O) -> O {
        self.parent.with(|parent| {
            for cell in &self.cells {
                parent.merge(&cell.with(std::mem::take));
            }
            section(parent)
        })
    }
}

impl<R: Runtime> IntervalStat for Combined<R> {
    type Interval = Moments;

    #[inline]
    fn add(&self, sample: i64) {
        let probe = self.probes.own() as usize;
        let cell = &self.cells[probe & (self.cells.len() - 1)];
        cell.with(|cell| cell.record(sample));
    }

    fn add_n(&self, count: u64, sum: i64) -> Result<(), BatchError> {
        self.drained(|parent| parent.add_n(count, sum))
    }

    fn snapshot(&self, emit: Emit) -> Option<Snapshot<Moments>> {
        self.drained(|parent| parent.snapshot(emit))
    }

    fn changed(&self) -> bool {
        self.drained(|parent| parent.changed())
    }

    fn last_stat(&self) -> Moments {
        self.drained(|parent| *parent.last_stat())
    }

    fn reset_min_max(&self) {
        self.drained(Gathered::reset_min_max);
    }

    fn set_detail(&self, detail: Detail) {
        self.drained(|parent| parent.set_detail(detail));
    }
}

impl<R: Runtime> fmt::Display for Combined<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SampleStat::from(&self.last_stat()).fmt(f)
    }
}
