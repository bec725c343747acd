//! Writers beside a drainer, checked by their samples alone.
//!
//! The histories of [`scenario`](crate::scenario) log every call under a lock,
//! which orders the threads' memory. Here nothing does but the statistic, so that
//! a tool that watches memory (Miri, a sanitizer) sees what the statistic itself
//! orders; or, if asked for, the threads tell each other how far they are.
//!
//! Samples are distinct powers of two: a sum tells its samples.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::thread;

use crate::batch::Batch;
use crate::subject::{Subject, Writer};

const WRITERS: u32 = 2;
/// Adds of each writer.
const ADDS: u32 = 2;
/// Drains beside the writers.
const DRAINS: u64 = 2;

/// What a thread knows of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// Nothing.
    Silent,
    /// Which adds and how many drains are over.
    Told,
}

/// Samples, as the bits of a word.
type Samples = u64;

/// What was over when an add began.
struct Added {
    sample: Samples,
    adds: Samples,
    drains: u64,
}

/// What was over when a drain began, and what it took.
struct Drained {
    adds: Samples,
    taken: Samples,
}

/// What the threads tell each other.
struct Over {
    telling: Telling,
    adds: AtomicU64,
    drains: AtomicU64,
}

impl Over {
    fn see(&self, word: &AtomicU64) -> u64 {
        match self.telling {
            Telling::Silent => 0,
            // Acquire: with the announcements, so that what was over when a call
            // began happens-before it.
            Telling::Told => word.load(Acquire),
        }
    }

    fn announce(&self, word: &AtomicU64, more: u64) {
        if self.telling == Telling::Told {
            // Release: with `see`.
            word.fetch_add(more, Release);
        }
    }
}

/// Runs writers and a drainer once, and checks G1 to G5 on what came out: every
/// sample is in one interval, whole; and the cuts that the intervals make fit
/// the order of the calls.
///
/// # Panics
///
/// If one of them is broken.
pub fn run<S: Subject>(telling: Telling) {
    let subject = S::new();
    let over = Over {
        telling,
        adds: AtomicU64::new(0),
        drains: AtomicU64::new(0),
    };
    let (added, mut drained) = thread::scope(|threads| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (subject, over) = (&subject, &over);
                threads.spawn(move || write(subject, over, writer))
            })
            .collect();
        let drained: Vec<_> = (0..DRAINS).map(|_| drain(&subject, &over)).collect();
        let added = writers
            .into_iter()
            .flat_map(|writer| writer.join().expect("it ran to its end"));
        (added.collect::<Vec<_>>(), drained)
    });
    drained.push(drain(&subject, &over));
    check(&added, &drained);
}

fn write(subject: &impl Subject, over: &Over, writer: u32) -> Vec<Added> {
    let mut through = subject.writer();
    let mut own = 0;
    let mut add = |add| {
        let sample = 1_u64 << (writer * ADDS + add);
        let added = Added {
            sample,
            adds: own | over.see(&over.adds),
            drains: over.see(&over.drains),
        };
        through.add(sample as i64);
        own |= sample;
        over.announce(&over.adds, sample);
        added
    };
    (0..ADDS).map(&mut add).collect()
}

fn drain(subject: &impl Subject, over: &Over) -> Drained {
    let adds = over.see(&over.adds);
    let taken = subject.drain().map_or(0, |batch| samples_of(&batch));
    over.announce(&over.drains, 1);
    Drained { adds, taken }
}

/// The samples that the batch is the summary of: whole (G3), with no extreme of
/// another one (G2).
fn samples_of(batch: &Batch) -> Samples {
    let samples = u64::try_from(batch.sum).expect("a sum of powers of two");
    let bits = (0..u64::BITS).map(|bit| samples & 1 << bit);
    let summary = Batch::summarize(bits.filter(|&bit| bit > 0).map(|bit| bit as i64));
    assert_eq!(*batch, summary, "G3: a torn interval");
    samples
}

fn check(added: &[Added], drained: &[Drained]) {
    let mut taken = 0;
    for (index, drain) in drained.iter().enumerate() {
        assert_eq!(taken & drain.taken, 0, "G1: in two intervals");
        taken |= drain.taken;
        assert_eq!(drain.adds & !taken, 0, "G4: late");
        for add in added.iter().filter(|add| add.sample & taken > 0) {
            assert_eq!(add.adds & !taken, 0, "G5: before one that is in");
        }
        for add in added.iter().filter(|add| add.sample & drain.taken > 0) {
            assert!(add.drains <= index as u64, "G5: in a drain before it");
        }
    }
    let all = (1 << (WRITERS * ADDS)) - 1;
    assert_eq!(taken, all, "G1: lost");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added() -> Vec<Added> {
        let add = |index: u32| Added {
            sample: 1 << index,
            adds: if index % ADDS == 0 {
                0
            } else {
                1 << (index - 1)
            },
            drains: 0,
        };
        (0..WRITERS * ADDS).map(add).collect()
    }

    fn drained(taken: [Samples; 2]) -> [Drained; 2] {
        taken.map(|taken| Drained { adds: 0, taken })
    }

    #[test]
    fn cuts_that_fit_pass() {
        check(&added(), &drained([0b0011, 0b1100]));
    }

    #[test]
    #[should_panic(expected = "G1: lost")]
    fn a_lost_sample_is_found() {
        check(&added(), &drained([0b0011, 0b0100]));
    }

    #[test]
    #[should_panic(expected = "G1: in two intervals")]
    fn a_sample_in_two_intervals_is_found() {
        check(&added(), &drained([0b0011, 0b1101]));
    }

    #[test]
    #[should_panic(expected = "G4")]
    fn a_late_sample_is_found() {
        let mut drained = drained([0b0011, 0b1100]);
        drained[0].adds = 0b0100;
        check(&added(), &drained);
    }

    #[test]
    #[should_panic(expected = "G5: before one that is in")]
    fn a_cut_through_one_thread_is_found() {
        check(&added(), &drained([0b0110, 0b1001]));
    }

    #[test]
    #[should_panic(expected = "G5: in a drain before it")]
    fn a_sample_from_the_future_is_found() {
        let mut added = added();
        added[0].drains = 1;
        check(&added, &drained([0b0011, 0b1100]));
    }

    #[test]
    #[should_panic(expected = "G3")]
    fn a_torn_interval_is_found() {
        let mut torn = Batch::summarize([1, 4]);
        torn.count = 3;
        samples_of(&torn);
    }
}
