//! Which cases there are.

use std::collections::BTreeMap;
use std::iter::once;
use std::ops::Range;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::Thrown;
use super::run::{Case, Get, Need, Step, Tells};
use crate::results;
use crate::soak::Soaked;
use crate::statistic::Statistic;
use crate::torture::{Anomalies, Session};

/// How much is thrown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// What continuous integration has time for.
    Quick,
    /// Hours of it.
    Full,
}

impl Effort {
    pub(super) fn flag(self) -> &'static str {
        match self {
            Self::Quick => "",
            Self::Full => " --full",
        }
    }

    fn of<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// Cases that are run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Group {
    /// The unsafe core, interpreted.
    Miri,
    /// The torture, with memory accesses watched.
    Sanitizers,
    /// Threads that come and go.
    Churn,
    /// Panics, stops, forks, no memory, wrap-around.
    Faults,
    /// Random calls, and files that nobody wrote.
    Fuzz,
    /// Every caller at full load.
    Soak,
    /// What it is built of, and for whom.
    Supply,
}

impl Group {
    /// Its name on the command line.
    pub fn name(self) -> String {
        let value = self.to_possible_value().expect("none is skipped");
        value.get_name().to_owned()
    }
}

/// All of them, in the order in which they are shown.
pub fn cases(effort: Effort) -> Vec<Case> {
    vec![
        miri(effort),
        thread_sanitizer(effort),
        address_sanitizer(effort),
        Case {
            name: "threads that come and go",
            group: Group::Churn,
            needs: Vec::new(),
            steps: vec![test("--test churn")],
        },
        Case {
            name: "panics, stops, forks, no memory",
            group: Group::Faults,
            needs: Vec::new(),
            steps: vec![test("--test faults --test stopped --test processes")],
        },
        Case {
            name: "wrap-around",
            group: Group::Faults,
            needs: Vec::new(),
            steps: vec![test("--test wrap_around")],
        },
        Case {
            name: "random calls",
            group: Group::Fuzz,
            needs: Vec::new(),
            steps: vec![sequences(effort)],
        },
        Case {
            name: "damaged files",
            group: Group::Fuzz,
            needs: Vec::new(),
            steps: vec![damaged(effort)],
        },
        fuzzing(effort),
        soak(effort),
        oldest(0),
        oldest(1),
        oldest(2),
        deny(),
        advisories(),
        surface(),
    ]
}

fn sequences(effort: Effort) -> Step {
    let step = test("--test state_machine");
    match effort {
        Effort::Quick => step,
        Effort::Full => step.with("PROPTEST_CASES", "100000"),
    }
}

fn damaged(effort: Effort) -> Step {
    let step = test("--test damaged");
    match effort {
        Effort::Quick => step,
        Effort::Full => step.with("PROPTEST_CASES", "8000"),
    }
}

/// As the tests are built otherwise, so that nothing is built twice.
fn test(which: &str) -> Step {
    Step::new(&format!(
        "cargo test --workspace --all-features {which} -- --nocapture"
    ))
}

const NIGHTLY_MIRI: Need = Need {
    what: "Miri",
    check: "cargo +nightly miri --version",
    get: Get::Try("rustup toolchain install nightly --profile minimal --component miri,rust-src"),
};

const NIGHTLY: Need = Need {
    what: "a nightly toolchain with the sources of std",
    // Changes nothing where they are.
    check: "rustup +nightly component add rust-src",
    get: Get::Try("rustup toolchain install nightly --profile minimal --component rust-src"),
};

const CPP: Need = Need {
    what: "a C++ compiler, to build libFuzzer",
    check: "c++ --version",
    get: Get::Tell("apt-get install g++"),
};

macro_rules! rust {
    ($version:literal) => {
        Need {
            what: concat!("Rust ", $version),
            check: concat!("cargo +", $version, " --version"),
            get: Get::Try(concat!(
                "rustup toolchain install ",
                $version,
                " --profile minimal"
            )),
        }
    };
}

/// What Miri is told, beside the seeds: each model of borrows with the usual and
/// with higher rates of preemption, with weak memory and without.
const MIRI: [(&str, &str); 6] = [
    ("Miri, stacked borrows, preemption 1 %", ""),
    (
        "Miri, stacked borrows, preemption 10 %",
        "-Zmiri-preemption-rate=0.1",
    ),
    (
        "Miri, stacked borrows, preemption 50 %, no weak memory",
        "-Zmiri-preemption-rate=0.5 -Zmiri-disable-weak-memory-emulation",
    ),
    ("Miri, tree borrows, preemption 1 %", "-Zmiri-tree-borrows"),
    (
        "Miri, tree borrows, preemption 10 %",
        "-Zmiri-tree-borrows -Zmiri-preemption-rate=0.1",
    ),
    (
        "Miri, tree borrows, preemption 50 %",
        "-Zmiri-tree-borrows -Zmiri-preemption-rate=0.5",
    ),
];

fn miri(effort: Effort) -> Case {
    let test = |what: &str, flags: &str, which: &str, seeds: Range<u64>| {
        let known = Thrown::new(what, seeds.end - seeds.start, "seeds");
        let seeds = format!("-Zmiri-many-seeds={}..{}", seeds.start, seeds.end);
        let command = "cargo +nightly miri test --package models --test miri --";
        Step::new(&format!("{command} {which}"))
            .with("MIRIFLAGS", format!("{seeds} {flags}").trim_end())
            .telling(Tells::Known(known))
    };
    // At least 200 and 5,000 in all.
    let often = effort.of(34, 834);
    let seldom = effort.of(2, 60);
    let often = MIRI.into_iter().zip(0..).map(|((what, flags), index)| {
        let seeds = often * index..often * (index + 1);
        test(what, flags, "often::", seeds)
    });
    let seldom = [test("Miri, wider tests", "", "seldom::", 0..seldom)];
    let rarely = [test("Miri, performance metrics", "", "rarely::", 0..8)];
    let control = "cargo +nightly miri run --quiet --package models --bin faulty -- race";
    let control = Step::new(control).finding("Data race detected");
    let rarely = rarely.into_iter().filter(|_| effort == Effort::Full);
    Case {
        name: "Miri",
        group: Group::Miri,
        needs: vec![NIGHTLY_MIRI, NIGHTLY],
        steps: once(control)
            .chain(often)
            .chain(seldom)
            .chain(rarely)
            .collect(),
    }
}

/// How programs of this package are built with a sanitizer: for a target, so that
/// build scripts go without, and each in a folder of its own.
struct Sanitizer {
    name: &'static str,
    /// Whether it must see what std does.
    std: &'static str,
}

impl Sanitizer {
    fn run(&self, program: &str) -> Step {
        let Self { name, std } = self;
        let command = format!(
            "cargo +nightly run --quiet{std} --target host-tuple --target-dir target/{name} --package models --bin {program} --"
        );
        Step::new(&command).with("RUSTFLAGS", format!("-Zsanitizer={name}"))
    }

    /// A program with a fault first, which it has to find and report in these words.
    fn case(&self, case: &'static str, fault: &str, words: &'static str, effort: Effort) -> Case {
        Case {
            name: case,
            group: Group::Sanitizers,
            needs: vec![NIGHTLY],
            steps: vec![
                self.run("faulty").and(fault).finding(words),
                self.torture(effort),
                self.soak(effort),
            ],
        }
    }

    fn torture(&self, effort: Effort) -> Step {
        let file = folder().join(format!("{}.json", self.name));
        let step = self
            .run("torture")
            .and(effort.of("--quick", "--seconds=10"));
        let statistics = [
            Statistic::MutableStat,
            Statistic::ConcurrentMutableStat,
            Statistic::Recorder,
        ];
        let step = statistics.into_iter().fold(step, |step, statistic| {
            step.and("--statistic").and(statistic.name())
        });
        let json = format!("--json={}", file.display());
        step.and(&json).telling(Tells::File(file, tortured))
    }

    /// Every caller, with the fences of every machine.
    fn soak(&self, effort: Effort) -> Step {
        let file = folder().join(format!("{}-soak.json", self.name));
        let step = self.run("soak").and(effort.of("--time=24s", "--time=4m"));
        let json = format!("--json={}", file.display());
        step.and(&json).telling(Tells::File(file, |text| {
            soaked(text).map(|callers| vec![in_all("every caller", &callers)])
        }))
    }
}

/// It knows nothing of fences, and needs none of ours to be content: each access to
/// a buffer is ordered by the sequence number or the epoch, which are released and
/// acquired. So nothing is suppressed. What it cannot see is what the fences are
/// there for, that a drain misses no add in flight; the models show that.
fn thread_sanitizer(effort: Effort) -> Case {
    let thread = Sanitizer {
        name: "thread",
        std: " -Zbuild-std",
    };
    let words = "WARNING: ThreadSanitizer: data race";
    thread.case("ThreadSanitizer", "race", words, effort)
}

fn address_sanitizer(effort: Effort) -> Case {
    let address = Sanitizer {
        name: "address",
        std: "",
    };
    let words = "LeakSanitizer: detected memory leaks";
    address.case("AddressSanitizer", "leak", words, effort)
}

fn tortured(text: &str) -> Result<Vec<Thrown>, serde_json::Error> {
    let Session { runs, .. } = serde_json::from_str(text)?;
    let sum = |of: fn(&Anomalies) -> u64| runs.iter().map(|run| of(&run.anomalies)).sum::<u64>();
    Ok(vec![Thrown {
        samples: Some(sum(|of| of.samples)),
        lost: sum(|of| of.lost_samples + of.invented_samples),
        ..Thrown::new("torture", sum(|of| of.intervals), "intervals")
    }])
}

/// As `cargo fuzz` builds them, whose layout `fuzz` has: coverage and
/// AddressSanitizer.
const FUZZED: &str = "--cfg fuzzing -Zsanitizer=address -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

fn fuzzing(effort: Effort) -> Case {
    let run = |target: &str, runs: u64| {
        // New inputs go to the folder, and what fails beside it.
        let corpus = folder().join("corpus");
        let (found, failed) = (
            corpus.join(target),
            corpus.join(format!("failed-{target}-")),
        );
        let command = format!(
            "cargo +nightly run --quiet --manifest-path fuzz/Cargo.toml --target host-tuple --target-dir target/fuzz --bin {target} -- -create_missing_dirs=1 -max_len=4096 -runs={runs}"
        );
        let step = Step::new(&command).with("RUSTFLAGS", FUZZED);
        step.and(&format!("-artifact_prefix={}", failed.display()))
            .and(&found.display().to_string())
    };
    let control = run("faulty", 10_000_000).finding("the fault was met");
    let target = |(target, what, runs): (&str, &str, u64)| {
        let step = run(target, runs).and(&format!("fuzz/corpus/{target}"));
        step.telling(Tells::Known(Thrown::new(what, runs, "runs")))
    };
    let targets = [
        (
            "calls",
            "libFuzzer, calls of both statistics",
            effort.of(50_000, 1_000_000),
        ),
        (
            "results",
            "libFuzzer, what the report reads",
            effort.of(50_000, 1_000_000),
        ),
        (
            "wire",
            "libFuzzer, what processes send each other",
            effort.of(50_000, 1_000_000),
        ),
    ];
    Case {
        name: "libFuzzer",
        group: Group::Fuzz,
        needs: vec![NIGHTLY, CPP],
        steps: once(control)
            .chain(targets.into_iter().map(target))
            .collect(),
    }
}

/// The oldest toolchains that build the library, by what its features' dependencies
/// ask for.
const RUST: [(&str, Need, &str); 3] = [
    (
        "1.85.0",
        rust!("1.85.0"),
        "metering,metrics,opentelemetry,prometheus,serde",
    ),
    ("1.88.0", rust!("1.88.0"), "quantiles"),
    ("1.95.0", rust!("1.95.0"), "lock_api,parking_lot"),
];

fn oldest(index: usize) -> Case {
    let (version, need, features) = RUST[index];
    let command = format!(
        "cargo +{version} check --quiet --package interval-stat --lib --target-dir target/{version} --features"
    );
    let what = format!("build by Rust {version} of all that it promises: {features}");
    let built = Tells::Known(Thrown::new(&what, 1, "build"));
    Case {
        name: need.what,
        group: Group::Supply,
        needs: vec![need],
        steps: vec![Step::new(&command).and(features).telling(built)],
    }
}

const CARGO_DENY: Need = Need {
    what: "cargo-deny",
    check: "cargo deny --version",
    get: Get::Try("cargo install --locked cargo-deny"),
};

/// Licences, sources and versions of what it is built of.
fn deny() -> Case {
    let what = "licences and sources of all dependencies";
    let step = Step::new("cargo deny --workspace check bans licenses sources");
    Case {
        name: "licences and sources",
        group: Group::Supply,
        needs: vec![CARGO_DENY],
        steps: vec![step.telling(Tells::Known(Thrown::new(what, 1, "check")))],
    }
}

/// Known faults of what it is built of: from a database that changes every day, so
/// what held may fail tomorrow.
fn advisories() -> Case {
    let what = "advisories on all dependencies";
    let step = Step::new("cargo deny --workspace check --disable-fetch advisories");
    let database = Need {
        what: "the database of advisories",
        check: "cargo deny fetch db",
        get: Get::Tell("cargo deny fetch db"),
    };
    Case {
        name: "advisories",
        group: Group::Supply,
        needs: vec![CARGO_DENY, database],
        steps: vec![step.telling(Tells::Known(Thrown::new(what, 1, "check")))],
    }
}

/// Every public item, as committed for this version: a line that goes is a breaking
/// change.
fn surface() -> Case {
    let step = Step::new(
        "cargo +nightly public-api --package interval-stat --all-features --color never -sss",
    );
    let compared = Tells::Known(Thrown::new("the public API, item by item", 1, "comparison"));
    Case {
        name: "public API",
        group: Group::Supply,
        needs: vec![
            NIGHTLY,
            Need {
                what: "cargo-public-api",
                check: "cargo public-api --version",
                get: Get::Try("cargo install --locked cargo-public-api"),
            },
        ],
        steps: vec![step.printing("docs/public-api.txt").telling(compared)],
    }
}

fn soak(effort: Effort) -> Case {
    let file = folder().join("soak.json");
    let step = Step::new("cargo soak").and(effort.of("--time=2m", "--time=1h"));
    let json = format!("--json={}", file.display());
    Case {
        name: "full load, every interval checked",
        group: Group::Soak,
        needs: Vec::new(),
        steps: vec![step.and(&json).telling(Tells::File(file, soaked))],
    }
}

fn soaked(text: &str) -> Result<Vec<Thrown>, serde_json::Error> {
    let soaked: Vec<Soaked> = serde_json::from_str(text)?;
    let mut callers = BTreeMap::<&str, Vec<&Soaked>>::new();
    for soaked in &soaked {
        callers.entry(&soaked.caller).or_default().push(soaked);
    }
    let thrown = callers.into_iter().map(|(caller, soaked)| {
        let sum = |of: fn(&Soaked) -> u64| soaked.iter().map(|soaked| of(soaked)).sum::<u64>();
        Thrown {
            samples: Some(sum(|of| of.samples)),
            lost: sum(|of| of.lost),
            ..Thrown::new(caller, sum(|of| of.intervals), "intervals")
        }
    });
    Ok(thrown.collect())
}

/// The sum of rows of one unit.
fn in_all(what: &str, rows: &[Thrown]) -> Thrown {
    let unit = rows.first().map_or("", |row| &row.unit);
    Thrown {
        samples: rows.iter().map(|row| row.samples).sum(),
        lost: rows.iter().map(|row| row.lost).sum(),
        ..Thrown::new(what, rows.iter().map(|row| row.amount).sum(), unit)
    }
}

/// Where programs leave what they say.
pub(super) fn folder() -> PathBuf {
    results::repository().join("target/reliability")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn miri_has_as_many_seeds_as_are_promised() {
        for (effort, promised) in [(Effort::Quick, 200), (Effort::Full, 5_000)] {
            let case = miri(effort);
            let seeds = case.steps.iter().flat_map(Step::known);
            let often = seeds.filter(|thrown| thrown.what.contains("preemption"));
            let seeds: u64 = often.map(|thrown| thrown.amount).sum();
            assert!(seeds >= promised, "{seeds} seeds");
        }
    }

    #[test]
    fn names_tell_cases_apart() {
        let mut names: Vec<_> = cases(Effort::Full).iter().map(|case| case.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
