//! The guarantees G1 to G7, stated once over the history of an execution,
//! whatever the statistic and whatever ran it.
//!
//! G8 (exact numbers) is about one thread's arithmetic: see
//! [`arithmetic`](crate::arithmetic).

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::batch::{Batch, explanations};
use crate::history::{History, Operation};
use crate::linearization::linearize;
use crate::table::{differences, summary};
use crate::trace::{Action, What};

/// A guarantee of a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the functions of the same names say it")]
pub enum Guarantee {
    G1,
    G2,
    G3,
    G4,
    G5,
    G6,
    G7,
    G8,
}

impl Guarantee {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::G1,
        Self::G2,
        Self::G3,
        Self::G4,
        Self::G5,
        Self::G6,
        Self::G7,
        Self::G8,
    ];

    /// Those that a history can break.
    pub const OF_HISTORIES: [Self; 7] = [
        Self::G1,
        Self::G2,
        Self::G3,
        Self::G4,
        Self::G5,
        Self::G6,
        Self::G7,
    ];

    /// Those that the answers of the operations alone can break.
    pub const OF_OPERATIONS: &[Self] = &[Self::G1, Self::G2, Self::G3, Self::G4, Self::G5];

    /// Those that do not turn on when a store shows: a buffered closing store
    /// holds a drain back as the add itself does.
    pub const OF_ADDS: &[Self] = &[Self::G1, Self::G2, Self::G3, Self::G4, Self::G5, Self::G6];

    /// Its name in a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::G1 => "conserved",
            Self::G2 => "extremes",
            Self::G3 => "whole",
            Self::G4 => "timely",
            Self::G5 => "one cut",
            Self::G6 => "wait-free add",
            Self::G7 => "drain progress",
            Self::G8 => "exact numbers",
        }
    }

    /// What it promises, in a clause.
    pub fn promise(self) -> &'static str {
        match self {
            Self::G1 => "all intervals together have the count, sum and squares of all samples",
            Self::G2 => "the extremes over all intervals are those of all samples",
            Self::G3 => "every interval is the exact summary of some of the samples",
            Self::G4 => {
                "a sample whose add returned before a drain began is in that interval or an earlier one"
            }
            Self::G5 => "one order of all adds and drains explains every interval",
            Self::G6 => "an add takes the same number of steps whatever the other threads do",
            Self::G7 => {
                "a drain waits only for adds that had begun, and two drains do not tear each other"
            }
            Self::G8 => "mean and deviation are the nearest to the exact ones",
        }
    }

    /// Whether the history keeps it, or how it does not.
    ///
    /// # Errors
    ///
    /// What is wrong, in one sentence.
    pub fn check(self, history: &History) -> Result<(), String> {
        match self {
            Self::G1 => conserved(history),
            Self::G2 => extremes(history),
            Self::G3 => whole(history),
            Self::G4 => timely(history),
            Self::G5 => one_cut(history),
            Self::G6 => wait_free_add(history),
            Self::G7 => drain_progress(history),
            // No history breaks it: see `arithmetic`.
            Self::G8 => Ok(()),
        }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?} {}", self.name())
    }
}

fn ensure(kept: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if kept { Ok(()) } else { Err(fault()) }
}

/// G1: at quiescence, the counts, sums and sums of squares of all intervals add
/// up to those of all adds.
///
/// Why it holds: an add records in one buffer, once, and every buffer is
/// emptied by one drain at a time: the drain that flipped its epoch, alone with
/// it because it waited out the adds from before the flip (happens-before by
/// their closing stores) and because adds from after the flip use the other
/// buffer.
///
/// The history must end with a drain after every add has returned.
fn conserved(history: &History) -> Result<(), String> {
    let reported = history.batches().fold(Batch::default(), Batch::merged);
    let all = Batch::summarize(history.samples());
    let moments = |batch: &Batch| (batch.count, batch.sum, batch.squares);
    ensure(moments(&reported) == moments(&all), || {
        differences(&reported, &all)
    })
}

/// G2: the min (max) over all intervals is the min (max) of all samples.
///
/// Why it holds: min and max lie in the accumulator with the count, so they
/// land with the sample (as G1) and go with the batch.
fn extremes(history: &History) -> Result<(), String> {
    let reported = history.batches().fold(Batch::default(), Batch::merged);
    let all = Batch::summarize(history.samples());
    ensure((reported.min, reported.max) == (all.min, all.max), || {
        differences(&reported, &all)
    })
}

/// G3: every interval is the exact summary of some multiset of samples, each
/// batch in it whole or not at all.
///
/// Why it holds: `record` runs while no drain accesses the buffer, `merge` while
/// no add does (happens-before both ways: closing store to sequence load, epoch
/// store to epoch load), so a sample is in a buffer whole or not at all.
fn whole(history: &History) -> Result<(), String> {
    let adds = history.adds.iter().map(Operation::added);
    let adds: Vec<(usize, Batch)> = adds.enumerate().collect();
    history.batches().try_for_each(|batch| {
        ensure(!explanations(&batch, &adds).is_empty(), || {
            format!("no set of the samples has the summary {}", summary(&batch))
        })
    })
}

/// G4: a sample whose add returned before a drain began is in that interval or
/// an earlier one.
///
/// Why it holds: the add's closing store happens-before (or, on one clock, is
/// before) the drain's flip, so the add read an epoch from before the flip; its
/// buffer is the one that this drain empties, or an earlier drain did.
///
/// Checked by count: the intervals of all drains that had begun when this one
/// ended hold at least as many samples as adds that preceded it. Which samples
/// they are, is G5's business.
fn timely(history: &History) -> Result<(), String> {
    history.drains.iter().try_for_each(|drain| {
        let earlier = history.adds.iter().filter(|add| history.precedes(add, drain));
        let due: u64 = earlier.map(|add| add.added().count).sum();
        let begun = history.drains.iter().filter(|other| other.began <= drain.ended);
        let reported: u64 = begun.map(|other| other.reported().count).sum();
        ensure(reported >= due, || {
            format!("{due} samples had been added before a drain began, but it and those before it report {reported}")
        })
    })
}

/// G5: adds and drains are linearizable: there is one total order of them, true
/// to which operation precedes which, in which each interval is exactly the
/// samples between two drains.
///
/// Why it holds: an add takes effect at its epoch load, a drain at its flip. The
/// two sequentially consistent fences make one of two true for each pair: the
/// drain sees the add in flight and waits it out, or the add sees the flip.
fn one_cut(history: &History) -> Result<(), String> {
    ensure(linearize(history).is_some(), || {
        "no total order of the adds and drains explains the intervals".to_owned()
    })
}

/// G6: an add takes a fixed number of shared-memory steps in every
/// interleaving, and none of them waits.
///
/// Why it holds: the add has no loop and takes no lock. A thread's first add,
/// which registers its stripe, is exempt, and so is one from a thread-local
/// destructor, which no model makes. That the number is the same in all
/// executions is checked over all of them ([`steps_of_adds`]).
fn wait_free_add(history: &History) -> Result<(), String> {
    let mut adds = history.adds.iter();
    adds.try_for_each(|add| {
        ensure(!history.was_blocked(add) || is_first(history, add), || {
            format!("{} waits for a lock that another thread holds", add.call)
        })
    })?;
    let steps = steps_of_adds(history);
    ensure(steps.len() <= 1, || {
        format!("adds take different numbers of steps: {steps:?}")
    })
}

/// How many shared-memory steps the adds took that were not their thread's
/// first.
pub fn steps_of_adds(history: &History) -> BTreeSet<usize> {
    let later = history.adds.iter().filter(|add| !is_first(history, add));
    later.map(|add| shared_steps(history, add)).collect()
}

fn shared_steps(history: &History, add: &Operation) -> usize {
    history
        .steps(add)
        .filter(|(_, step)| step.action.is_shared())
        .count()
}

fn is_first(history: &History, add: &Operation) -> bool {
    !history
        .adds
        .iter()
        .any(|other| other.thread == add.thread && other.began < add.began)
}

/// The turns that a drain may wait for an add that is over: its look at the
/// stripe and its turn are two steps, and under a weak memory model a load may
/// once more return the state from before.
const STALE_TURNS: usize = 2;

/// G7: a drain waits, at each stripe, for the one add that it found in flight
/// there; later adds cannot hold it back; two drains never tear each other.
///
/// Why it holds: it waits for any change of an odd sequence number. The add that
/// it saw in flight changes it by ending, and it never looks at one stripe
/// twice. (A drain that waits for the lock of another drain waits as long as
/// that one does.) It holds the lock from its flip until what it took is in the
/// interval.
fn drain_progress(history: &History) -> Result<(), String> {
    untorn(history)?;
    history.drains.iter().try_for_each(|drain| {
        let idle = idle_turns(history, drain);
        ensure(idle <= STALE_TURNS, || {
            format!("a drain waits {idle} turns for an add that is over ({STALE_TURNS} permitted)")
        })
    })
}

/// Beside no add, drains at once report what one after the other would. (What
/// an add in flight tears is the business of G3.)
fn untorn(history: &History) -> Result<(), String> {
    let drains = || history.drains.iter().chain(&history.looks);
    let at_once = drains().any(|drain| drains().any(|other| drain.overlaps(other)));
    if history.drains_meet_an_add() || !at_once {
        return Ok(());
    }
    let torn = |fault| format!("with no add in flight: {fault}");
    whole(history).and_then(|()| timely(history)).map_err(torn)
}

/// The most turns that the drain waited at one stripe after the add which it
/// found in flight there was over.
fn idle_turns(history: &History, drain: &Operation) -> usize {
    let mut visits: Vec<Visit> = Vec::new();
    for (now, step) in history.steps(drain) {
        let current = visits.last_mut();
        match (step.action, current) {
            (Action::Load { read, .. }, current)
                if step.object == "seq"
                    && current
                        .as_ref()
                        .is_none_or(|visit| visit.stripe != step.instance) =>
            {
                visits.push(Visit {
                    at: now,
                    stripe: step.instance,
                    found: read,
                    idle: 0,
                });
            }
            (Action::Pause, Some(visit)) => visit.idle += usize::from(visit.is_over(history, now)),
            _ => {}
        }
    }
    visits.iter().map(|visit| visit.idle).max().unwrap_or(0)
}

/// A drain's visit of a stripe.
struct Visit {
    /// The index of its first look.
    at: usize,
    stripe: usize,
    /// The sequence number that it found first.
    found: u64,
    idle: usize,
}

impl Visit {
    /// Whether the add that it found in flight had ended by then: whether its
    /// stripe was written again after it was opened. What was written then does
    /// not count, for numbers that come again would hide it.
    fn is_over(&self, history: &History, now: usize) -> bool {
        let before = history.events[..now].iter().enumerate();
        let stores = before.filter_map(|(index, event)| match &event.what {
            What::Step(step) if step.object == "seq" && step.instance == self.stripe => {
                match step.action {
                    Action::Store { written, .. } => Some((index, written)),
                    _ => None,
                }
            }
            _ => None,
        });
        let mut opened = None;
        let mut last = None;
        for (index, written) in stores {
            if index < self.at && written == self.found {
                opened = Some(index);
            }
            last = Some(index);
        }
        last > opened
    }
}

#[cfg(test)]
mod tests {
    //! Each check on a history that keeps the guarantee and on one that barely
    //! does not.

    use super::*;
    use crate::history::written::history;
    use crate::trace::Event;

    fn breaks(guarantee: Guarantee, history: &History) -> bool {
        guarantee.check(history).is_err()
    }

    /// What the only drain reports is replaced.
    fn reporting(batch: Batch, history: &History) -> History {
        let replace = |event: &Event| match event.what {
            What::Ended(Some(_)) => Event {
                what: What::Ended(Some(batch)),
                ..event.clone()
            },
            _ => event.clone(),
        };
        History::new(history.events.iter().map(replace).collect(), true)
    }

    #[test]
    fn conserved_counts_sums_and_squares() {
        let kept = history("1:+1 1:. 1:+4 1:. 0:? 0:=1,4");
        assert!(!breaks(Guarantee::G1, &kept));
        let all = Batch::summarize([1, 4]);
        for lost in [
            Batch { count: 1, ..all },
            Batch { sum: 4, ..all },
            Batch {
                squares: Some(16),
                ..all
            },
        ] {
            assert!(breaks(Guarantee::G1, &reporting(lost, &kept)));
        }
    }

    #[test]
    fn extremes_are_neither_lost_nor_invented() {
        let kept = history("1:+1 1:. 1:+4 1:. 0:? 0:=1,4");
        assert!(!breaks(Guarantee::G2, &kept));
        let all = Batch::summarize([1, 4]);
        for wrong in [
            Batch {
                max: Some(1),
                ..all
            },
            Batch { min: None, ..all },
            Batch {
                max: Some(9),
                ..all
            },
        ] {
            assert!(breaks(Guarantee::G2, &reporting(wrong, &kept)));
        }
    }

    #[test]
    fn whole_intervals_only() {
        let kept = history("1:+1 1:. 1:+4 1:. 0:? 0:=1,4");
        assert!(!breaks(Guarantee::G3, &kept));
        let all = Batch::summarize([1, 4]);
        let stale = Batch {
            max: Some(4),
            ..Batch::summarize([1])
        };
        for torn in [
            stale,
            Batch {
                squares: None,
                ..all
            },
            Batch::summarize([1, 1]),
        ] {
            assert!(breaks(Guarantee::G3, &reporting(torn, &kept)));
        }
    }

    #[test]
    fn whole_batches_only() {
        let drained = |reports| history(&format!("1:+1,4 0:? 0:={reports} 1:. 0:? 0:=1,4"));
        assert!(!breaks(Guarantee::G3, &drained("")));
        assert!(breaks(Guarantee::G3, &drained("1")));
        assert!(breaks(Guarantee::G5, &drained("4")));
    }

    #[test]
    fn timely_when_the_add_had_returned() {
        assert!(!breaks(
            Guarantee::G4,
            &history("1:+1 0:? 1:. 0:= 0:? 0:=1")
        ));
        assert!(breaks(Guarantee::G4, &history("1:+1 1:. 0:? 0:= 0:? 0:=1")));
    }

    #[test]
    fn one_cut_or_none() {
        assert!(!breaks(Guarantee::G5, &history("0:? 1:+1 1:. 0:=1")));
        assert!(breaks(
            Guarantee::G5,
            &history("0:? 1:+1 1:. 2:+2 2:. 0:=2 0:? 0:=1")
        ));
    }

    #[test]
    fn wait_free_without_locks_and_in_equal_steps() {
        let first = "1:+1 1:o1 1:o2 1:.";
        assert!(!breaks(
            Guarantee::G6,
            &history(&format!("{first} 1:+2 1:o3 1:o4 1:."))
        ));
        let uneven = format!("{first} 1:+2 1:o3 1:o4 1:. 1:+4 1:o5 1:o6 1:o6 1:.");
        assert!(breaks(Guarantee::G6, &history(&uneven)));
        let blocked = format!("{first} 1:+2 1:r 2:e 2:l 1:e 1:l 1:.");
        assert!(breaks(Guarantee::G6, &history(&format!("2:r {blocked}"))));
        let free = format!("{first} 2:r 2:e 2:l 1:+2 1:r 1:e 1:l 1:.");
        assert!(!breaks(Guarantee::G6, &history(&free)));
    }

    #[test]
    fn two_drains_without_an_add_beside_them_are_not_torn() {
        let whole = "1:+1 1:. 0:? 2:? 0:=1 2:=";
        assert!(!breaks(Guarantee::G7, &history(whole)));
        let twice = "1:+1 1:. 0:? 2:? 0:=1,1 2:=";
        assert!(breaks(Guarantee::G7, &history(twice)));
        let one_after_the_other = "1:+1 1:. 0:? 0:=1,1 2:? 2:=";
        assert!(!breaks(Guarantee::G7, &history(one_after_the_other)));
        let beside_an_add = "1:+1 0:? 2:? 1:. 0:=1,1 2:=";
        assert!(!breaks(Guarantee::G7, &history(beside_an_add)));
    }

    #[test]
    fn a_drain_may_wait_for_the_add_it_found_and_no_other() {
        let waits = "1:+1 1:o1 0:? 0:! 0:s1 0:p 0:p 0:p 1:o2 1:. 0:s2 0:=1";
        assert!(!breaks(Guarantee::G7, &history(waits)));
        let held_back =
            "1:+1 1:o1 0:? 0:! 0:s1 1:o2 1:. 1:+2 1:o3 0:s3 0:p 0:p 0:p 1:o4 1:. 0:s4 0:=1";
        assert!(breaks(Guarantee::G7, &history(held_back)));
        let numbers_come_again =
            "1:+1 1:o1 0:? 0:! 0:s1 1:o0 1:. 1:+2 1:o1 0:s1 0:p 0:p 0:p 1:o0 1:. 0:s0 0:=1";
        assert!(breaks(Guarantee::G7, &history(numbers_come_again)));
    }
}
