//! Any sequence of calls, made by one thread, has the same answers from both
//! statistics and from a naive oracle that keeps every sample.

use interval_stat::{
    ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels, MutableStat,
};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Op {
    Add(i64),
    AddN { samples: u64, sum: i64 },
    Snapshot(Emit),
    LastStat,
    ResetMinMax,
}

fn op() -> impl Strategy<Value = Op> {
    let sample = prop_oneof![-10_000_i64..=10_000, Just(0), 1..=100_000_000_i64];
    prop_oneof![
        6 => sample.prop_map(Op::Add),
        1 => (0_u64..50, -100_000_i64..100_000)
            .prop_map(|(samples, sum)| Op::AddN { samples, sum }),
        2 => prop_oneof![Just(Emit::Changed), Just(Emit::All)].prop_map(Op::Snapshot),
        1 => Just(Op::LastStat),
        1 => Just(Op::ResetMinMax),
    ]
}

/// What a statistic, or the oracle, answers.
#[derive(Debug, Clone, PartialEq)]
enum Answer {
    Nothing,
    Refused,
    Interval(Summary),
    Snapshot {
        lifetime: u64,
        min: Option<i64>,
        max: Option<i64>,
        interval: Summary,
    },
}

#[derive(Debug, Clone, PartialEq)]
struct Summary {
    count: u64,
    mean: Option<f64>,
    stddev: Option<f64>,
    min: Option<i64>,
    max: Option<i64>,
}

fn summary(interval: &impl Interval) -> Summary {
    Summary {
        count: interval.count(),
        mean: interval.mean(),
        stddev: interval.stddev(),
        min: interval.min(),
        max: interval.max(),
    }
}

fn answer(stat: &impl IntervalStat, op: &Op) -> Answer {
    match *op {
        Op::Add(sample) => stat.add(sample),
        Op::AddN { samples, sum } => {
            if stat.add_n(samples, sum).is_err() {
                return Answer::Refused;
            }
        }
        Op::Snapshot(emit) => {
            if let Some(snapshot) = stat.snapshot(emit) {
                return Answer::Snapshot {
                    lifetime: snapshot.count,
                    min: snapshot.min,
                    max: snapshot.max,
                    interval: summary(&snapshot.interval),
                };
            }
        }
        Op::LastStat => return Answer::Interval(summary(&stat.last_stat())),
        Op::ResetMinMax => stat.reset_min_max(),
    }
    Answer::Nothing
}

/// Keeps every sample. A batch is kept as integers that differ by one at most,
/// known only by their sum.
#[derive(Default)]
struct Oracle {
    interval: Samples,
    previous: Samples,
    lifetime: u64,
    known: Vec<i64>,
    reported: bool,
}

#[derive(Default, Clone)]
struct Samples {
    known: Vec<i64>,
    batched: Vec<i64>,
}

impl Samples {
    fn all(&self) -> impl Iterator<Item = f64> {
        self.known
            .iter()
            .chain(&self.batched)
            .map(|&sample| sample as f64)
    }

    fn summary(&self) -> Summary {
        let count = self.all().count();
        let mean = self.all().sum::<f64>() / count as f64;
        let squares = self
            .all()
            .map(|sample| (sample - mean).powi(2))
            .sum::<f64>();
        Summary {
            count: count as u64,
            mean: (count > 0).then_some(mean),
            stddev: (count > 1).then(|| (squares / (count - 1) as f64).sqrt()),
            min: self.known.iter().min().copied(),
            max: self.known.iter().max().copied(),
        }
    }
}

impl Oracle {
    fn changed(&self) -> bool {
        self.interval.all().count() > 0
    }

    fn answer(&mut self, op: &Op) -> Answer {
        match *op {
            Op::Add(sample) => {
                self.interval.known.push(sample);
                self.known.push(sample);
            }
            Op::AddN { samples: 0, .. } => return Answer::Refused,
            Op::AddN { samples, sum } => {
                let (count, floor) = (samples as i64, sum.div_euclid(samples as i64));
                let more = sum.rem_euclid(count);
                self.interval
                    .batched
                    .extend((0..count).map(|i| floor + i64::from(i < more)));
            }
            Op::Snapshot(emit) => return self.snapshot(emit),
            Op::LastStat if self.changed() => return Answer::Interval(self.interval.summary()),
            Op::LastStat => return Answer::Interval(self.previous.summary()),
            Op::ResetMinMax => self.known.clear(),
        }
        Answer::Nothing
    }

    /// The first snapshot of a statistic reports even if nothing changed.
    fn snapshot(&mut self, emit: Emit) -> Answer {
        if self.reported && emit == Emit::Changed && !self.changed() {
            return Answer::Nothing;
        }
        self.reported = true;
        let interval = std::mem::take(&mut self.interval);
        self.lifetime += interval.all().count() as u64;
        if interval.all().count() > 0 {
            self.previous = interval.clone();
        }
        Answer::Snapshot {
            lifetime: self.lifetime,
            min: self.known.iter().min().copied(),
            max: self.known.iter().max().copied(),
            interval: interval.summary(),
        }
    }
}

/// A batch counts as equal samples in one statistic and as integers in the
/// other, which is at most the standard deviation of 0 and 1 apart.
const BATCHED: f64 = std::f64::consts::FRAC_1_SQRT_2 + 1e-9;

/// The same up to the rounding of `f64`, and for the standard deviation up to
/// `slack`.
fn close(a: &Summary, b: &Summary, slack: f64) -> bool {
    let scale = a.mean.unwrap_or(0.0).abs() + a.stddev.unwrap_or(0.0);
    let near = |a: Option<f64>, b: Option<f64>, slack: f64| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= slack + 1e-9 * scale,
        (a, b) => a == b,
    };
    (a.count, a.min, a.max) == (b.count, b.min, b.max)
        && near(a.mean, b.mean, 0.0)
        && near(a.stddev, b.stddev, slack)
}

fn agree(a: &Answer, b: &Answer, slack: f64) -> bool {
    match (a, b) {
        (Answer::Interval(a), Answer::Interval(b)) => close(a, b, slack),
        (
            Answer::Snapshot {
                lifetime,
                min,
                max,
                interval,
            },
            Answer::Snapshot {
                lifetime: l,
                min: n,
                max: x,
                interval: i,
            },
        ) => (lifetime, min, max) == (l, n, x) && close(interval, i, slack),
        _ => a == b,
    }
}

proptest! {
    #[test]
    fn both_statistics_and_the_oracle_agree(ops in prop::collection::vec(op(), 1..120)) {
        let labels = Labels::new("Any", "any", "Ops", "Time", Detail::Extended).expect("no label is empty");
        let locked: MutableStat = MutableStat::new(labels.clone());
        let striped: ConcurrentMutableStat = ConcurrentMutableStat::new(labels);
        let mut oracle = Oracle::default();
        let batched = ops.iter().any(|op| matches!(op, Op::AddN { .. }));
        let slack = if batched { BATCHED } else { 0.0 };
        for (index, op) in ops.iter().enumerate() {
            let expected = oracle.answer(op);
            for (name, given) in [("MutableStat", answer(&locked, op)), ("ConcurrentMutableStat", answer(&striped, op))] {
                prop_assert!(agree(&given, &expected, slack), "call {index}, {op:?}: {name} answers {given:?}, the oracle {expected:?}");
            }
        }
    }
}
