//! Outcome tables in the manner of jcstress: every result that a small scenario
//! can have, in how many executions, and whether it is acceptable.
//!
//! A result is what the drains report, in the order in which they began. It is
//! graded by the checks, not by hand: it is forbidden if it breaks a guarantee
//! of the operations, and else there is a linearization that explains it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;
use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::explore::loom;
use crate::guarantees::Guarantee;
use crate::history::History;
use crate::scenario::Scenario;
use crate::statistic::Statistic;
use crate::table::summary;
use crate::witness::{self, Witness};

/// All results of a scenario on a statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeTable {
    /// The statistic.
    pub statistic: String,
    /// The program.
    pub scenario: String,
    /// The most preemptions that an execution had, if they were bounded.
    pub preemptions: Option<usize>,
    /// The results.
    pub rows: Vec<Row>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What each drain reported, in the order in which they began; nothing if it
    /// had nothing to report.
    pub intervals: Vec<Option<Batch>>,
    /// In how many executions.
    pub executions: u64,
    /// What to think of it.
    pub grade: Grade,
    /// Why.
    pub why: String,
}

/// What to think of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Grade {
    /// Linearizable.
    Acceptable,
    /// Linearizable, and in some executions an add overlapped a drain.
    Interesting,
    /// Breaks a guarantee.
    Forbidden,
}

/// One result can be right or wrong, by what preceded what.
type Key = (BTreeMap<Guarantee, String>, Vec<Option<Batch>>);

#[derive(Default)]
struct Tally {
    executions: u64,
    taken: u64,
    left: u64,
}

/// The scenarios of which every statistic gets a table.
pub fn scenarios() -> [(Scenario, Option<usize>); 4] {
    let watched = Scenario::Watched {
        adds: 1,
        drains: 0,
        looks: 1,
    };
    [
        (Scenario::together(1, 1, 1), None),
        (Scenario::together(1, 2, 1), Some(3)),
        (Scenario::together(2, 1, 1), Some(3)),
        (watched, Some(3)),
    ]
}

/// The statistics of which there are tables.
pub const STATISTICS: [Statistic; 4] = [
    Statistic::MutableStat,
    Statistic::MergedJdk8,
    Statistic::MergedJdk9,
    Statistic::ConcurrentMutableStat,
];

/// The tables of all scenarios and statistics.
pub fn all() -> Vec<OutcomeTable> {
    let tables = scenarios().into_iter().flat_map(|(scenario, preemptions)| {
        STATISTICS.map(|statistic| tabulate(statistic, scenario, preemptions))
    });
    tables.collect()
}

/// Runs the scenario in every execution with at most so many preemptions.
pub fn tabulate(
    statistic: Statistic,
    scenario: Scenario,
    preemptions: Option<usize>,
) -> OutcomeTable {
    let tallies = Arc::new(Mutex::new(BTreeMap::<Key, Tally>::new()));
    let gathered = Arc::clone(&tallies);
    loom::for_each(statistic, &scenario, preemptions, move |history| {
        let mut tallies = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        tallies.entry(key(history)).or_default().count(history);
    });
    let tallies = std::mem::take(&mut *tallies.lock().unwrap_or_else(PoisonError::into_inner));
    let mut rows: Vec<Row> = tallies.into_iter().map(Row::new).collect();
    rows.sort_by_key(|row| row.grade);
    OutcomeTable {
        statistic: statistic.name().to_owned(),
        scenario: scenario.name(),
        preemptions,
        rows,
    }
}

fn key(history: &History) -> Key {
    let broken = Guarantee::OF_OPERATIONS.iter().filter_map(|&guarantee| {
        let fault = guarantee.check(history).err()?;
        Some((guarantee, fault))
    });
    let intervals = history.drains.iter().map(|drain| drain.batch);
    (broken.collect(), intervals.collect())
}

impl Tally {
    fn count(&mut self, history: &History) {
        let reached: BTreeSet<Witness> = witness::reached(history).collect();
        self.executions += 1;
        self.taken += u64::from(reached.contains(&Witness::TakenAcrossFlip));
        self.left += u64::from(reached.contains(&Witness::LeftToNext));
    }

    fn grade(&self) -> (Grade, String) {
        let of = |overlapping: u64| format!("in {overlapping} of {} executions", self.executions);
        match (self.taken, self.left) {
            (0, 0) => (Grade::Acceptable, "linearizable".to_owned()),
            (taken, 0) => (
                Grade::Interesting,
                format!("a drain takes an add in flight {}", of(taken)),
            ),
            (0, left) => (
                Grade::Interesting,
                format!("a drain leaves an add beside it to the next {}", of(left)),
            ),
            (taken, left) => (
                Grade::Interesting,
                format!(
                    "a drain takes an add in flight {}, leaves one to the next {}",
                    of(taken),
                    of(left)
                ),
            ),
        }
    }
}

impl Row {
    fn new(((broken, intervals), tally): (Key, Tally)) -> Self {
        let (grade, why) = match broken.values().next() {
            None => tally.grade(),
            Some(fault) => {
                let names: Vec<_> = broken.keys().map(|broken| format!("{broken:?}")).collect();
                let why = format!("breaks {}: {fault}", names.join(", "));
                (Grade::Forbidden, why)
            }
        };
        Self {
            intervals,
            executions: tally.executions,
            grade,
            why,
        }
    }

    /// Its intervals in words.
    pub fn in_words(&self) -> String {
        let interval = |interval: &Option<Batch>| match interval {
            Some(batch) if batch.count > 0 => summary(batch),
            _ => "nothing".to_owned(),
        };
        let intervals: Vec<_> = self.intervals.iter().map(interval).collect();
        intervals.join("; ")
    }
}

impl OutcomeTable {
    /// The bound of the search, in words.
    pub fn bound(&self) -> String {
        match self.preemptions {
            None => "no preemption bound".to_owned(),
            Some(bound) => format!("at most {bound} preemptions"),
        }
    }

    /// Executions that ended so.
    pub fn executions(&self, grade: Grade) -> u64 {
        let rows = self.rows.iter().filter(|row| row.grade == grade);
        rows.map(|row| row.executions).sum()
    }
}

impl fmt::Display for OutcomeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}, {}", self.statistic, self.scenario, self.bound())?;
        let mut table = Table::new();
        table.load_preset(ASCII_MARKDOWN);
        table.set_header(["intervals", "executions", "grade", "why"]);
        for row in &self.rows {
            table.add_row([
                row.in_words(),
                row.executions.to_string(),
                format!("{:?}", row.grade),
                row.why.clone(),
            ]);
        }
        writeln!(f, "{table}")
    }
}
