//! Every counterexample that has a name.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::fault::{Anomaly, Fault};
use super::{Counterexample, Subject, search, weak};
use crate::guarantees::Guarantee;
use crate::mutant::{self, Mutant};
use crate::script::Script;
use crate::statistic::Statistic;

/// A fault to be shown, and the programs in which to look for its smallest
/// example.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name on the command line.
    pub name: &'static str,
    /// What goes wrong, in a few words.
    pub title: &'static str,
    statistic: Statistic,
    /// What the writers add, all or some of it.
    samples: &'static [i64],
    /// The most drains beside them, the last one not counted.
    drains: usize,
    engine: Engine,
    /// Why it goes wrong, in two sentences.
    explanation: &'static str,
}

/// What looks for a fault.
#[derive(Debug, Clone, Copy)]
enum Engine {
    /// On sequentially consistent memory.
    Shuttle(Fault),
    /// The same, in a mutant.
    ShuttleOn(Mutant),
    /// On weak memory, in a mutant.
    LoomOn(Mutant),
}

/// More than any fault here needs.
const MOST_PREEMPTIONS: usize = 3;

impl Case {
    /// Searches for the smallest example; `None` if no program has the fault.
    pub fn search(&self) -> Option<Counterexample> {
        let programs = Script::up_to(self.samples, self.drains);
        let by_shuttle = |fault| {
            let found = search::smallest(self.statistic, &programs, fault, MOST_PREEMPTIONS)?;
            Some(found.show(self.subject(&found.program, search::METHOD)))
        };
        match self.engine {
            Engine::Shuttle(fault) => by_shuttle(fault),
            Engine::ShuttleOn(mutant) => {
                mutant::with(mutant, || by_shuttle(Fault::Broken(self.statistic.keeps())))
            }
            Engine::LoomOn(mutant) => mutant::with(mutant, || {
                let found = weak::first(self.statistic, &programs, MOST_PREEMPTIONS)?;
                Some(found.show(self.subject(&found.program, weak::METHOD)))
            }),
        }
    }

    fn subject(&self, program: &Script, found_by: &str) -> Subject {
        Subject {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            statistic: self.statistic.name().to_owned(),
            program: program.to_string(),
            found_by: found_by.to_owned(),
            explanation: self.explanation.to_owned(),
            command: format!("cargo counterexample {}", self.name),
        }
    }
}

/// Finds them all, two at a time, in the order of [`cases`]; those that no
/// program shows any more are left out.
pub fn all() -> Vec<Counterexample> {
    let cases = cases();
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; cases.len()]);
    let work = || {
        while let Some((index, case)) = take(&next, &cases) {
            let example = case.search();
            found.lock().expect("no search panics")[index] = example;
        }
    };
    std::thread::scope(|threads| {
        threads.spawn(work);
        work();
    });
    let found = found.into_inner().expect("no search panics");
    found.into_iter().flatten().collect()
}

fn take<'a>(next: &AtomicUsize, cases: &'a [Case]) -> Option<(usize, &'a Case)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    cases.get(index).map(|case| (index, case))
}

/// The case of that name.
pub fn find(name: &str) -> Option<Case> {
    cases().into_iter().find(|case| case.name == name)
}

/// All cases: the anomalies of the merged algorithm, the guarantees that it
/// breaks, and the rejected drafts and a mutant of the striped one.
pub fn cases() -> Vec<Case> {
    let mut cases = anomalies();
    cases.extend(guarantees());
    cases.extend(drafts());
    cases
}

fn anomalies() -> Vec<Case> {
    let case = |name, title, anomaly, samples, explanation| Case {
        name,
        title,
        statistic: Statistic::MergedJdk9,
        samples,
        drains: 1,
        engine: Engine::Shuttle(Fault::Anomaly(anomaly)),
        explanation,
    };
    vec![
        case(
            "O1",
            "the standard deviation is wrong even with no race",
            Anomaly::O1,
            &[1, 1, 1, 1, 1, 9, 9, 9, 9, 9],
            "A drain adds the min and the max as samples and all the others as one batch of \
             samples at their mean. The spread within that batch is gone.",
        ),
        case(
            "O2",
            "sum and extremes of a sample in flight are lost",
            Anomaly::O2,
            &[5, 100, 3],
            "The drain takes count and sum with the sample in flight, but min and max without it, \
             and of a batch of one or two it adds the extremes in place of the sum. What the add \
             leaves behind has no count, so no later drain adds it.",
        ),
        case(
            "O3",
            "stale extremes enter a later interval",
            Anomaly::O3,
            &[100, 3, 4],
            "The drain takes the sample's count and sum before its min and max are there. They \
             land later and pass for extremes of the next interval.",
        ),
        case(
            "O4",
            "a sample is summed twice",
            Anomaly::O4,
            &[10, 10, 10, 1000],
            "The drain takes the sum with the sample in flight and the count without it. When the \
             count lands, the next drain adds the sample once more, as the extreme that it is.",
        ),
        case(
            "O5",
            "two drains at once tear a batch",
            Anomaly::O5,
            &[10, 10, 10],
            "One drain takes the count; before it goes on, another one, of a snapshot beside a \
             toString, takes a later count and everything else. The first is left with a count \
             whose sum and extremes are gone.",
        ),
        case(
            "O6",
            "a sample equal to a sentinel is taken for a race",
            Anomaly::O6,
            &[i64::MAX],
            "A min that still is i64::MAX means to the drain that the extremes have not landed, \
             so it adds count and sum only. Hadoop shows the missing extremes as 3.4e38 and 1.4e-45.",
        ),
        case(
            "O7",
            "the sum of a batch of one or two is thrown away for its extremes",
            Anomaly::O7,
            &[10, 3],
            "A sample that completes after the drain has taken the count is in the sum, min and \
             max that it takes next. Of a count of one the drain adds the min as the only sample, \
             and the rest of the sum is gone.",
        ),
    ]
}

fn guarantees() -> Vec<Case> {
    let case = |name, title, statistic, fault, samples, explanation| Case {
        name,
        title,
        statistic,
        samples,
        drains: 1,
        engine: Engine::Shuttle(fault),
        explanation,
    };
    let nine = |name, title, broken, explanation| {
        let fault = Fault::Broken(broken);
        case(
            name,
            title,
            Statistic::MergedJdk9,
            fault,
            &[1, 2, 4],
            explanation,
        )
    };
    vec![
        nine(
            "G1",
            "conserved: the intervals do not add up to the samples",
            &[Guarantee::G1],
            "The drain takes count, sum, min and max one after the other while an add is between \
             its own four updates. What it took does not belong together, and it adds extremes in \
             place of the sum.",
        ),
        nine(
            "G2",
            "extremes: the min and max over all intervals are not those of the samples",
            &[Guarantee::G2],
            "The drain takes count and sum before the extremes have landed. They wait for a drain \
             that finds a count, and there may be none.",
        ),
        nine(
            "G3",
            "whole: an interval is the summary of no set of samples",
            &[Guarantee::G3],
            "An add is four updates, and the drain comes between them. It reports a sample whose \
             count and sum have landed and whose extremes have not.",
        ),
        nine(
            "G4",
            "timely: a sample whose add had returned is missing from the interval",
            &[Guarantee::G4],
            "A look (lastStat, toString) drains without the lock: it has taken the count and not \
             yet handed it on. A snapshot that begins now finds no count and reports nothing.",
        ),
        nine(
            "G5",
            "one cut: no order of the calls explains the intervals",
            &[Guarantee::G5],
            "An add takes effect in four steps and a drain in four others. There is no moment at \
             which the interval was cut.",
        ),
        nine(
            "G6",
            "wait-free add: the steps of an add depend on the other threads",
            &[Guarantee::G6],
            "An update is a compare-and-swap that fails, or is not needed, after what another \
             thread did in between. So an add takes more or fewer steps than the one before.",
        ),
        nine(
            "G7",
            "drain progress: of two drains at once, one leaves the other without what is due",
            &[Guarantee::G7],
            "A look (lastStat, toString) has taken the count and is interrupted. No add is in \
             flight, and yet the snapshot beside it reports nothing of what was there.",
        ),
        case(
            "G8",
            "exact numbers: the figures are wrong though nothing runs at once",
            Statistic::MergedJdk9,
            Fault::Anomaly(Anomaly::Inexact),
            &[i64::MAX, 1],
            "The identities of min and max are samples as well, and a drain takes them for missing \
             extremes. Sums and means go through f64, which rounds.",
        ),
        case(
            "G1-jdk8",
            "conserved, on JDK 8: a count is lost",
            Statistic::MergedJdk8,
            Fault::Anomaly(Anomaly::CountLost),
            &[1, 2, 4],
            "On JDK 8 a word is reset by a read and then a store. What an add writes between the \
             two is overwritten.",
        ),
        case(
            "G7-jdk8",
            "drain progress, on JDK 8: two drains at once count a sample twice",
            Statistic::MergedJdk8,
            Fault::Anomaly(Anomaly::CountedTwice),
            &[1, 2, 4],
            "Two drains read the count before either has reset it, and no add is in flight. Both \
             report it; the first to go on takes the sum and the extremes, the other one is left \
             with a sample of 0.",
        ),
    ]
}

fn drafts() -> Vec<Case> {
    let case = |name, title, engine, explanation| Case {
        name,
        title,
        statistic: Statistic::Recorder,
        samples: &[1, 2],
        drains: 2,
        engine,
        explanation,
    };
    vec![
        case(
            "opening-store-relaxed",
            "a draft whose opening store of seq is relaxed",
            Engine::LoomOn(Mutant::OpeningStoreRelaxed),
            "The drain sees from seq that a later add is open, and so that the one before is over. \
             With a relaxed store it does not see what that add recorded, and reads the buffer \
             beside it.",
        ),
        case(
            "epoch-relaxed",
            "a draft that publishes the epoch by a relaxed store",
            Engine::LoomOn(Mutant::EpochRelaxed),
            "A writer sees the new epoch and fills the buffer that it names. With a relaxed store \
             it does not see that the drain before has emptied that buffer.",
        ),
        case(
            "no-wait",
            "a mutant whose drain waits for nobody",
            Engine::ShuttleOn(Mutant::NoWait),
            "The writer has read the old epoch and is about to record in its buffer. The drain \
             takes the stripe for idle and is in the same buffer at once.",
        ),
    ]
}
