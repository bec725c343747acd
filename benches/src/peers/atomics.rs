//! Atomics, as they are often used for figures.

use crate::target::{Adder, Target};
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A counter: what one word shared by all threads costs.
#[derive(Debug, Default)]
pub(super) struct OneAtomic(AtomicU64);

impl Target for OneAtomic {
    type Adder<'a> = &'a Self;

    fn fresh() -> Self {
        Self::default()
    }

    fn adder(&self) -> &Self {
        self
    }

    fn collected(&self) -> Option<u64> {
        // Relaxed: the adders have been joined.
        Some(self.0.load(Relaxed))
    }
}

impl Adder for &OneAtomic {
    #[inline]
    fn add(&mut self, _sample: i64) {
        // Relaxed: a count orders nothing.
        self.0.fetch_add(1, Relaxed);
    }
}

/// Count, sum, min and max as an atomic each, in cells that threads are spread
/// over.
#[derive(Debug)]
pub(super) struct FourStriped {
    cells: Vec<CachePadded<Cell>>,
    /// How many threads have been given a cell.
    given: AtomicUsize,
}

/// One stripe of [`FourStriped`].
#[derive(Debug)]
pub(super) struct Cell {
    count: AtomicU64,
    sum: AtomicI64,
    min: AtomicI64,
    max: AtomicI64,
}

impl FourStriped {
    const CELLS: usize = 64;
}

impl Target for FourStriped {
    type Adder<'a> = &'a Cell;

    fn fresh() -> Self {
        let empty = || Cell {
            count: AtomicU64::new(0),
            sum: AtomicI64::new(0),
            min: AtomicI64::new(i64::MAX),
            max: AtomicI64::new(i64::MIN),
        };
        Self {
            cells: (0..Self::CELLS)
                .map(|_| CachePadded::new(empty()))
                .collect(),
            given: AtomicUsize::new(0),
        }
    }

    fn adder(&self) -> &Cell {
        // Relaxed: any cell will do, and cells are shared anyhow.
        let number = self.given.fetch_add(1, Relaxed);
        &self.cells[number % Self::CELLS]
    }

    fn collected(&self) -> Option<u64> {
        // Relaxed: the adders have been joined.
        let counts = self.cells.iter().map(|cell| cell.count.load(Relaxed));
        Some(counts.sum())
    }
}

impl Adder for &Cell {
    #[inline]
    fn add(&mut self, sample: i64) {
        // Relaxed: nothing ties the four together; that is what is measured.
        self.count.fetch_add(1, Relaxed);
        self.sum.fetch_add(sample, Relaxed);
        self.min.fetch_min(sample, Relaxed);
        self.max.fetch_max(sample, Relaxed);
    }
}
