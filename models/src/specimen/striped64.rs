//! The JDK's `Striped64`, and the two classes that are built on it.
//!
//! A value lies in one word, the *base*, until two threads collide there. From
//! then on it is spread over a table of *cells*: a thread updates the cell that
//! its *probe* points at. On a collision it advances the probe; if it collides
//! again, and the table has fewer cells than the machine has processors, it
//! doubles the table. Making a cell and changing the table's size happen under
//! a spin lock, the word `busy`, for which nobody waits: a thread that finds it
//! taken goes on elsewhere.

use std::marker::PhantomData;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicU32, Ordering};

use crossbeam_utils::CachePadded;
use interval_stat::runtime::{PerThread, Runtime};

use super::reset::Reset;
use super::volatile::Volatile;

/// What the words of an instance are combined by.
pub trait Combine: 'static {
    /// Changes nothing when combined.
    const IDENTITY: i64;
    /// Whether an update that changes nothing is left out where nothing has
    /// collided yet.
    const SKIPS_UNCHANGED: bool;

    /// Both in one.
    fn combine(held: i64, x: i64) -> i64;
}

enum Sum {}

impl Combine for Sum {
    const IDENTITY: i64 = 0;
    const SKIPS_UNCHANGED: bool = false;

    fn combine(held: i64, x: i64) -> i64 {
        held.wrapping_add(x)
    }
}

/// The smaller of two; `i64::MAX` stands for none, and may be a sample.
pub enum Min {}

impl Combine for Min {
    const IDENTITY: i64 = i64::MAX;
    const SKIPS_UNCHANGED: bool = true;

    fn combine(held: i64, x: i64) -> i64 {
        held.min(x)
    }
}

/// The greater of two; `i64::MIN` stands for none, and may be a sample.
pub enum Max {}

impl Combine for Max {
    const IDENTITY: i64 = i64::MIN;
    const SKIPS_UNCHANGED: bool = true;

    fn combine(held: i64, x: i64) -> i64 {
        held.max(x)
    }
}

/// What traces call the words of one instance.
#[derive(Clone, Copy)]
pub struct Words {
    pub(super) base: &'static str,
    pub(super) size: &'static str,
    pub(super) busy: &'static str,
    pub(super) made: &'static str,
    pub(super) cell: &'static str,
}

/// The words of the instance called `$field`.
macro_rules! words {
    ($field:literal) => {
        $crate::specimen::striped64::Words {
            base: concat!($field, ".base"),
            size: concat!($field, ".cells.length"),
            busy: concat!($field, ".cellsBusy"),
            made: concat!($field, ".cells[]"),
            cell: concat!($field, ".cell"),
        }
    };
}

pub(super) use words;

/// `java.util.concurrent.atomic.LongAdder`.
pub struct LongAdder<R: Runtime>(Striped64<R, Sum>);

impl<R: Runtime> LongAdder<R> {
    /// 0, with words of these names, on a machine of so many processors.
    pub fn new(words: Words, processors: usize) -> Self {
        Self(Striped64::new(words, processors))
    }

    /// Adds `x`.
    #[inline]
    pub fn add(&self, x: i64, probes: &Probes<R>) {
        self.0.update(x, probes);
    }

    /// The sum, word by word; each is left 0.
    pub fn sum_then_reset<T: Reset>(&self) -> i64 {
        self.0.take::<T>()
    }
}

/// `java.util.concurrent.atomic.LongAccumulator` of [`Min`] or [`Max`], with its
/// identity.
pub struct LongAccumulator<R: Runtime, F: Combine>(Striped64<R, F>);

impl<R: Runtime, F: Combine> LongAccumulator<R, F> {
    /// The identity, with words of these names, on a machine of so many
    /// processors.
    pub fn new(words: Words, processors: usize) -> Self {
        Self(Striped64::new(words, processors))
    }

    /// Combines `x` into it.
    #[inline]
    pub fn accumulate(&self, x: i64, probes: &Probes<R>) {
        self.0.update(x, probes);
    }

    /// What the words combine to; each is left the identity.
    pub fn get_then_reset<T: Reset>(&self) -> i64 {
        self.0.take::<T>()
    }
}

/// Where each thread looks in a table of cells first.
pub struct Probes<R: Runtime> {
    own: R::PerThread<u32>,
    /// How many threads have one. No model checker needs to see it.
    threads: AtomicU32,
}

impl<R: Runtime> Probes<R> {
    /// No thread has one yet.
    pub fn new() -> Self {
        Self {
            own: PerThread::new(),
            threads: AtomicU32::new(0),
        }
    }

    /// The calling thread's. The golden ratio spreads the numbers of threads.
    pub(super) fn own(&self) -> u32 {
        const GOLDEN_RATIO: u32 = 0x9e37_79b9;
        let probe = || {
            let before = self.threads.fetch_add(1, Ordering::Relaxed);
            GOLDEN_RATIO.wrapping_mul(before.wrapping_add(1))
        };
        let known = self.own.get().or_else(|| self.own.get_or(probe));
        // Any number will do for a thread that has left its own.
        known.unwrap_or(GOLDEN_RATIO)
    }
}

impl<R: Runtime> Default for Probes<R> {
    fn default() -> Self {
        Self::new()
    }
}

/// Marsaglia's xorshift.
fn advance(probe: u32) -> u32 {
    let probe = probe ^ probe << 13;
    let probe = probe ^ probe >> 17;
    probe ^ probe << 5
}

/// A value in a base and cells.
struct Striped64<R: Runtime, F> {
    base: Volatile<R>,
    /// How many cells the table has: 0, or a power of two.
    size: Volatile<R>,
    /// 1 while a thread makes a cell or changes the size.
    busy: Volatile<R>,
    /// As many as the table may come to have.
    cells: Box<[CachePadded<Cell<R>>]>,
    combine: PhantomData<fn() -> F>,
}

/// A cell of the table.
struct Cell<R: Runtime> {
    /// 0 where the table has no cell yet.
    made: Volatile<R>,
    value: Volatile<R>,
}

/// Ends the search for a word to update, or goes on with this probe.
type Turn = ControlFlow<(), u32>;

/// What a thread remembers of its collisions in one call.
struct Collisions {
    /// It lost at a cell with a probe that it has not advanced since.
    with_this_probe: bool,
    /// It lost at two cells in a table that may still grow.
    table_too_small: bool,
}

impl<R: Runtime, F: Combine> Striped64<R, F> {
    fn new(words: Words, processors: usize) -> Self {
        let cell = |_| {
            CachePadded::new(Cell {
                made: Volatile::new(words.made, 0),
                value: Volatile::new(words.cell, F::IDENTITY),
            })
        };
        Self {
            base: Volatile::new(words.base, F::IDENTITY),
            size: Volatile::new(words.size, 0),
            busy: Volatile::new(words.busy, 0),
            cells: (0..processors.next_power_of_two().max(2))
                .map(cell)
                .collect(),
            combine: PhantomData,
        }
    }

    #[inline]
    fn update(&self, x: i64, probes: &Probes<R>) {
        let size = self.size();
        if size == 0 && Self::try_word(&self.base, x) {
            return;
        }
        let probe = probes.own();
        let mut lost = false;
        if size > 0 {
            let cell = self.cell(size, probe);
            if cell.made.get() == 1 {
                if Self::try_word(&cell.value, x) {
                    return;
                }
                lost = true;
            }
        }
        self.contend(x, probe, lost);
    }

    #[cold]
    fn contend(&self, x: i64, mut probe: u32, with_this_probe: bool) {
        let mut collisions = Collisions {
            with_this_probe,
            table_too_small: false,
        };
        while let Continue(next) = self.turn(x, probe, &mut collisions) {
            probe = next;
        }
    }

    fn turn(&self, x: i64, probe: u32, collisions: &mut Collisions) -> Turn {
        let size = self.size();
        if size == 0 {
            return self.make_table(x, probe);
        }
        let cell = self.cell(size, probe);
        if cell.made.get() == 0 {
            return self.make_cell(x, probe, collisions);
        }
        if collisions.with_this_probe {
            collisions.with_this_probe = false;
            return Continue(advance(probe));
        }
        if Self::set_word(&cell.value, x) {
            return Break(());
        }
        self.grow(size, probe, collisions)
    }

    /// The first two cells, one of them with `x`; the base if others are at it.
    fn make_table(&self, x: i64, probe: u32) -> Turn {
        let made = (self.busy.get() == 0 && self.size() == 0).then(|| {
            self.exclusively(|| {
                let absent = self.size() == 0;
                if absent {
                    self.cell(2, probe).make(x);
                    self.size.set(2);
                }
                absent
            })
        });
        match made.flatten() {
            Some(true) => Break(()),
            Some(false) => Continue(probe),
            None if Self::set_word(&self.base, x) => Break(()),
            None => Continue(probe),
        }
    }

    /// A cell with `x` where the probe points and none is.
    fn make_cell(&self, x: i64, probe: u32, collisions: &mut Collisions) -> Turn {
        let made = (self.busy.get() == 0).then(|| {
            self.exclusively(|| {
                let cell = self.cell(self.size(), probe);
                let absent = cell.made.get() == 0;
                if absent {
                    cell.make(x);
                }
                absent
            })
        });
        match made.flatten() {
            Some(true) => Break(()),
            Some(false) => Continue(probe),
            None => {
                collisions.table_too_small = false;
                Continue(advance(probe))
            }
        }
    }

    /// Doubles the table at the second collision, if it may grow.
    fn grow(&self, size: usize, probe: u32, collisions: &mut Collisions) -> Turn {
        if size >= self.cells.len() || self.size() != size {
            collisions.table_too_small = false;
            return Continue(advance(probe));
        }
        if !collisions.table_too_small {
            collisions.table_too_small = true;
            return Continue(advance(probe));
        }
        let grown = (self.busy.get() == 0).then(|| {
            self.exclusively(|| {
                if self.size() == size {
                    self.size.set(length(2 * size));
                }
            })
        });
        match grown.flatten() {
            Some(()) => {
                collisions.table_too_small = false;
                Continue(probe)
            }
            None => Continue(advance(probe)),
        }
    }

    /// Calls `change` under the spin lock, unless another thread has it.
    fn exclusively<O>(&self, change: impl FnOnce() -> O) -> Option<O> {
        self.busy.compare_and_set(0, 1).then(|| {
            let answer = change();
            self.busy.set(0);
            answer
        })
    }

    fn take<T: Reset>(&self) -> i64 {
        let size = self.size();
        let base = T::reset(&self.base, F::IDENTITY);
        let made = self.cells[..size]
            .iter()
            .filter(|cell| cell.made.get() == 1);
        made.fold(base, |taken, cell| {
            F::combine(taken, T::reset(&cell.value, F::IDENTITY))
        })
    }

    /// Where nothing has collided yet.
    fn try_word(word: &Volatile<R>, x: i64) -> bool {
        let held = word.get();
        let new = F::combine(held, x);
        F::SKIPS_UNCHANGED && new == held || word.compare_and_set(held, new)
    }

    /// After a collision.
    fn set_word(word: &Volatile<R>, x: i64) -> bool {
        let held = word.get();
        word.compare_and_set(held, F::combine(held, x))
    }

    fn size(&self) -> usize {
        usize::try_from(self.size.get()).expect("a size")
    }

    fn cell(&self, size: usize, probe: u32) -> &Cell<R> {
        &self.cells[probe as usize & (size - 1)]
    }
}

impl<R: Runtime> Cell<R> {
    fn make(&self, x: i64) {
        self.value.set(x);
        self.made.set(1);
    }
}

fn length(size: usize) -> i64 {
    i64::try_from(size).expect("a table is small")
}

#[cfg(test)]
mod tests {
    use super::super::reset::Jdk9;
    use super::*;
    use interval_stat::runtime::Std;

    const THREADS: i64 = 4;
    const ADDS: i64 = 100_000;

    /// Calls `update` with 1, 2, ... from every thread at once.
    fn update_all(update: impl Fn(i64) + Sync) {
        std::thread::scope(|threads| {
            for _ in 0..THREADS {
                threads.spawn(|| (1..=ADDS).for_each(&update));
            }
        });
    }

    #[test]
    fn an_adder_loses_nothing_at_rest() {
        let adder = LongAdder::<Std>::new(words!("sum"), 8);
        let probes = Probes::new();
        update_all(|x| adder.add(x, &probes));
        assert_eq!(
            adder.sum_then_reset::<Jdk9>(),
            THREADS * ADDS * (ADDS + 1) / 2
        );
        assert_eq!(adder.sum_then_reset::<Jdk9>(), 0);
    }

    #[test]
    fn accumulators_lose_nothing_at_rest() {
        let min = LongAccumulator::<Std, Min>::new(words!("min"), 8);
        let max = LongAccumulator::<Std, Max>::new(words!("max"), 8);
        let probes = Probes::new();
        update_all(|x| min.accumulate(x, &probes));
        update_all(|x| max.accumulate(x, &probes));
        assert_eq!(min.get_then_reset::<Jdk9>(), 1);
        assert_eq!(min.get_then_reset::<Jdk9>(), i64::MAX);
        assert_eq!(max.get_then_reset::<Jdk9>(), ADDS);
        assert_eq!(max.get_then_reset::<Jdk9>(), i64::MIN);
    }

    /// After a first collision at the base: two cells, the other one on demand,
    /// and more after two collisions in a row, up to the processors.
    #[test]
    fn the_table_grows_by_collisions() {
        let striped = Striped64::<Std, Sum>::new(words!("sum"), 4);
        striped.contend(1, 1, false);
        assert_eq!((striped.size(), made(&striped)), (2, vec![1]));
        striped.contend(1, 2, false);
        assert_eq!((striped.size(), made(&striped)), (2, vec![0, 1]));

        let mut collisions = Collisions {
            with_this_probe: false,
            table_too_small: false,
        };
        assert_eq!(
            striped.grow(2, 1, &mut collisions),
            Continue(advance(1)),
            "the first"
        );
        assert_eq!(
            striped.grow(2, 1, &mut collisions),
            Continue(1),
            "the second"
        );
        assert_eq!(striped.size(), 4);
        for _ in 0..3 {
            assert_eq!(striped.grow(4, 1, &mut collisions), Continue(advance(1)));
        }
        assert_eq!(striped.size(), 4, "as many as processors");
        assert_eq!(striped.take::<Jdk9>(), 2);
    }

    fn made(striped: &Striped64<Std, Sum>) -> Vec<usize> {
        let cells = striped.cells.iter().enumerate();
        let made = cells.filter(|(_, cell)| cell.made.get() == 1);
        made.map(|(index, _)| index).collect()
    }
}
