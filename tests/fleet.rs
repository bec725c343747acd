//! A fleet of processes, each with samples of its own, added up from what they
//! report: the same to the last bit, in whatever order, as if one process had had
//! them all.
//!
//! The test starts itself as the members of the fleet.

use std::process::{Command, Stdio};

use interval_stat::registry::{Registry, Report, Source};
use interval_stat::{
    Accumulator, ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels, Moments,
};

const MEMBERS: u64 = 5;
const SAMPLES: u64 = 10_000;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("member") => {
            let member = std::env::args().nth(2).expect("which member");
            be_member(member.parse().expect("a number"));
        }
        // What `cargo test` may pass: there is one test here.
        Some("--list") => println!("fleet: test"),
        _ => add_up(),
    }
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
fn be_member(member: u64) {
    static STAT: std::sync::LazyLock<ConcurrentMutableStat> = std::sync::LazyLock::new(|| {
        let labels = Labels::new("Load", "samples", "Ops", "Value", Detail::Basic);
        ConcurrentMutableStat::new(labels.expect("no label is empty"))
    });
    let registry = <Registry>::new();
    let readings = |emit| STAT.readings(emit);
    registry
        .register("Member", "a member", readings)
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
            scope.spawn(move || {
                samples(member)
                    .skip(half)
                    .step_by(2)
                    .for_each(|sample| STAT.add(sample))
            });
        }
        (0..4).for_each(|_| report());
    });
    report();
}

/// The intervals that a member reported.
fn intervals(member: u64) -> Vec<Moments> {
    let this = std::env::current_exe().expect("this program is somewhere");
    let mut command = Command::new(this);
    let command = command
        .args(["member", &member.to_string()])
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
        .map(|line| serde_json::from_str::<Report>(line).expect("a report"));
    let interval = |report: Report| {
        report
            .get("Member", "Load")
            .expect("its statistic")
            .snapshot
            .interval
    };
    reports.map(interval).collect()
}

fn merged<'a>(intervals: impl IntoIterator<Item = &'a Moments>) -> Moments {
    intervals
        .into_iter()
        .fold(Moments::EMPTY, |mut all, interval| {
            all.merge(interval);
            all
        })
}

fn add_up() {
    let by_member: Vec<Vec<Moments>> = (0..MEMBERS).map(intervals).collect();
    let all: Vec<Moments> = by_member.iter().flatten().copied().collect();
    let mut expected = Moments::EMPTY;
    (0..MEMBERS)
        .flat_map(samples)
        .for_each(|sample| expected.record(sample));

    assert_eq!(merged(&all), expected, "as they came");
    assert_eq!(merged(all.iter().rev()), expected, "the other way round");
    let members: Vec<Moments> = by_member.iter().map(merged).collect();
    assert_eq!(merged(&members), expected, "member by member");
    let (even, odd): (Vec<_>, Vec<_>) = all.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let halves = [even, odd].map(|half| merged(half.into_iter().map(|(_, interval)| interval)));
    assert_eq!(merged(&halves), expected, "half by half");

    assert_eq!(expected.count(), MEMBERS * SAMPLES);
    assert!(
        expected.sum_of_squares().bits() > 128,
        "the squares take more than two words"
    );
    println!(
        "{MEMBERS} processes, {} intervals: {} samples, mean {:?}, deviation {:?}, exact in every order",
        all.len(),
        expected.count(),
        expected.mean(),
        expected.stddev()
    );
}
