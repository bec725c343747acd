//! Decides whether a history of adds and drains is linearizable: whether one
//! total order, true to which operation precedes which, explains every batch as
//! exactly the samples between two drains.
//!
//! The search takes the drains one after the other. For the next drain it tries
//! every set of samples, not yet drained, that the batch is the summary of, and
//! keeps those that the order permits: all that precedes an operation taken now
//! must have been taken by now. It backtracks, so the answer is exact; with
//! distinct powers of two as samples a batch has one explanation at most and
//! the search is short.

use crate::batch::{Batch, explanations};
use crate::history::{History, Operation};

/// Which drain, counted in linearization order, took each add; `None` for an
/// add that no drain took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linearization {
    /// By add: the position in `drains`.
    pub taken_by: Vec<Option<usize>>,
    /// Indices of the history's drains in linearization order.
    pub drains: Vec<usize>,
}

/// A linearization of the history, if there is one.
///
/// # Examples
///
/// ```
/// use models::batch::Batch;
/// use models::history::History;
/// use models::linearization::linearize;
/// use models::trace::{Call, Event, What};
///
/// let event = |what| Event { thread: 0, what };
/// let history = |reported| History::new(
///     vec![
///         event(What::Began(Call::Add(4))),
///         event(What::Ended(None)),
///         event(What::Began(Call::Drain)),
///         event(What::Ended(Some(reported))),
///     ],
///     true,
/// );
/// assert!(linearize(&history(Batch::summarize([4]))).is_some());
/// assert!(linearize(&history(Batch::default())).is_none(), "the add came before the drain");
/// ```
pub fn linearize(history: &History) -> Option<Linearization> {
    let mut search = Search {
        history,
        taken_by: vec![None; history.adds.len()],
        drains: Vec::new(),
    };
    search.descend().then_some(Linearization {
        taken_by: search.taken_by,
        drains: search.drains,
    })
}

struct Search<'a> {
    history: &'a History,
    taken_by: Vec<Option<usize>>,
    drains: Vec<usize>,
}

impl Search<'_> {
    fn descend(&mut self) -> bool {
        if self.drains.len() == self.history.drains.len() {
            return true;
        }
        (0..self.history.drains.len()).any(|drain| self.take_drain(drain))
    }

    /// Tries `drain` as the next one.
    fn take_drain(&mut self, drain: usize) -> bool {
        if self.drains.contains(&drain) {
            return false;
        }
        let left: Vec<(usize, Batch)> = self
            .left()
            .map(|add| (add, self.history.adds[add].added()))
            .collect();
        let batch = self.history.drains[drain].reported();
        explanations(&batch, &left)
            .into_iter()
            .any(|adds| self.take_batch(drain, &adds))
    }

    /// Tries `adds` as the batch of `drain`.
    fn take_batch(&mut self, drain: usize, adds: &[usize]) -> bool {
        let position = self.drains.len();
        self.drains.push(drain);
        adds.iter()
            .for_each(|&add| self.taken_by[add] = Some(position));
        if self.nothing_is_overtaken(drain, adds) && self.descend() {
            return true;
        }
        adds.iter().for_each(|&add| self.taken_by[add] = None);
        self.drains.pop();
        false
    }

    /// Whether nothing that is left precedes what was just taken, and the drain
    /// does not precede an add of its own batch.
    fn nothing_is_overtaken(&self, drain: usize, adds: &[usize]) -> bool {
        let history = self.history;
        let drain = &history.drains[drain];
        let precedes_any = |earlier: &Operation| {
            history.precedes(earlier, drain)
                || adds
                    .iter()
                    .any(|&add| history.precedes(earlier, &history.adds[add]))
        };
        let left_drains = (0..history.drains.len()).filter(|drain| !self.drains.contains(drain));
        !self.left().any(|add| precedes_any(&history.adds[add]))
            && !left_drains
                .into_iter()
                .any(|drain| precedes_any(&history.drains[drain]))
            && !adds
                .iter()
                .any(|&add| history.precedes(drain, &history.adds[add]))
    }

    fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.taken_by.len()).filter(|&add| self.taken_by[add].is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::written::history;

    #[test]
    fn accepts_an_overlapping_add_on_either_side() {
        assert!(linearize(&history("0:? 1:+1 1:. 0:=1 0:? 0:=")).is_some());
        assert!(linearize(&history("0:? 1:+1 1:. 0:= 0:? 0:=1")).is_some());
    }

    #[test]
    fn rejects_a_lost_and_a_doubled_sample() {
        assert!(linearize(&history("1:+1 1:. 0:? 0:= 0:? 0:=")).is_none());
        assert!(linearize(&history("1:+1 1:. 0:? 0:=1 0:? 0:=1")).is_none());
    }

    #[test]
    fn rejects_a_late_sample() {
        assert!(linearize(&history("1:+1 1:. 0:? 0:= 0:? 0:=1")).is_none());
    }

    #[test]
    fn rejects_a_sample_from_after_the_drain() {
        assert!(linearize(&history("0:? 0:=1 1:+1 1:.")).is_none());
    }

    /// Each add alone would be timely, but the later of the two is reported
    /// first: no cut explains it.
    #[test]
    fn rejects_a_later_add_that_overtakes_an_earlier_one() {
        let overtaken = "0:? 1:+1 1:. 2:+2 2:. 0:=2 0:? 0:=1";
        assert!(linearize(&history(overtaken)).is_none());
        let in_order = "0:? 1:+1 1:. 2:+2 2:. 0:=1 0:? 0:=2";
        assert!(linearize(&history(in_order)).is_some());
    }

    #[test]
    fn orders_two_drains_at_once_either_way() {
        let history = history("1:+1 1:. 0:? 2:? 0:= 2:=1");
        let found = linearize(&history).expect("the second drain came first");
        assert_eq!(found.drains, [1, 0]);
        assert_eq!(found.taken_by, [Some(0)]);
    }

    #[test]
    fn rejects_drains_in_the_wrong_order() {
        assert!(linearize(&history("1:+1 1:. 0:? 0:= 2:? 2:=1")).is_none());
    }

    #[test]
    fn tries_every_explanation_of_a_batch() {
        let one_of_two_equal = "1:+4 2:+4 2:. 0:? 0:=4 1:. 0:? 0:=4";
        assert!(linearize(&history(one_of_two_equal)).is_some());
    }

    #[test]
    fn leaves_what_no_drain_took() {
        let found = linearize(&history("0:? 0:= 1:+1 1:.")).expect("it came later");
        assert_eq!(found.taken_by, [None]);
    }

    /// Without a joint clock, only program order counts.
    #[test]
    fn unordered_threads_may_be_reordered() {
        let text = "0:? 1:+1 1:. 2:+2 2:. 0:=2 0:? 0:=1";
        let unordered = History::new(history(text).events, false);
        assert!(linearize(&unordered).is_some());
        let same_thread = "0:? 1:+1 1:. 1:+2 1:. 0:=2 0:? 0:=1";
        let ordered = History::new(history(same_thread).events, false);
        assert!(linearize(&ordered).is_none());
    }

    #[test]
    fn a_signal_orders_two_threads() {
        let unordered = |text| History::new(history(text).events, false);
        let heard = "0:? 1:+1 1:. 1:> 2:<1 2:+2 2:. 0:=2 0:? 0:=1";
        assert!(linearize(&unordered(heard)).is_none());
        let before_the_signal = "0:? 1:> 1:+1 1:. 2:<1 2:+2 2:. 0:=2 0:? 0:=1";
        assert!(linearize(&unordered(before_the_signal)).is_some());
    }
}
