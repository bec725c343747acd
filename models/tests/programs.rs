//! The programs on the command line: what is wrong is said at once, and nothing that
//! is there is lost.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use models::readme;

const SOAK: &str = env!("CARGO_BIN_EXE_soak");
const TORTURE: &str = env!("CARGO_BIN_EXE_torture");
const RELIABILITY: &str = env!("CARGO_BIN_EXE_reliability");
const MATRIX: &str = env!("CARGO_BIN_EXE_matrix");

/// Those that write results, and the option that says where.
fn writers() -> Vec<(&'static str, &'static str)> {
    let mut writers = vec![
        (SOAK, "--json"),
        (TORTURE, "--json"),
        (TORTURE, "--csv"),
        (RELIABILITY, "--out"),
    ];
    writers.extend(option_env!("CARGO_BIN_EXE_outcomes").map(|outcomes| (outcomes, "--json")));
    writers
}

fn run(program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn room(name: &str) -> PathBuf {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&room);
    fs::create_dir_all(&room).unwrap();
    room
}

#[test]
fn where_nothing_can_be_written_is_said_before_the_work() {
    let room = room("nowhere");
    for (program, option) in writers() {
        let path = room.join("none/results").display().to_string();
        let output = run(program, &[option, &path]);
        assert_eq!(output.status.code(), Some(2), "{program}");
        assert_eq!(text(&output.stdout), "", "{program}");
        let error = text(&output.stderr);
        assert!(error.contains(&path) && error.contains(option), "{error}");
    }
    assert_eq!(fs::read_dir(room).unwrap().count(), 0, "no folder is made");
}

#[test]
fn what_is_there_stays_until_there_is_more() {
    let room = room("interrupted");
    let file = room.join("results.json");
    for program in [SOAK, TORTURE] {
        fs::write(&file, "earlier").unwrap();
        let mut child = Command::new(program)
            .arg("--json")
            .arg(&file)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "earlier", "{program}");
    }
    assert_eq!(fs::read_dir(room).unwrap().count(), 1);
}

#[test]
fn a_soak_is_written_at_its_end() {
    let file = room("soak").join("results.json");
    fs::write(&file, "earlier").unwrap();
    let path = file.display().to_string();
    let output = run(SOAK, &["--time=1s", "--writers=1", "--json", &path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let soaked = fs::read_to_string(&file).unwrap();
    let soaked: Vec<models::soak::Soaked> = serde_json::from_str(&soaked).unwrap();
    assert_eq!(soaked.len(), text(&output.stdout).lines().count() - 1);
}

#[test]
fn results_that_are_none_are_left_alone() {
    let file = room("damaged").join("results.json");
    fs::write(&file, "[{").unwrap();
    let path = file.display().to_string();
    let output = run(RELIABILITY, &["--out", &path]);
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(
        error.contains(&path) && error.contains("move it away"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "[{");
}

#[test]
fn the_readme_is_written_only_when_asked() {
    // Written with what was there, it would have another time.
    let before = fs::metadata(readme::path()).unwrap().modified().unwrap();
    let help = run(MATRIX, &["--help"]);
    assert!(help.status.success() && text(&help.stdout).contains("README"));
    let wrong = run(MATRIX, &["--chekc"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("'--chekc'"));
    let after = fs::metadata(readme::path()).unwrap().modified().unwrap();
    assert_eq!(after, before);
}
