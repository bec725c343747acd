//! Proof that a model reached the states that make it worth running.

use serde::{Deserialize, Serialize};

use crate::history::{History, Operation};
use crate::linearization::{Linearization, linearize};
use crate::trace::Action;

/// An interesting state of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Witness {
    /// An add was in flight across a drain's flip, and the drain took its sample.
    TakenAcrossFlip,
    /// An add overlapped a drain and left its sample to the next interval: of a
    /// striped statistic, it saw the new epoch.
    LeftToNext,
    /// A drain had to wait, for an add in flight or for the lock.
    DrainWaited,
}

impl Witness {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::TakenAcrossFlip, Self::LeftToNext, Self::DrainWaited];
}

/// The interesting states that the execution reached.
pub fn reached(history: &History) -> impl Iterator<Item = Witness> {
    let found = linearize(history);
    Witness::ALL
        .into_iter()
        .filter(move |witness| match witness {
            Witness::TakenAcrossFlip => overlaps(history, found.as_ref(), Overlap::Taken),
            Witness::LeftToNext => overlaps(history, found.as_ref(), Overlap::Left),
            Witness::DrainWaited => history.drains.iter().any(|drain| waited(history, drain)),
        })
}

/// What a drain did with an add that was in flight at its flip, or began later
/// but before the drain ended.
#[derive(Clone, Copy)]
enum Overlap {
    Taken,
    Left,
}

fn overlaps(history: &History, found: Option<&Linearization>, state: Overlap) -> bool {
    let Some(found) = found else { return false };
    found.drains.iter().enumerate().any(|(position, &drain)| {
        let drain = &history.drains[drain];
        let flip = history.flip(drain);
        history
            .adds
            .iter()
            .zip(&found.taken_by)
            .any(|(add, taken_by)| match state {
                Overlap::Taken => {
                    add.began < flip && flip < add.ended && *taken_by == Some(position)
                }
                Overlap::Left => {
                    add.began < drain.ended
                        && flip < add.ended
                        && taken_by.is_none_or(|by| by > position)
                }
            })
    })
}

fn waited(history: &History, drain: &Operation) -> bool {
    let paused = history
        .steps(drain)
        .any(|(_, step)| step.action == Action::Pause);
    paused || history.was_blocked(drain)
}
