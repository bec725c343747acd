//! A whole report, small, and the committed one.

use benches::{Burst, Steady};
use report::{
    Data, Destination, Effort, Guarantee, Model, ModelRun, Plan, Progress, Repeated, Report,
    Verdict, gather,
};
use std::path::Path;
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
        steady: Repeated {
            rounds: 2,
            scenario: Steady {
                warm_up: Duration::from_millis(1),
                window: Duration::from_millis(3),
            },
        },
    }
}

/// A model that finds what it is told to.
struct Told(Option<&'static str>);

impl Model for Told {
    fn name(&self) -> String {
        "told".to_owned()
    }

    fn expected(&self) -> Duration {
        Duration::ZERO
    }

    fn run(&self) -> ModelRun {
        let verdicts = [
            (Guarantee::G1, Verdict::Holds),
            (Guarantee::G6, Verdict::Violated),
        ];
        ModelRun {
            tool: "loom <0.7>".to_owned(),
            statistic: "MutableStat".to_owned(),
            scenario: "1 writer x 1 add x 1 drain".to_owned(),
            search: "no preemption bound".to_owned(),
            exhaustive: true,
            executions: 1234,
            seconds: 0.5,
            verdicts: verdicts.into(),
            failure: self.0.map(str::to_owned),
        }
    }
}

fn data(failure: Option<&'static str>) -> Data {
    let models: Vec<Box<dyn Model>> = vec![Box::new(Told(failure))];
    gather(tiny(), &models, &Progress::silent())
}

#[test]
fn the_page_needs_no_other_file_and_tells_what_was_found() {
    let report = Report::of(&data(None)).unwrap();
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
        "violated",
        "1\u{202f}234",
        "loom &lt;0.7&gt;",
        "G ops/ms",
        "1: the same",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn the_tables_hold_every_measurement() {
    let data = data(None);
    let report = Report::of(&data).unwrap();
    let rows = |name| {
        let mut table = csv::Reader::from_reader(report.file(name).unwrap().as_bytes());
        assert!(table.headers().unwrap().len() > 3, "{name}");
        table.records().map(Result::unwrap).count()
    };
    assert_eq!(rows("burst.csv"), data.burst.0.len());
    assert_eq!(rows("steady.csv"), data.steady.0.len());
    assert_eq!(rows("models.csv"), 1);
    assert_eq!(rows("verdicts.csv"), 2);
    assert_eq!(rows("published.csv"), 24);
    assert!(rows("summary.csv") > 100);
}

#[test]
fn a_report_is_drawn_again_from_its_data() {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path().join("report");
    let report = Report::of(&data(None)).unwrap();
    Destination::new(&folder).unwrap().publish(&report).unwrap();
    let again = Report::open(&folder).unwrap();
    assert_eq!(Report::of(&again).unwrap(), report);
}

#[test]
fn faults_stand_on_the_page() {
    let data = data(Some("a deadlock"));
    let faults = data.faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    let report = Report::of(&data).unwrap();
    assert!(report.file("index.html").unwrap().contains("a deadlock"));
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
