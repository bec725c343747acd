//! Any sequence of calls of the public API (statistics, recorders, lock and
//! performance metrics, a registry of them), from this thread and others, has the
//! answers of a naive model that keeps every sample.

use std::collections::BTreeMap;
use std::thread;

use interval_stat::registry::{Reading, Registry, Source};
use interval_stat::runtime::Std;
use interval_stat::{
    ConcurrentMutableStat, Detail, Emit, IntervalStat, Labels, LockMetrics, Moments, MutableStat,
    PerformanceMetrics, Recorder, Snapshot,
};
use models::batch::Batch;
use models::reliability::Thrown;
use models::subject::Summarized;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

/// What calls are made of: all that has intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Locked,
    Striped,
    Performance,
    Lock,
}

const ALL: [Of; 4] = [Of::Locked, Of::Striped, Of::Performance, Of::Lock];

#[derive(Debug, Clone)]
enum Call {
    Add(Of, i64),
    AddFromThread(Of, i64),
    AddByRecorder(i64),
    AddBatch(Of, Vec<i64>),
    TakeRecorder,
    DropRecorder,
    Snapshot(Of, Emit),
    LastStat(Of),
    ResetMinMax(Of),
    Register(Of),
    Unregister(Of),
    Report(Emit),
}

/// What a closed interval says.
#[derive(Debug, Clone, PartialEq)]
struct Closed {
    interval: Batch,
    lifetime: u64,
    min: Option<i64>,
    max: Option<i64>,
}

#[derive(Debug, Clone, PartialEq)]
enum Answer {
    Nothing,
    Refused,
    Last(Batch),
    /// Of each that reported.
    Closed(BTreeMap<Of, Closed>),
}

/// Keeps every sample.
#[derive(Debug, Clone, Default)]
struct Naive {
    interval: Vec<i64>,
    previous: Vec<i64>,
    lifetime: u64,
    since_reset: Vec<i64>,
    reported: bool,
    registered: bool,
}

impl Naive {
    fn add(&mut self, sample: i64) {
        self.interval.push(sample);
        self.since_reset.push(sample);
    }

    fn last(&self) -> Batch {
        let last = if self.interval.is_empty() {
            &self.previous
        } else {
            &self.interval
        };
        Batch::summarize(last.iter().copied())
    }

    /// The first snapshot of a statistic reports even if nothing changed.
    fn close(&mut self, emit: Emit) -> Option<Closed> {
        if self.reported && emit == Emit::Changed && self.interval.is_empty() {
            return None;
        }
        self.reported = true;
        let interval = std::mem::take(&mut self.interval);
        self.lifetime += interval.len() as u64;
        if !interval.is_empty() {
            self.previous.clone_from(&interval);
        }
        Some(Closed {
            interval: Batch::summarize(interval),
            lifetime: self.lifetime,
            min: self.since_reset.iter().min().copied(),
            max: self.since_reset.iter().max().copied(),
        })
    }
}

#[derive(Debug, Clone)]
struct Model {
    all: BTreeMap<Of, Naive>,
    recorders: usize,
    /// Of the last call.
    answer: Answer,
}

impl Model {
    fn of(&mut self, of: Of) -> &mut Naive {
        self.all.get_mut(&of).expect("all are there")
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let closed = |closed: Option<(Of, Closed)>| Answer::Closed(closed.into_iter().collect());
        match call {
            Call::Add(to, sample) | Call::AddFromThread(to, sample) => self.of(*to).add(*sample),
            Call::AddByRecorder(sample) => self.of(Of::Striped).add(*sample),
            Call::AddBatch(to, samples) => {
                samples.iter().for_each(|&sample| self.of(*to).add(sample))
            }
            Call::TakeRecorder => self.recorders += 1,
            Call::DropRecorder => self.recorders -= 1,
            Call::Snapshot(from, emit) => {
                return closed(self.of(*from).close(*emit).map(|closed| (*from, closed)));
            }
            Call::LastStat(from) => return Answer::Last(self.of(*from).last()),
            Call::ResetMinMax(from) => self.of(*from).since_reset.clear(),
            Call::Register(from) if self.of(*from).registered => return Answer::Refused,
            Call::Register(from) => self.of(*from).registered = true,
            Call::Unregister(from) if !self.of(*from).registered => return Answer::Refused,
            Call::Unregister(from) => {
                self.of(*from).registered = false;
                return closed(
                    self.of(*from)
                        .close(Emit::Changed)
                        .map(|closed| (*from, closed)),
                );
            }
            Call::Report(emit) => {
                let registered = self.all.iter_mut().filter(|(_, naive)| naive.registered);
                let closed = registered.map(|(of, naive)| Some((*of, naive.close(*emit)?)));
                return Answer::Closed(closed.flatten().collect());
            }
        }
        Answer::Nothing
    }
}

impl ReferenceStateMachine for Model {
    type State = Self;
    type Transition = Call;

    fn init_state() -> BoxedStrategy<Self> {
        Just(Self {
            all: ALL.map(|of| (of, Naive::default())).into(),
            recorders: 0,
            answer: Answer::Nothing,
        })
        .boxed()
    }

    fn transitions(_: &Self) -> BoxedStrategy<Call> {
        let of = || select(&ALL[..]);
        let emit = || select(&[Emit::Changed, Emit::All][..]);
        // Powers of two, which a histogram tells exactly.
        let sample = || (0_u32..40).prop_map(|bit| 1_i64 << bit);
        prop_oneof![
            6 => (of(), sample()).prop_map(|(of, sample)| Call::Add(of, sample)),
            1 => (of(), sample()).prop_map(|(of, sample)| Call::AddFromThread(of, sample)),
            3 => sample().prop_map(Call::AddByRecorder),
            1 => (of(), prop::collection::vec(sample(), 0..5))
                .prop_map(|(of, samples)| Call::AddBatch(of, samples)),
            2 => Just(Call::TakeRecorder),
            1 => Just(Call::DropRecorder),
            3 => (of(), emit()).prop_map(|(of, emit)| Call::Snapshot(of, emit)),
            1 => of().prop_map(Call::LastStat),
            1 => of().prop_map(Call::ResetMinMax),
            2 => of().prop_map(Call::Register),
            1 => of().prop_map(Call::Unregister),
            2 => emit().prop_map(Call::Report),
        ]
        .boxed()
    }

    fn preconditions(model: &Self, call: &Call) -> bool {
        match call {
            Call::AddByRecorder(_) | Call::DropRecorder => model.recorders > 0,
            _ => true,
        }
    }

    fn apply(mut model: Self, call: &Call) -> Self {
        model.answer = model.answer(call);
        model
    }
}

/// The real ones, alive to the end of the process: recorders and sources borrow
/// them.
struct Real {
    locked: &'static MutableStat<Std, Moments>,
    striped: &'static ConcurrentMutableStat,
    performance: &'static PerformanceMetrics,
    lock: &'static LockMetrics,
    recorders: Vec<Recorder<'static, Moments>>,
    registry: Registry,
}

fn leaked<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// The statistic that an interval of the lock metrics is looked at of.
const HELD: &str = "WriteLockHeldTime";

fn labels(of: Of) -> Labels {
    Labels::new(
        &format!("{of:?}"),
        "one of all",
        "Ops",
        "Time",
        Detail::Extended,
    )
    .expect("no label is empty")
}

fn closed<I: Summarized>(snapshot: &Snapshot<I>) -> Closed {
    Closed {
        interval: snapshot.interval.batch(),
        lifetime: snapshot.count,
        min: snapshot.min,
        max: snapshot.max,
    }
}

impl Real {
    fn new() -> Self {
        Self {
            locked: leaked(MutableStat::new(labels(Of::Locked))),
            striped: leaked(ConcurrentMutableStat::new(labels(Of::Striped))),
            performance: leaked(PerformanceMetrics::new(labels(Of::Performance))),
            lock: leaked(LockMetrics::new()),
            recorders: Vec::new(),
            registry: Registry::new(),
        }
    }

    fn add(&self, to: Of, samples: &[i64]) {
        fn add(stat: &impl IntervalStat, samples: &[i64]) {
            match samples {
                [sample] => stat.add(*sample),
                samples => stat.add_batch(samples),
            }
        }
        match to {
            Of::Locked => add(self.locked, samples),
            Of::Striped => add(self.striped, samples),
            Of::Performance => add(self.performance.stat(), samples),
            Of::Lock => add(self.lock.write.held.stat(), samples),
        }
    }

    fn snapshot(&self, of: Of, emit: Emit) -> Option<Closed> {
        match of {
            Of::Locked => Some(closed(&self.locked.snapshot(emit)?)),
            Of::Striped => Some(closed(&self.striped.snapshot(emit)?)),
            Of::Performance => Some(closed(&self.performance.snapshot(emit)?.statistic)),
            Of::Lock => self.lock.snapshot(emit).write_held().map(closed),
        }
    }

    fn last(&self, of: Of) -> Batch {
        match of {
            Of::Locked => self.locked.last_stat().batch(),
            Of::Striped => self.striped.last_stat().batch(),
            Of::Performance => self.performance.stat().last_stat().batch(),
            Of::Lock => self.lock.write.held.stat().last_stat().batch(),
        }
    }

    fn reset(&self, of: Of) {
        match of {
            Of::Locked => self.locked.reset_min_max(),
            Of::Striped => self.striped.reset_min_max(),
            Of::Performance => self.performance.stat().reset_min_max(),
            Of::Lock => self.lock.write.held.stat().reset_min_max(),
        }
    }

    fn register(&self, of: Of) -> Answer {
        let (locked, striped, performance, lock) =
            (self.locked, self.striped, self.performance, self.lock);
        let readings = move |emit| match of {
            Of::Locked => locked.readings(emit),
            Of::Striped => striped.readings(emit),
            Of::Performance => performance.readings(emit),
            Of::Lock => lock.readings(emit),
        };
        match self
            .registry
            .register(&format!("{of:?}"), "one of all", readings)
        {
            Ok(()) => Answer::Nothing,
            Err(_) => Answer::Refused,
        }
    }

    fn answer(&mut self, call: Call) -> Answer {
        match call {
            Call::Add(to, sample) => self.add(to, &[sample]),
            Call::AddFromThread(to, sample) => {
                let real = &*self;
                thread::scope(|threads| {
                    threads.spawn(|| real.add(to, &[sample]));
                });
            }
            Call::AddByRecorder(sample) => {
                self.recorders.last_mut().expect("there is one").add(sample);
            }
            Call::AddBatch(to, samples) => self.add(to, &samples),
            Call::TakeRecorder => self.recorders.push(self.striped.recorder()),
            Call::DropRecorder => drop(self.recorders.swap_remove(0)),
            Call::Snapshot(of, emit) => {
                let closed = self.snapshot(of, emit).map(|closed| (of, closed));
                return Answer::Closed(closed.into_iter().collect());
            }
            Call::LastStat(of) => return Answer::Last(self.last(of)),
            Call::ResetMinMax(of) => self.reset(of),
            Call::Register(of) => return self.register(of),
            Call::Unregister(of) => {
                return match self.registry.unregister(&format!("{of:?}")) {
                    Some(rest) => Answer::Closed(read(of, &rest.readings).into_iter().collect()),
                    None => Answer::Refused,
                };
            }
            Call::Report(emit) => {
                let report = self.registry.snapshot(emit);
                assert_eq!(self.registry.last(), report);
                let of = |name: &str| ALL.into_iter().find(|of| format!("{of:?}") == name);
                let sources = report.sources.iter();
                let read = sources.filter_map(|source| read(of(&source.name)?, &source.readings));
                return Answer::Closed(read.collect());
            }
        }
        Answer::Nothing
    }
}

/// What a source reported of the statistic that is added to.
fn read(of: Of, readings: &[Reading]) -> Option<(Of, Closed)> {
    let mut readings = readings.iter();
    let reading =
        readings.find(|reading| of != Of::Lock || reading.snapshot.labels.name() == HELD)?;
    Some((of, closed(&reading.snapshot)))
}

/// What becomes of a call before the real ones see it.
type Twist = fn(Call) -> Option<Call>;

/// Faults that a sequence of calls must find: the real ones miss a call, or get
/// another one.
const FAULTS: [(&str, Twist); 11] = [
    ("an add is lost", |call| {
        Some(call).filter(|call| !matches!(call, Call::Add(..)))
    }),
    ("a thread's last add is lost", |call| {
        Some(call).filter(|call| !matches!(call, Call::AddFromThread(..)))
    }),
    ("a recorder's add is lost", |call| {
        Some(call).filter(|call| !matches!(call, Call::AddByRecorder(_)))
    }),
    ("a batch loses its last sample", |call| {
        Some(match call {
            Call::AddBatch(to, mut samples) => {
                samples.pop();
                Call::AddBatch(to, samples)
            }
            call => call,
        })
    }),
    ("a sample is another", |call| {
        Some(match call {
            Call::Add(to, sample) => Call::Add(to, sample + 1),
            call => call,
        })
    }),
    ("a snapshot reports what did not change", |call| {
        Some(match call {
            Call::Snapshot(of, _) => Call::Snapshot(of, Emit::All),
            call => call,
        })
    }),
    ("a snapshot of all reports changes only", |call| {
        Some(match call {
            Call::Report(_) => Call::Report(Emit::Changed),
            call => call,
        })
    }),
    ("extremes are not reset", |call| {
        Some(call).filter(|call| !matches!(call, Call::ResetMinMax(_)))
    }),
    ("to ask for the last interval closes it", |call| {
        Some(match call {
            Call::LastStat(of) => Call::Snapshot(of, Emit::Changed),
            call => call,
        })
    }),
    ("a source is not registered", |call| {
        Some(call).filter(|call| !matches!(call, Call::Register(_)))
    }),
    ("a source stays registered", |call| {
        Some(call).filter(|call| !matches!(call, Call::Unregister(_)))
    }),
];

impl StateMachineTest for Real {
    type SystemUnderTest = Self;
    type Reference = Model;

    fn init_test(_: &Model) -> Self {
        Self::new()
    }

    fn apply(mut real: Self, model: &Model, call: Call) -> Self {
        let answer = real.answer(call);
        assert_eq!(answer, model.answer);
        real
    }
}

const CALLS: usize = 60;

/// Each fault has its sequence of calls, among as many as the test runs.
#[test]
fn a_sequence_of_calls_finds_each_fault() {
    for (fault, twist) in FAULTS {
        let mut runner = TestRunner::new_with_rng(
            Config {
                failure_persistence: None,
                max_shrink_iters: 0,
                ..Config::with_cases(256)
            },
            TestRng::deterministic_rng(RngAlgorithm::ChaCha),
        );
        let found = runner.run(
            &Model::sequential_strategy(1..CALLS),
            |(mut model, calls, _)| {
                let mut real = Real::new();
                for call in calls {
                    model = <Model as ReferenceStateMachine>::apply(model, &call);
                    let answer = twist(call).map_or(Answer::Nothing, |call| real.answer(call));
                    prop_assert_eq!(&answer, &model.answer);
                }
                Ok(())
            },
        );
        assert!(
            matches!(found, Err(TestError::Fail(..))),
            "{fault}: {found:?}"
        );
    }
}

#[test]
fn every_sequence_of_calls_has_the_answers_of_a_naive_model() {
    let config = Config::default();
    let cases = u64::from(config.cases);
    let sequences = Model::sequential_strategy(1..CALLS);
    proptest!(config, |((model, calls, seen) in sequences)| {
        Real::test_sequential(Config::default(), model, calls, seen);
    });
    Thrown::new(
        "random calls of the whole API, against a naive model",
        cases,
        "sequences",
    )
    .say();
}
