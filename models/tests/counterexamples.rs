//! The searches find the smallest executions that can be derived by hand, and
//! the commands answer every call in one line or with a table.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::LazyLock;

use models::counterexample::Counterexample;
use models::counterexample::catalogue;
use models::statistic::Statistic;
use models::verdicts::Manifest;

/// An add to a sum or count nobody else is at: the length of the cells, the base,
/// the compare-and-swap.
const ADDED: usize = 3;
/// An update of min or max, and one that would change nothing.
const LANDED: usize = 3;
const SKIPPED: usize = 2;
/// A first add.
const FIRST: usize = 2 * ADDED + 2 * LANDED;
/// An add that changes one extreme, or none.
const ONE_EXTREME: usize = 2 * ADDED + LANDED + SKIPPED;
const NO_EXTREME: usize = 2 * ADDED + 2 * SKIPPED;
/// A drain: its lock and its unlocking, and the length of the cells and the
/// exchange for each of four accumulators, or for the count, which is 0.
const DRAIN: usize = 2 + 4 * 2;
const NOTHING: usize = 2 + 2;

static ALL: LazyLock<Vec<Counterexample>> = LazyLock::new(catalogue::all);

fn found(name: &str) -> &'static Counterexample {
    let found = ALL.iter().find(|found| found.subject.name == name);
    found.expect("it is found")
}

/// Preemptions, steps and samples of the smallest.
#[track_caller]
fn assert_smallest(name: &str, size: (usize, usize, usize), program: &str) {
    let found = found(name);
    let preemptions = found.preemptions.expect("they are counted");
    assert_eq!((preemptions, found.steps, found.samples), size, "{found}");
    assert_eq!(found.subject.program, program);
}

/// Four samples, of which two are the rest, with a spread of their own.
#[test]
fn o1_takes_no_race() {
    let steps = FIRST + NO_EXTREME + ONE_EXTREME + NO_EXTREME + DRAIN;
    assert_smallest(
        "O1",
        (0, steps, 4),
        "add 1, add 1, add 9, add 9; then drain",
    );
}

/// The design adds a third sample. Two will do: nothing comes back of what was
/// lost, whatever follows. 100 leaves the min at 5, and the drain comes before
/// its max lands.
#[test]
fn o2_takes_two_samples() {
    let steps = FIRST + ONE_EXTREME + DRAIN + NOTHING;
    assert_smallest("O2", (1, steps, 2), "add 5, add 100 | drain; then drain");
}

/// The design has three samples. Two will do: the stale 3 is the min of the next
/// interval, whose only sample is 4.
#[test]
fn o3_takes_two_samples() {
    let steps = FIRST + DRAIN + ONE_EXTREME + DRAIN;
    assert_smallest("O3", (1, steps, 2), "add 3, add 4 | drain; then drain");
}

/// As in the design: of fewer than three the sum is thrown away anyway.
#[test]
fn o4_takes_four_samples() {
    let steps = FIRST + NO_EXTREME + NO_EXTREME + DRAIN + FIRST + DRAIN;
    let program = "add 10, add 10, add 10, add 1000 | drain; then drain";
    assert_smallest("O4", (1, steps, 4), program);
    let found = found("O4");
    assert!(
        found.reported[2].starts_with("together: n 4, sum 2030,"),
        "{found}"
    );
    assert!(
        found.right[0].starts_with("together: n 4, sum 1030,"),
        "{found}"
    );
    let fatal = found.table.fatal.expect("a step decides it");
    assert!(
        found.table.rows[fatal]
            .entry
            .to_string()
            .starts_with("swap max.base 10")
    );
}

/// The look takes the four, then hands on a batch and reads the last interval,
/// each under a lock.
#[test]
fn o5_takes_a_look_beside_a_drain() {
    let look = 4 * 2 + 2 + 2;
    let steps = FIRST + look + NO_EXTREME + DRAIN + NOTHING;
    let program = "add 10 | add 10 | drain | look; then drain";
    assert_smallest("O5", (1, steps, 2), program);
}

#[test]
fn o6_takes_one_sample() {
    let steps = ONE_EXTREME + DRAIN;
    assert_smallest("O6", (0, steps, 1), "add 9223372036854775807; then drain");
}

/// As in the design. With one writer in place of two it takes two preemptions.
#[test]
fn o7_takes_a_drain_that_is_overtaken() {
    let steps = FIRST + DRAIN + ONE_EXTREME + DRAIN;
    assert_smallest("O7", (1, steps, 2), "add 10 | add 3 | drain; then drain");
}

/// A read and a store in place of an exchange, and the add between the two.
#[test]
fn a_count_is_lost_on_jdk_8() {
    let nothing = 2 + 3;
    let steps = FIRST + nothing + nothing;
    assert_smallest("G1-jdk8", (1, steps, 1), "add 1 | drain; then drain");
}

/// The look has taken the count, and the snapshot beside it finds none.
#[test]
fn a_look_keeps_from_a_drain_what_is_due() {
    let look = 4 * 2 + 2 + 2;
    let steps = FIRST + look + NOTHING + NOTHING;
    assert_smallest("G7", (1, steps, 1), "add 1 | drain | look; then drain");
}

/// A count that is read twice before it is reset. On JDK 8 a reset is one step
/// more.
#[test]
fn two_drains_count_a_sample_twice_on_jdk_8() {
    let (look, drain, nothing) = (4 * 3 + 2 + 2, 2 + 4 * 3, 2 + 3);
    let steps = FIRST + look + drain + nothing;
    let program = "add 1 | drain | look; then drain";
    assert_smallest("G7-jdk8", (1, steps, 1), program);
    let found = found("G7-jdk8");
    assert!(
        found.reported[2].starts_with("together: n 2, sum 1,"),
        "{found}"
    );
}

/// Registration, five steps of the add up to its access, six of the drain.
#[test]
fn a_drain_that_waits_for_nobody_takes_one_preemption() {
    assert_smallest("no-wait", (1, 4 + 5 + 6, 1), "add 1 | drain; then drain");
}

/// For these the drafts were rejected: an add behind the one that was read over,
/// and an add behind two drains.
#[test]
fn the_drafts_are_rejected_for_their_reasons() {
    let opening = found("opening-store-relaxed");
    assert_eq!(opening.subject.program, "add 1, add 2 | drain; then drain");
    let epoch = found("epoch-relaxed");
    assert_eq!(epoch.subject.program, "add 1 | drain, drain; then drain");
    for draft in [opening, epoch] {
        assert!(draft.fault.starts_with("Causality violation"), "{draft}");
        assert_eq!(draft.table.fatal, Some(draft.table.rows.len() - 1));
    }
}

#[test]
fn all_are_found_and_every_search_gives_the_same() {
    let names: Vec<&str> = ALL
        .iter()
        .map(|found| found.subject.name.as_str())
        .collect();
    let cases = catalogue::cases();
    let expected: Vec<&str> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names, expected);
    for name in ["O7", "G6", "no-wait", "opening-store-relaxed"] {
        let again = catalogue::find(name).and_then(|case| case.search());
        assert_eq!(again.as_ref(), Some(found(name)));
    }
}

#[test]
fn every_violation_by_the_merged_algorithm_has_a_case() {
    let manifest = Manifest::load();
    let merged = manifest
        .expected()
        .iter()
        .filter(|row| row.statistic == Statistic::MergedJdk9);
    for guarantee in merged.flat_map(|row| &row.violated) {
        let name = format!("{guarantee:?}");
        assert!(catalogue::find(&name).is_some(), "{name}");
    }
}

#[test]
fn every_table_fits_the_terminal() {
    for found in ALL.iter() {
        let text = found.to_string();
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(120), "{widest:?} in\n{text}");
    }
}

fn run(command: &str, arguments: &[&str]) -> Output {
    let run = Command::new(command).args(arguments).output();
    run.expect("the command starts")
}

fn counterexample(arguments: &[&str]) -> Output {
    run(env!("CARGO_BIN_EXE_counterexample"), arguments)
}

fn replay(arguments: &[&str]) -> Output {
    run(env!("CARGO_BIN_EXE_replay"), arguments)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn without_a_name_all_are_listed() {
    let listed = counterexample(&[]);
    assert!(listed.status.success());
    let lines = text(&listed.stdout);
    assert_eq!(lines.lines().count(), catalogue::cases().len());
    assert!(
        lines.contains("O4                     a sample is summed twice"),
        "{lines}"
    );
}

#[test]
fn a_wrong_name_gets_the_list_and_fails() {
    let wrong = counterexample(&["O9"]);
    assert_eq!(wrong.status.code(), Some(1));
    let error = text(&wrong.stderr);
    assert!(
        error.starts_with("error: there is no counterexample O9; there are\n"),
        "{error}"
    );
    assert!(error.contains("a sample is summed twice"), "{error}");
}

#[test]
fn the_picture_is_written_where_asked() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("o6.svg");
    let shown = counterexample(&["O6", "--svg", &file.to_string_lossy()]);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("<svg"));
    let unwritable = counterexample(&["O6", "--svg", "/no/such/folder/o6.svg"]);
    assert_eq!(unwritable.status.code(), Some(2));
    assert!(text(&unwritable.stderr).contains("/no/such/folder/o6.svg"));
    assert!(unwritable.stdout.is_empty());
}

#[test]
fn what_is_no_schedule_cannot_be_replayed() {
    let missing = replay(&["/no/such/file"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).starts_with("error: cannot read /no/such/file: "));

    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no-schedule.json");
    std::fs::write(&file, "{}").unwrap();
    let wrong = replay(&[&file.to_string_lossy()]);
    assert_eq!(wrong.status.code(), Some(1));
    let error = text(&wrong.stderr);
    assert!(
        error.contains("is no schedule that a failing model left"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// A recording of two threads, with one thing changed.
fn recording(name: &str, change: impl FnOnce(&mut serde_json::Value)) -> PathBuf {
    let mut recording = serde_json::json!({
        "tool": models::explore::shuttle::TOOL,
        "model": {
            "statistic": "Recorder",
            "scenario": { "kind": "relay", "writers": 1, "drains": 1 },
            "search": { "Shuttle": { "scheduler": "Random", "schedules": 1 } },
        },
        "mutant": null,
        "schedule": [0, 0, 1],
        "draws": [],
    });
    change(&mut recording);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    std::fs::write(&file, recording.to_string()).unwrap();
    file
}

#[test]
fn what_cannot_have_been_recorded_is_refused_by_name() {
    use serde_json::{Value, json};
    let cases: [(&str, &str, Value, &str); 6] = [
        ("thread", "/schedule/2", json!(7), "decision 3 is thread 7"),
        (
            "far",
            "/schedule/0",
            json!(1_u64 << 63),
            "decision 1 is thread 9223372036854775808",
        ),
        (
            "many",
            "/model/scenario/writers",
            json!(100_000),
            "100001 threads",
        ),
        (
            "loom",
            "/model/search",
            json!({ "Loom": { "preemptions": 1 } }),
            "loom",
        ),
        (
            "tool",
            "/tool",
            json!("shuttle 0.1\n"),
            r#""shuttle 0.1\n""#,
        ),
        ("draws", "/draws", json!(null), "is no schedule"),
    ];
    for (name, place, value, expected) in cases {
        let file = recording(name, |recording| {
            *recording.pointer_mut(place).expect("it is there") = value;
        });
        let refused = replay(&[&file.to_string_lossy()]);
        assert_eq!(refused.status.code(), Some(1), "{name}");
        let error = text(&refused.stderr);
        assert!(error.contains(&*file.to_string_lossy()), "{error}");
        assert!(error.contains(expected), "{expected:?} in {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn a_replay_says_where_it_left_the_schedule() {
    let file = recording("short", |_| ());
    let short = replay(&[&file.to_string_lossy()]);
    assert!(short.status.success());
    let said = text(&short.stderr);
    assert_eq!(
        said,
        "not the execution that was recorded: after 3 decisions, nothing more is recorded, and \
         the execution goes on\n"
    );
}
