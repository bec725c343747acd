//! A whole report, small, and the committed one.

use benches::{Burst, Crowd, Latency, Paced, Reader, Steady};
use models::torture::{Course, Run, Session};
use report::{
    Data, Destination, Effort, PerformancePlan, Plan, Progress, Repeated, Report, courses_for,
    gather, models_for,
};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

/// Everything a full run does, in a fraction of a second.
fn tiny() -> Plan {
    Plan {
        effort: Effort::Quick,
        threads: "1,3".parse().unwrap(),
        burst: Repeated {
            rounds: 2,
            scenario: Burst {
                warm_up: 1,
                bursts: 3,
                adds: 20,
            },
        },
        steady: window(),
        locks: window(),
        performance: Some(tiny_performance()),
    }
}

fn tiny_performance() -> PerformancePlan {
    let twice_a_window = Some(Reader { per_second: 500 });
    PerformancePlan {
        few: "1,3".parse().unwrap(),
        beside_reader: "3".parse().unwrap(),
        readers: vec![0, 500],
        peers: window(),
        paced: twice(Paced {
            warm_up: 1,
            turns: 2,
        }),
        operations: window(),
        read: window(),
        latency: twice(Latency {
            warm_up: Duration::from_millis(1),
            window: Duration::from_millis(3),
            reader: twice_a_window,
        }),
        crowd: twice(Crowd {
            window: Duration::from_millis(3),
            reader: Reader { per_second: 500 },
        }),
        quiet_drains: 3,
    }
}

fn window() -> Repeated<Steady> {
    twice(Steady {
        warm_up: Duration::from_millis(1),
        window: Duration::from_millis(3),
        reader: None,
    })
}

fn twice<S>(scenario: S) -> Repeated<S> {
    Repeated {
        rounds: 2,
        scenario,
    }
}

/// All that a default run does, for a moment each.
fn courses() -> Vec<Course> {
    let mut courses = courses_for(Effort::Standard);
    for course in &mut courses {
        course.limit = Duration::from_millis(5);
    }
    courses
}

/// The run as if it had had the samples of a full one.
fn full(run: &Run) -> Run {
    let mut run = run.clone();
    run.anomalies.samples = 1_000_000_000;
    run
}

fn data() -> Data {
    static DATA: LazyLock<Data> = LazyLock::new(|| {
        let models: Vec<_> = models_for(Effort::Quick).into_iter().take(3).collect();
        let mut data = gather(tiny(), &models, &courses(), None, &Progress::silent());
        data.full_torture = Some(Session {
            environment: data.environment.clone(),
            runs: data.torture.iter().map(full).collect(),
        });
        data
    });
    DATA.clone()
}

#[test]
fn the_page_needs_no_other_file_and_tells_what_was_found() {
    let report = Report::of(&data()).unwrap();
    let page = report.file("index.html").unwrap();
    for reference in ["http://", "https://", "src=", "<link", "@import", "<script"] {
        let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!elsewhere.contains(reference), "{reference}");
    }
    assert_eq!(
        page.matches("<svg ").count(),
        page.matches("</svg>").count()
    );
    assert!(page.matches("<svg ").count() >= 6);
    for part in [
        "In full",
        "Acceptable",
        "violated",
        "loom 0.7.3",
        "G ops/ms",
        "1: the same",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn the_tables_hold_every_measurement() {
    let data = data();
    let report = Report::of(&data).unwrap();
    let rows = |name| {
        let mut table = csv::Reader::from_reader(report.file(name).unwrap().as_bytes());
        assert!(table.headers().unwrap().len() >= 3, "{name}");
        table.records().map(Result::unwrap).count()
    };
    assert_eq!(rows("burst.csv"), data.burst.0.len());
    assert_eq!(rows("steady.csv"), data.steady.0.len());
    assert_eq!(rows("locks.csv"), data.locks.0.len());
    let performance = data.performance.as_ref().unwrap();
    assert_eq!(rows("peers.csv"), performance.peers.0.len());
    assert_eq!(rows("paced.csv"), performance.paced.0.len());
    assert_eq!(rows("operations.csv"), performance.operations.0.len());
    let beside_none = performance.read[0].measured.0.len();
    assert_eq!(rows("readers.csv"), 2 * beside_none);
    assert_eq!(
        rows("latency.csv"),
        2 * performance.latency[0].measured.0.len()
    );
    assert_eq!(rows("stopped.csv"), performance.stopped.0.len());
    assert_eq!(rows("drains.csv"), performance.crowd.0.len());
    assert_eq!(rows("quiet-drains.csv"), performance.quiet_drains.len());
    assert_eq!(rows("targets.csv"), 2 * 8 + 2);
    // Two thread counts are too few to fit a law to.
    assert_eq!(rows("scale.csv"), 8);
    assert_eq!(rows("torture.csv"), courses().len());
    assert_eq!(
        rows("outcomes.csv"),
        data.outcomes
            .iter()
            .map(|table| table.rows.len())
            .sum::<usize>()
    );
    assert_eq!(rows("models.csv"), 3);
    assert_eq!(rows("verdicts.csv"), 3 * 7);
    assert_eq!(rows("published.csv"), 24);
    assert!(rows("summary.csv") > 100);
}

#[test]
fn a_report_is_drawn_again_from_its_data() {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path().join("report");
    let report = Report::of(&data()).unwrap();
    Destination::new(&folder).unwrap().publish(&report).unwrap();
    let again = Report::open(&folder).unwrap();
    assert_eq!(Report::of(&again).unwrap(), report);
}

#[test]
fn faults_stand_on_the_page() {
    let mut data = data();
    assert_eq!(data.faults(), Vec::<String>::new());
    data.models[0].shortfall = Some("a <deadlock>".to_owned());
    data.burst.0[1].figure.samples_kept = Some(false);
    data.steady.0[1].figure.in_window = false;
    data.locks.0[1].figure.in_window = false;
    let performance = data.performance.as_mut().unwrap();
    performance.peers.0[1].figure.in_window = false;
    performance.latency[1].measured.0[2].figure.samples_kept = Some(false);
    let ours = &mut data.torture.last_mut().unwrap();
    ours.anomalies.impossible = 1;
    data.full_torture.as_mut().unwrap().runs[0]
        .anomalies
        .impossible = 1;
    let faults = data.faults();
    assert_eq!(faults.len(), 8, "{faults:?}");
    let report = Report::of(&data).unwrap();
    assert!(
        report
            .file("index.html")
            .unwrap()
            .contains("a &lt;deadlock&gt;")
    );
}

/// The committed report is what its data says, drawn as it is drawn today.
#[test]
fn the_committed_report_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("latest");
    if !folder.exists() {
        return;
    }
    let report = Report::of(&Report::open(&folder).unwrap()).unwrap();
    for name in report.names() {
        let committed = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(
            report.file(name) == Some(committed.as_str()),
            "{name}: draw it again: cargo reports --redraw reports/latest --out reports/latest"
        );
    }
}
