//! Replays what the real `MutableStat` of Hadoop 3.4.1 answered (see
//! `golden/README.md`), and compares every double by its bits.

use interval_stat::hadoop::{JavaDouble, Metric, SampleStat, Value};
use interval_stat::{Detail, Emit, IntervalStat, Labels, MutableStat, Snapshot, Welford};
use serde_json::Value as Json;

/// A difference between the answer expected and the one given.
type Difference = String;

#[test]
fn every_sequence_is_answered_as_by_hadoop() {
    let cases = cases();
    assert_eq!(cases.len(), 360);
    for case in &cases {
        if let Err(difference) = replay(case) {
            panic!("{}: {difference}", case["id"]);
        }
    }
}

/// The comparison is worth something: no answer can be off by the least amount
/// and pass.
#[test]
fn every_perturbed_answer_is_noticed() {
    for case in cases().iter().step_by(30) {
        let answers = answers(case);
        assert!(!answers.is_empty());
        for pointer in answers {
            let mut perturbed = case.clone();
            perturb(perturbed.pointer_mut(&pointer).unwrap());
            let outcome = replay(&perturbed);
            assert!(outcome.is_err(), "{}: {pointer} was ignored", case["id"]);
        }
    }
}

#[test]
fn every_missing_metric_is_noticed() {
    let mut cases = cases();
    let snapshots = cases[0]["ops"].as_array_mut().unwrap().iter_mut();
    let record = snapshots
        .filter(|op| op[0] == "snapshot")
        .find_map(|op| op[2].as_array_mut());
    record.unwrap().pop();
    assert!(replay(&cases[0]).is_err());
}

#[test]
fn doubles_are_laid_out_as_by_java() {
    let mut seen = 0;
    for case in cases() {
        for pointer in answers(&case) {
            let Some(parent) = pointer.strip_suffix("/bits") else {
                continue;
            };
            let answer = case.pointer(parent).unwrap();
            let ours = JavaDouble(double(answer)).to_string();
            same_number(answer["v"].as_str().unwrap(), &ours).unwrap();
            seen += 1;
        }
    }
    assert!(seen > 10_000);
}

fn cases() -> Vec<Json> {
    include_str!("golden/hadoop-3.4.1-mutable-stat.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect()
}

fn replay(case: &Json) -> Result<(), Difference> {
    let stat: MutableStat = MutableStat::new(labels(case));
    for (at, op) in case["ops"].as_array().unwrap().iter().enumerate() {
        step(&stat, op).map_err(|difference| format!("call {at}: {difference}"))?;
    }
    Ok(())
}

fn labels(case: &Json) -> Labels {
    let text = |field: &str| case[field].as_str().unwrap();
    let detail = match case["extended"].as_bool().unwrap() {
        true => Detail::Extended,
        false => Detail::Basic,
    };
    Labels::new(
        text("name"),
        text("description"),
        text("sample_name"),
        text("value_name"),
        detail,
    )
    .unwrap()
}

fn step(stat: &MutableStat, op: &Json) -> Result<(), Difference> {
    match op[0].as_str().unwrap() {
        "add" => stat.add(op[1].as_i64().unwrap()),
        "add_n" => stat
            .add_n(op[1].as_u64().unwrap(), op[2].as_i64().unwrap())
            .expect("a batch that Hadoop takes"),
        "reset_min_max" => stat.reset_min_max(),
        "snapshot" => same_record(&op[2], stat.snapshot(emit(&op[1])))?,
        "last_stat" => same_stat(&op[1], SampleStat::from(&stat.last_stat()))?,
        "to_string" => same_text(op[1].as_str().unwrap(), &stat.to_string())?,
        unknown => panic!("unknown call {unknown}"),
    }
    Ok(())
}

fn emit(all: &Json) -> Emit {
    match all.as_bool().unwrap() {
        true => Emit::All,
        false => Emit::Changed,
    }
}

fn same_record(expected: &Json, snapshot: Option<Snapshot<Welford>>) -> Result<(), Difference> {
    let expected = expected.as_array().unwrap();
    let ours = snapshot.map_or(Vec::new(), |snapshot| snapshot.record().metrics);
    same("metrics", &expected.len(), &ours.len())?;
    expected
        .iter()
        .zip(&ours)
        .try_for_each(|(expected, ours)| same_metric(expected, ours))
}

fn same_metric(expected: &Json, ours: &Metric) -> Result<(), Difference> {
    same("name", &expected[0].as_str().unwrap(), &ours.name.as_str())?;
    match ours.value {
        Value::Counter(ours) | Value::GaugeInt(ours) => same_count(&expected[1], ours),
        Value::GaugeDouble(ours) => same_double(&expected[1], ours),
        Value::GaugeLong(_) => Err("a statistic has no such value".to_owned()),
    }
    .map_err(|difference| format!("{}: {difference}", ours.name))
}

fn same_stat(expected: &Json, ours: SampleStat) -> Result<(), Difference> {
    same_count(&expected["num_samples"], ours.num_samples)?;
    let doubles = [
        ("total", ours.total),
        ("mean", ours.mean),
        ("variance", ours.variance),
        ("stddev", ours.stddev),
        ("min", ours.min),
        ("max", ours.max),
    ];
    doubles.into_iter().try_for_each(|(field, ours)| {
        same_double(&expected[field], ours).map_err(|difference| format!("{field}: {difference}"))
    })
}

/// The text is a row of `label = number`, two spaces apart.
fn same_text(expected: &str, ours: &str) -> Result<(), Difference> {
    let fields = |text: &str| -> Vec<String> { text.split("  ").map(str::to_owned).collect() };
    let (expected, ours) = (fields(expected), fields(ours));
    same("fields", &expected.len(), &ours.len())?;
    expected.iter().zip(&ours).try_for_each(|(expected, ours)| {
        let (expected_label, expected) = expected.split_once(" = ").ok_or("no label")?;
        let (label, ours) = ours.split_once(" = ").ok_or("no label")?;
        same("label", &expected_label, &label)?;
        same_number(expected, ours)
    })
}

/// Two renderings of one number with the same layout, be there a digit more in
/// one of them.
fn same_number(expected: &str, ours: &str) -> Result<(), Difference> {
    let layout = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    let bits = |text: &str| {
        text.parse()
            .map(f64::to_bits)
            .map_err(|e| format!("{text}: {e}"))
    };
    same("layout", &layout(expected), &layout(ours))?;
    same("bits", &bits(expected)?, &bits(ours)?)
}

fn same_count(expected: &Json, ours: u64) -> Result<(), Difference> {
    same("count", &expected.as_u64(), &Some(ours))
}

fn same_double(expected: &Json, ours: f64) -> Result<(), Difference> {
    let expected = expected.get("bits").map(|_| double(expected).to_bits());
    same("bits", &expected, &Some(ours.to_bits()))
}

fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    expected: &T,
    ours: &T,
) -> Result<(), Difference> {
    if expected == ours {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, got {ours:?}"))
    }
}

fn double(answer: &Json) -> f64 {
    let bits = answer["bits"].as_str().unwrap();
    f64::from_bits(u64::from_str_radix(bits, 16).unwrap())
}

/// JSON pointers to the leaves of all answers: the last element of each call
/// that has one. Java's renderings of single doubles are left out, their bits
/// are compared instead.
fn answers(case: &Json) -> Vec<String> {
    let mut pointers = Vec::new();
    for (at, op) in case["ops"].as_array().unwrap().iter().enumerate() {
        let answered = ["snapshot", "last_stat", "to_string"];
        if answered.contains(&op[0].as_str().unwrap()) {
            let last = op.as_array().unwrap().len() - 1;
            leaves(format!("/ops/{at}/{last}"), &op[last], &mut pointers);
        }
    }
    pointers
}

fn leaves(at: String, json: &Json, pointers: &mut Vec<String>) {
    match json {
        Json::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(i, item)| leaves(format!("{at}/{i}"), item, pointers));
        }
        Json::Object(fields) => {
            let fields = fields.iter().filter(|(field, _)| *field != "v");
            fields.for_each(|(field, item)| leaves(format!("{at}/{field}"), item, pointers));
        }
        _ => pointers.push(at),
    }
}

/// The least change: a count one higher; in a text the last character another,
/// which is the lowest bit of a double's bits and the last digit of a number.
fn perturb(leaf: &mut Json) {
    *leaf = match leaf.take() {
        Json::Number(count) => Json::from(count.as_u64().unwrap() + 1),
        Json::String(mut text) => {
            let digit = text.pop().unwrap().to_digit(16);
            text.push(digit.map_or('?', |digit| char::from_digit(digit ^ 1, 16).unwrap()));
            Json::from(text)
        }
        other => panic!("no such answer: {other}"),
    };
}
