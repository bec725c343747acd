//! A fleet of processes, each with samples of its own, added up from what they
//! report: the same to the last bit, in whatever order, as if one process had had
//! them all.
//!
//! The test starts itself as the members of the fleet.

use std::fmt::Debug;
use std::process::{Command, Stdio};
use std::sync::Arc;

use interval_stat::registry::{Registry, Report, Source};
use interval_stat::runtime::Std;
use interval_stat::{
    ConcurrentMutableStat, Detail, Distribution, Emit, Interval, IntervalStat, Labels, Moments,
    Quantile,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

const MEMBERS: u64 = 5;
const SAMPLES: u64 = 10_000;

/// What members report.
trait Reported: Interval + PartialEq + Debug + Serialize + DeserializeOwned {
    /// Its name on a member's command line.
    const NAME: &'static str;
}

impl Reported for Moments {
    const NAME: &'static str = "moments";
}

impl Reported for Distribution {
    const NAME: &'static str = "distributions";
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(Moments::NAME) => be_member::<Moments>(member(arguments)),
        Some(Distribution::NAME) => be_member::<Distribution>(member(arguments)),
        // What `cargo test` may pass: there is one test here.
        Some("--list") => println!("fleet: test"),
        _ => {
            let all = add_up::<Moments>();
            assert!(
                all.sum_of_squares().bits() > 128,
                "the squares take more than two words"
            );
            let all = add_up::<Distribution>();
            let median = all.quantile(Quantile::HADOOP[0]);
            println!("the median of the fleet is {median:?}");
        }
    }
}

fn member(mut arguments: impl Iterator<Item = String>) -> u64 {
    let member = arguments.next().expect("which member");
    member.parse().expect("a number")
}

/// Splitmix64: samples over the whole range of `i64`.
fn samples(member: u64) -> impl Iterator<Item = i64> {
    (0..SAMPLES).map(move |index| {
        let mut x = (member * SAMPLES + index).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        i64::from_ne_bytes((x ^ (x >> 31)).to_ne_bytes())
    })
}

/// Adds its samples from two threads, a reporter beside them, and prints each
/// report as a line of JSON.
fn be_member<I: Reported>(member: u64) {
    let labels = Labels::new("Load", "samples", "Ops", "Value", Detail::Basic);
    let stat = ConcurrentMutableStat::<Std, I>::new(labels.expect("no label is empty"));
    let stat = Arc::new(stat);
    let registry = Registry::new();
    let source = Arc::clone(&stat);
    registry
        .register("Member", "a member", move |emit| source.readings(emit))
        .expect("its name is free");
    let report = || {
        let report = registry.snapshot(Emit::All);
        println!(
            "{}",
            serde_json::to_string(&*report).expect("a report is JSON")
        );
    };
    std::thread::scope(|scope| {
        for half in 0..2 {
            let stat = &stat;
            scope.spawn(move || {
                samples(member)
                    .skip(half)
                    .step_by(2)
                    .for_each(|sample| stat.add(sample))
            });
        }
        (0..4).for_each(|_| report());
    });
    report();
}

/// The intervals that a member reported.
fn intervals<I: Reported>(member: u64) -> Vec<I> {
    let this = std::env::current_exe().expect("this program is somewhere");
    let mut command = Command::new(this);
    let command = command
        .args([I::NAME, &member.to_string()])
        .stderr(Stdio::inherit());
    let output = command.output().expect("it starts");
    assert!(
        output.status.success(),
        "member {member}: {}",
        output.status
    );
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let reports = text
        .lines()
        .map(|line| serde_json::from_str::<Report<I>>(line).expect("a report"));
    let interval = |report: Report<I>| {
        let reading = report.get("Member", "Load").expect("its statistic");
        reading.snapshot.interval.clone()
    };
    reports.map(interval).collect()
}

fn merged<'a, I: Reported>(intervals: impl IntoIterator<Item = &'a I>) -> I {
    intervals
        .into_iter()
        .fold(I::default(), |mut all, interval| {
            all.merge(interval);
            all
        })
}

/// What the fleet has in all.
fn add_up<I: Reported>() -> I {
    let by_member: Vec<Vec<I>> = (0..MEMBERS).map(intervals).collect();
    let all: Vec<&I> = by_member.iter().flatten().collect();
    let mut expected = I::default();
    (0..MEMBERS)
        .flat_map(samples)
        .for_each(|sample| expected.record(sample));

    assert_eq!(merged(all.iter().copied()), expected, "as they came");
    assert_eq!(
        merged(all.iter().copied().rev()),
        expected,
        "the other way round"
    );
    let members: Vec<I> = by_member.iter().map(merged).collect();
    assert_eq!(merged(&members), expected, "member by member");
    let (even, odd): (Vec<_>, Vec<_>) = all
        .iter()
        .copied()
        .enumerate()
        .partition(|(at, _)| at % 2 == 0);
    let halves = [even, odd].map(|half| merged(half.into_iter().map(|(_, interval)| interval)));
    assert_eq!(merged(&halves), expected, "half by half");

    assert_eq!(expected.count(), MEMBERS * SAMPLES);
    println!(
        "{MEMBERS} processes, {} intervals of {}: {} samples, mean {:?}, deviation {:?}, exact in every order",
        all.len(),
        I::NAME,
        expected.count(),
        expected.mean(),
        expected.stddev()
    );
    expected
}
