//! What to look for in an execution.

use crate::batch::Batch;
use crate::guarantees::Guarantee;
use crate::history::{History, Operation};
use crate::table::differences;
use crate::trace::What;

/// A way in which an execution can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One of these guarantees is broken, or an operation panics.
    Broken(&'static [Guarantee]),
    /// An anomaly of the merged algorithm.
    Anomaly(Anomaly),
}

impl Fault {
    /// What is wrong with the execution in this way, if something is.
    pub fn of(self, history: &History) -> Option<String> {
        match self {
            Self::Broken(guarantees) => panic_of(history).or_else(|| {
                let mut broken = guarantees.iter().filter_map(|guarantee| {
                    let fault = guarantee.check(history).err()?;
                    Some(format!("{guarantee}: {fault}"))
                });
                broken.next()
            }),
            Self::Anomaly(anomaly) => anomaly.of(history),
        }
    }
}

/// The message of the first panic.
fn panic_of(history: &History) -> Option<String> {
    history.events.iter().find_map(|event| match &event.what {
        What::Panicked(message) => Some(message.clone()),
        _ => None,
    })
}

/// The anomalies of the merged algorithm, each told from the others by what the
/// history and the reports show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anomaly {
    /// Nothing runs at once; count, sum and extremes are right, and the standard
    /// deviation is not.
    O1,
    /// An add is in flight during a drain; every sample is counted, but all in
    /// all the sum is short and an extreme is lost.
    O2,
    /// Every sample so far was counted by earlier drains, and yet a drain reports
    /// an extreme that is none of those added since.
    O3,
    /// Every sample is counted, and all in all the sum is too large by one that
    /// was added once.
    O4,
    /// A drain that takes samples begins and ends within another one, no add is
    /// interrupted, every sample is counted, and all in all the sum is short.
    O5,
    /// Nothing runs at once, and an interval with samples has no extremes.
    O6,
    /// One drain at a time, no add is interrupted, every sample is counted, and
    /// all in all the sum is short.
    O7,
    /// All in all the count is short.
    CountLost,
    /// No add is in flight during a drain or a look, and all in all the count is
    /// too large.
    CountedTwice,
    /// Nothing runs at once, and the figures are not those of the samples.
    Inexact,
}

impl Anomaly {
    fn of(self, history: &History) -> Option<String> {
        let reported = history.batches().fold(Batch::default(), Batch::merged);
        let right = Batch::summarize(history.samples());
        let all = Totals { reported, right };
        let is = match self {
            Self::O1 => history.is_sequential() && all.only_the_deviation_is_wrong(),
            Self::O2 => all.only_the_sum_is_short() && all.lost_an_extreme() && is_torn(history),
            Self::O3 => history.drains.iter().any(|drain| is_stale(history, drain)),
            Self::O4 => all.counted() && all.doubled(history),
            Self::O5 => {
                all.only_the_sum_is_short() && drains_are_nested(history) && adds_are_whole(history)
            }
            Self::O6 => history.is_sequential() && history.batches().any(without_extremes),
            Self::O7 => {
                all.only_the_sum_is_short() && !drains_overlap(history) && adds_are_whole(history)
            }
            Self::CountLost => all.reported.count < all.right.count,
            Self::CountedTwice => {
                all.reported.count > all.right.count && !history.drains_meet_an_add()
            }
            Self::Inexact => history.is_sequential() && all.reported != all.right,
        };
        is.then(|| differences(&reported, &right))
    }
}

/// All drains together.
struct Totals {
    reported: Batch,
    right: Batch,
}

impl Totals {
    fn counted(&self) -> bool {
        self.reported.count == self.right.count
    }

    fn only_the_sum_is_short(&self) -> bool {
        self.counted() && self.reported.sum < self.right.sum
    }

    fn lost_an_extreme(&self) -> bool {
        (self.reported.min, self.reported.max) != (self.right.min, self.right.max)
    }

    fn doubled(&self, history: &History) -> bool {
        let surplus = self.reported.sum - self.right.sum;
        history
            .samples()
            .any(|sample| i128::from(sample) == surplus)
    }

    fn only_the_deviation_is_wrong(&self) -> bool {
        self.counted()
            && self.reported.sum == self.right.sum
            && !self.lost_an_extreme()
            && self.reported.squares != self.right.squares
    }
}

/// Whether a drain began and ended during an add.
fn is_torn(history: &History) -> bool {
    let mut drains = history.drains.iter();
    drains.any(|drain| history.adds.iter().any(|add| is_within(drain, add)))
}

/// Whether a drain that reports samples began and ended during another drain, or
/// during a look, which drains as well.
fn drains_are_nested(history: &History) -> bool {
    let outer = || history.drains.iter().chain(&history.looks);
    let mut inner = history
        .drains
        .iter()
        .filter(|drain| drain.reported().count > 0);
    inner.any(|inner| outer().any(|outer| is_within(inner, outer)))
}

fn is_within(inner: &Operation, outer: &Operation) -> bool {
    outer.began < inner.began && inner.ended < outer.ended
}

/// Whether two drains, or a drain and a look, overlap.
fn drains_overlap(history: &History) -> bool {
    let mut drains = history.drains.iter();
    let all = || history.drains.iter().chain(&history.looks);
    drains.any(|drain| all().any(|other| drain.overlaps(other)))
}

/// Whether no other thread takes a step during an add.
fn adds_are_whole(history: &History) -> bool {
    history.adds.iter().all(|add| {
        let during = history.events[add.began..=add.ended].iter();
        during.into_iter().all(|event| event.thread == add.thread)
    })
}

/// Whether all samples whose adds had begun when the drain before this one ended
/// were counted by then, and this one reports an extreme that is none of the
/// later ones.
fn is_stale(history: &History, drain: &Operation) -> bool {
    let before: Vec<&Operation> = history
        .drains
        .iter()
        .filter(|other| other.ended < drain.began)
        .collect();
    let Some(last) = before.iter().map(|other| other.ended).max() else {
        return false;
    };
    let counted: u64 = before.iter().map(|other| other.reported().count).sum();
    let (earlier, later): (Vec<&Operation>, Vec<&Operation>) =
        history.adds.iter().partition(|add| add.began < last);
    let is_own = |extreme: i64| {
        later
            .iter()
            .any(|add| add.call.samples().contains(&extreme))
    };
    let reported = drain.reported();
    counted == earlier.iter().map(|add| add.added().count).sum::<u64>()
        && reported
            .min
            .into_iter()
            .chain(reported.max)
            .any(|extreme| !is_own(extreme))
}

fn without_extremes(batch: Batch) -> bool {
    batch.count > 0 && (batch.min.is_none() || batch.max.is_none())
}
