//! What a run measures, and how often.

use anyhow::{Error, ensure};
use benches::{Burst, Crowd, Latency, Paced, Reader, Steady, Threads};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

/// How much time a run may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effort {
    /// Under 2 minutes.
    Quick,
    /// Under 9 minutes.
    #[default]
    Standard,
    /// As long as good figures take.
    Full,
}

/// What a run measures, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What it was made for; chooses the models.
    pub effort: Effort,
    /// At how many threads the scenarios run.
    pub threads: ThreadCounts,
    /// The burst scenario.
    pub burst: Repeated<Burst>,
    /// The steady scenario.
    pub steady: Repeated<Steady>,
    /// The steady scenario over locks.
    pub locks: Repeated<Steady>,
    /// What else there is to know of performance; reports made before it was
    /// measured have none.
    #[serde(default)]
    pub performance: Option<PerformancePlan>,
}

/// The scenarios of which some thread counts say enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerformancePlan {
    /// At how many threads most of them run.
    pub few: ThreadCounts,
    /// At how many threads they run where a reader takes its share of the cores.
    pub beside_reader: ThreadCounts,
    /// How often a reader closes intervals, a second, beside steady adding.
    pub readers: Vec<u32>,
    /// The steady scenario over all peers.
    pub peers: Repeated<Steady>,
    /// Paced adding.
    pub paced: Repeated<Paced>,
    /// The steady scenario over operations on a lock, at all thread counts.
    pub operations: Repeated<Steady>,
    /// The steady scenario beside each of the readers.
    pub read: Repeated<Steady>,
    /// Single adds of one thread, without a reader and beside the one given.
    pub latency: Repeated<Latency>,
    /// Drains among many threads.
    pub crowd: Repeated<Crowd>,
    /// How often drains of each number of stripes are timed, alone.
    pub quiet_drains: usize,
}

impl PerformancePlan {
    fn new(effort: Effort, threads: &ThreadCounts) -> Self {
        let (rounds, warm_up, window) = match effort {
            Effort::Quick => (1, 15, 45),
            Effort::Standard => (3, 30, 120),
            Effort::Full => (7, 100, 500),
        };
        let (long_rounds, long, turns, quiet_drains) = match effort {
            Effort::Quick => (1, 100, 40, 50),
            Effort::Standard => (3, 250, 100, 300),
            // So that a reader that comes once a second comes more than once.
            Effort::Full => (4, 2500, 500, 2000),
        };
        let latency = Latency {
            warm_up: Duration::from_millis(warm_up),
            window: Duration::from_millis(long),
            reader: Some(Reader { per_second: 1000 }),
        };
        let crowd = Crowd {
            window: Duration::from_millis(2 * long),
            reader: Reader { per_second: 1000 },
        };
        Self {
            few: threads.among(&[1, 2, 10, 40]),
            beside_reader: threads.among(&[1, 2, 10]),
            readers: vec![0, 1, 100, 10_000],
            peers: windows(rounds, warm_up, window),
            paced: repeated(rounds, Paced { warm_up: 5, turns }),
            operations: windows(rounds, warm_up, window),
            read: windows(long_rounds, warm_up, long),
            latency: repeated(long_rounds, latency),
            crowd: repeated(long_rounds, crowd),
            quiet_drains,
        }
    }
}

/// A scenario, and how often each contender has its turn at each thread count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated<S> {
    /// How often.
    pub rounds: usize,
    /// What.
    #[serde(flatten)]
    pub scenario: S,
}

impl Plan {
    /// What there is time for.
    ///
    /// Bursts are short, so many short turns are affordable, and neighbours in
    /// time are the more alike.
    #[must_use]
    pub fn new(effort: Effort, threads: ThreadCounts) -> Self {
        let (burst, steady, locks) = match effort {
            Effort::Quick => (bursts(8, 10, 30), windows(3, 50, 100), windows(2, 30, 70)),
            Effort::Standard => (bursts(20, 20, 60), windows(4, 50, 250), windows(3, 50, 200)),
            // Windows as long as the published ones.
            Effort::Full => (
                bursts(51, 20, 100),
                windows(11, 200, 500),
                windows(7, 200, 500),
            ),
        };
        Self {
            effort,
            performance: Some(PerformancePlan::new(effort, &threads)),
            threads,
            burst,
            steady,
            locks,
        }
    }
}

fn bursts(rounds: usize, warm_up: usize, bursts: usize) -> Repeated<Burst> {
    // As published.
    let adds = 500;
    let scenario = Burst {
        warm_up,
        bursts,
        adds,
    };
    repeated(rounds, scenario)
}

fn repeated<S>(rounds: usize, scenario: S) -> Repeated<S> {
    Repeated { rounds, scenario }
}

fn windows(rounds: usize, warm_up_ms: u64, window_ms: u64) -> Repeated<Steady> {
    let scenario = Steady {
        warm_up: Duration::from_millis(warm_up_ms),
        window: Duration::from_millis(window_ms),
        reader: None,
    };
    repeated(rounds, scenario)
}

/// Different thread counts, ascending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadCounts(Vec<Threads>);

impl ThreadCounts {
    /// The counts.
    #[must_use]
    pub fn get(&self) -> &[Threads] {
        &self.0
    }

    /// Those that are among `some`; all if none is.
    fn among(&self, some: &[usize]) -> Self {
        let counts = self.0.iter().copied();
        let few: Vec<Threads> = counts.filter(|count| some.contains(&count.get())).collect();
        if few.is_empty() {
            self.clone()
        } else {
            Self(few)
        }
    }
}

/// Those of the published benchmark, and 2.
impl Default for ThreadCounts {
    fn default() -> Self {
        "1,2,10,20,40,60,80"
            .parse()
            .expect("these are thread counts")
    }
}

impl FromStr for ThreadCounts {
    type Err = Error;

    fn from_str(list: &str) -> Result<Self, Error> {
        let counts: Vec<Threads> = list.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let ascending: BTreeSet<Threads> = counts.iter().copied().collect();
        ensure!(
            ascending.len() == counts.len(),
            "'{list}' names a thread count twice: each is measured once"
        );
        Ok(Self(ascending.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(list: &str) -> String {
        format!("{:#}", list.parse::<ThreadCounts>().unwrap_err())
    }

    #[test]
    fn counts_are_listed_in_any_order() {
        let counts: ThreadCounts = "10, 1,2".parse().unwrap();
        let counts: Vec<usize> = counts.get().iter().map(|count| count.get()).collect();
        assert_eq!(counts, [1, 2, 10]);
    }

    #[test]
    fn few_counts_are_some_of_those_asked_for() {
        let counts: ThreadCounts = "1,3,10".parse().unwrap();
        assert_eq!(counts.among(&[10, 1, 2]), "1,10".parse().unwrap());
        assert_eq!(counts.among(&[4]), counts);
    }

    #[test]
    fn what_is_no_list_of_counts_is_said_to_be_none() {
        for bad in ["0", "1,0", "1025", "1,,2", "", "many", "1;2"] {
            assert!(error(bad).contains("is no thread count"), "{}", error(bad));
        }
        assert!(error("1,2,1").contains("twice"));
    }
}
