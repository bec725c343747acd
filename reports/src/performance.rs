//! What there is to know of performance beside steady adding and bursts.

use crate::data::unsound;
use crate::gather::{self, expected_of};
use crate::plan::{PerformancePlan, Repeated, ThreadCounts};
use crate::progress::Progress;
use benches::{
    Contender, DrainFigure, Figure, Latency, LatencyFigure, Measurements, Offer,
    OperationContender, PacedFigure, Peer, QuietDrain, Reader, Role, Steady, SteadyFigure,
    StoppedContender, Wait, clock_step, quiet_drains,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Performance {
    /// The least nanoseconds that two readings of the clock differ by.
    pub clock_step_ns: f64,
    /// Steady adding, all peers.
    pub peers: Measurements<SteadyFigure, Peer>,
    /// Paced adding.
    pub paced: Measurements<PacedFigure>,
    /// Operations on a metered lock.
    pub operations: Measurements<SteadyFigure, OperationContender>,
    /// Steady adding beside a reader, by how often it comes.
    pub read: Vec<Beside<SteadyFigure>>,
    /// Single adds beside a reader, by how often it comes.
    pub latency: Vec<Beside<LatencyFigure>>,
    /// Single adds beside a drainer that is stopped in mid-drain.
    pub stopped: Measurements<LatencyFigure, StoppedContender>,
    /// Drains among many threads, by how they wait.
    pub crowd: Measurements<DrainFigure, Wait>,
    /// Drains alone, by number of stripes.
    pub quiet_drains: Vec<QuietDrain>,
}

/// What was measured beside a reader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beside<F> {
    /// How often the reader comes; 0 is no reader.
    pub per_second: u32,
    /// What was measured; a round is the same round beside every reader.
    pub measured: Measurements<F>,
}

/// The numbers of stripes whose drains are timed alone.
const STRIPES: [usize; 8] = [1, 2, 5, 10, 20, 80, 200, 800];

/// Runs all of it.
pub(crate) fn measure(
    plan: &PerformancePlan,
    threads: &ThreadCounts,
    progress: &Progress,
) -> Performance {
    let (few, one) = (&plan.few, &one_thread());
    let quiet_drains = quiet_drains(&STRIPES, plan.quiet_drains);
    let read = |reader| Steady {
        reader,
        ..plan.read.scenario.clone()
    };
    let timed = |reader| Latency {
        reader,
        ..plan.latency.scenario.clone()
    };
    let steady = Beside::of(&plan.readers, plan.read.rounds, |reader| {
        let once = once(read(reader));
        gather::measure("beside a reader", &once, &plan.beside_reader, progress)
    });
    let latency = Beside::of(&latency_readers(plan), plan.latency.rounds, |reader| {
        gather::measure("latency", &once(timed(reader)), one, progress)
    });
    Performance {
        clock_step_ns: clock_step(),
        peers: gather::measure("peers", &plan.peers, few, progress),
        paced: gather::measure("paced", &plan.paced, few, progress),
        operations: gather::measure("operations", &plan.operations, threads, progress),
        read: steady,
        latency,
        stopped: gather::measure("stopped drainer", &stopped(plan), one, progress),
        crowd: gather::measure("drains", &plan.crowd, few, progress),
        quiet_drains,
    }
}

/// About how long that takes.
pub(crate) fn expected(plan: &PerformancePlan, threads: &ThreadCounts) -> Duration {
    let (few, one) = (&plan.few, &one_thread());
    let readers = plan.readers.len() as u32;
    let latency_readers = latency_readers(plan).len() as u32;
    expected_of::<_, Peer>(&plan.peers, few)
        + expected_of::<_, Contender>(&plan.paced, few)
        + expected_of::<_, OperationContender>(&plan.operations, threads)
        + expected_of::<_, Contender>(&plan.read, &plan.beside_reader) * readers
        + expected_of::<_, Contender>(&plan.latency, one) * latency_readers
        + expected_of::<_, StoppedContender>(&stopped(plan), one)
        + expected_of::<_, Wait>(&plan.crowd, few)
}

/// Single adds are timed on one thread: what two do to each other is what the
/// other scenarios are about.
fn one_thread() -> ThreadCounts {
    "1".parse().expect("1 is a thread count")
}

fn once<S>(scenario: S) -> Repeated<S> {
    Repeated {
        rounds: 1,
        scenario,
    }
}

/// None, and the one of the plan.
fn latency_readers(plan: &PerformancePlan) -> Vec<u32> {
    let reader = plan.latency.scenario.reader;
    [0].into_iter()
        .chain(reader.map(|reader| reader.per_second))
        .collect()
}

/// Of every drain, a part as long as [`StoppedContender::STOP`] for each stripe;
/// half the time it is stopped.
fn stopped(plan: &PerformancePlan) -> Repeated<Latency> {
    let per_second = (0.5 / StoppedContender::STOP.as_secs_f64()) as u32;
    let scenario = Latency {
        reader: Some(Reader { per_second }),
        ..plan.latency.scenario.clone()
    };
    Repeated {
        rounds: plan.latency.rounds,
        scenario,
    }
}

impl<F: Figure> Beside<F> {
    /// Measures beside each of the readers in turn, so often.
    fn of(
        readers: &[u32],
        rounds: usize,
        mut measure: impl FnMut(Option<Reader>) -> Measurements<F>,
    ) -> Vec<Self> {
        let none = |&per_second| Self {
            per_second,
            measured: Measurements(Vec::new()),
        };
        let mut all: Vec<Self> = readers.iter().map(none).collect();
        for round in 0..rounds {
            for beside in &mut all {
                let per_second = beside.per_second;
                let reader = (per_second > 0).then_some(Reader { per_second });
                let mut measured = measure(reader).0;
                measured.iter_mut().for_each(|m| m.setting.round = round);
                beside.measured.0.extend(measured);
            }
        }
        all
    }
}

impl Performance {
    /// What did not meet its own conditions.
    pub(crate) fn faults(&self) -> impl Iterator<Item = String> {
        let read = self.read.iter().map(|beside| promised(&beside.measured));
        let latency = self.latency.iter().map(|beside| promised(&beside.measured));
        unsound("peers", &self.peers)
            .chain(unsound("paced", &self.paced))
            .chain(unsound("operations", &self.operations))
            .chain(read.flat_map(|read| unsound("beside a reader", &read).collect::<Vec<_>>()))
            .chain(latency.flat_map(|one| unsound("latency", &one).collect::<Vec<_>>()))
            .chain(unsound("stopped drainer", &self.stopped))
            .chain(unsound("drains", &self.crowd))
    }
}

/// The measurements of those that promise to lose nothing beside a reader.
fn promised<F: Figure + Clone>(measured: &Measurements<F>) -> Measurements<F> {
    let promises = |contender: Contender| {
        let offers = Peer::Contender(contender).offers();
        contender.role() != Role::Statistic || offers.contains(&Offer::Interval)
    };
    let promised = measured.0.iter().filter(|m| promises(m.setting.contender));
    Measurements(promised.cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_take_turns_within_a_round() {
        let mut turns = Vec::new();
        let besides = Beside::<SteadyFigure>::of(&[0, 5], 2, |reader| {
            turns.push(reader.map_or(0, |reader| reader.per_second));
            Measurements(Vec::new())
        });
        assert_eq!(turns, [0, 5, 0, 5]);
        let readers: Vec<u32> = besides.iter().map(|beside| beside.per_second).collect();
        assert_eq!(readers, [0, 5]);
    }
}
