//! The command line: what is wrong is said in one line, and no report is lost.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_report"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary runs")
}

/// The one line of complaint.
fn complaint(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[track_caller]
fn names(complaint: &str, parts: &[&str]) {
    for part in parts {
        assert!(complaint.contains(part), "'{part}' in: {complaint}");
    }
}

#[test]
fn help_lists_the_options() {
    let output = run(&["--help"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    names(
        &text,
        &[
            "--quick",
            "--full",
            "--threads",
            "--out",
            "--redraw",
            "9 minutes",
        ],
    );
}

#[test]
fn unknown_options_are_named() {
    names(&complaint(&["--qick"]), &["--qick", "--quick", "--help"]);
    names(&complaint(&["page"]), &["page", "--help"]);
    names(&complaint(&["--quick", "--full"]), &["--quick", "--full"]);
    names(&complaint(&["--threads"]), &["--threads"]);
}

#[test]
fn absurd_thread_counts_are_named() {
    let right = "1 to 1024";
    names(&complaint(&["--threads", "0"]), &["'0'", right]);
    names(&complaint(&["--threads", "1,9999"]), &["'9999'", right]);
    names(&complaint(&["--threads=-3"]), &["'-3'", right]);
    names(&complaint(&["--threads", "1,two"]), &["'two'", right]);
    names(&complaint(&["--threads", ""]), &["''", right]);
    names(&complaint(&["--threads", "2,1,2"]), &["2,1,2", "twice"]);
}

#[test]
fn folders_that_cannot_be_written_are_named() {
    for bad in ["/dev/null/report", "/proc/report", "/"] {
        names(&complaint(&["--out", bad]), &["--out", bad]);
    }
}

#[test]
fn a_half_written_report_is_refused_and_stays() {
    let room = tempfile::tempdir().unwrap();
    let page = room.path().join("index.html");
    fs::write(&page, "half").unwrap();
    let folder = room.path().to_str().unwrap();
    names(&complaint(&["--out", folder]), &[folder, "another folder"]);
    assert_eq!(fs::read_to_string(page).unwrap(), "half");
}

#[test]
fn a_report_that_is_not_there_cannot_be_redrawn() {
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("out");
    let arguments = ["--out", out.to_str().unwrap(), "--redraw", "/no/such"];
    names(&complaint(&arguments), &["--redraw", "/no/such"]);
    assert!(!out.exists());
}

#[test]
fn control_characters_of_a_file_are_escaped() {
    let room = tempfile::tempdir().unwrap();
    let latest = Path::new(env!("CARGO_MANIFEST_DIR")).join("latest/data.json");
    let data = fs::read_to_string(latest).unwrap();
    let damaged = data.replacen("\"Recorder\"", r#""Rec\n\u001b[31morder""#, 1);
    assert_ne!(damaged, data);
    fs::write(room.path().join("data.json"), damaged).unwrap();
    let out = room.path().join("out");
    let [out, earlier] = [&out, room.path()].map(|path| path.to_str().unwrap());
    let complaint = complaint(&["--out", out, "--redraw", earlier]);
    names(&complaint, &["data.json", r"Rec\n\u{1b}[31morder"]);
}

#[test]
fn an_interrupted_run_leaves_the_report_before_it() {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path().join("report");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(".interval-stat-report"), "").unwrap();
    fs::write(folder.join("index.html"), "earlier").unwrap();
    let mut child = command(&[
        "--full",
        "--threads",
        "1",
        "--out",
        folder.to_str().unwrap(),
    ])
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    assert_eq!(page, "earlier");
    assert_eq!(entries(room.path()), 1);
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}
