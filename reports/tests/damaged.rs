//! What the report reads, damaged: it is read or refused, by name, and never a
//! panic.

#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use models::reliability::Thrown;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use report::Report;
use report::published::parse;
use serde_json::{Value, json};

/// What a value becomes.
#[derive(Clone, Debug)]
enum Damage {
    Replaced(Value),
    Gone,
    Twice,
}

fn damage() -> impl Strategy<Value = Damage> {
    let values = vec![
        Value::Null,
        json!(0),
        json!(-1),
        json!(1),
        json!(u64::MAX),
        json!(1e300),
        json!(-0.5),
        json!(true),
        json!(""),
        json!("<b>"),
        json!([]),
        json!({}),
    ];
    prop_oneof![
        6 => select(values).prop_map(Damage::Replaced),
        1 => Just(Damage::Gone),
        1 => Just(Damage::Twice),
    ]
}

/// Damages what the path leads to, as far as there is something on it.
fn apply(value: &mut Value, path: &[Index], damage: &Damage) {
    let Some((step, rest)) = path.split_first() else {
        if let Damage::Replaced(other) = damage {
            *value = other.clone();
        }
        return;
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            let at = step.index(items.len());
            match (damage, rest) {
                (Damage::Gone, []) => drop(items.remove(at)),
                (Damage::Twice, []) => items.push(items[at].clone()),
                _ => apply(&mut items[at], rest, damage),
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let name = fields.keys().nth(step.index(fields.len()));
            let name = name.expect("it has so many").clone();
            match (damage, rest) {
                (Damage::Gone, []) => drop(fields.remove(&name)),
                _ => apply(&mut fields[&name], rest, damage),
            }
        }
        leaf => apply(leaf, &[], damage),
    }
}

static DATA: LazyLock<Value> = LazyLock::new(|| {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("latest/data.json");
    let text = fs::read_to_string(data).expect("a report is committed");
    serde_json::from_str(&text).expect("its data is JSON")
});

/// So many times fewer reports than proptest draws of other things: each is a whole
/// page.
const LARGE: u32 = 8;

#[test]
fn damaged_data_is_drawn_or_refused_by_name() {
    let paths = prop::collection::vec(any::<Index>(), 1..9);
    let damages = prop::collection::vec((paths, damage()), 1..4);
    let cases = ProptestConfig::default().cases / LARGE;
    let config = ProptestConfig::with_cases(cases);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.json");
    proptest!(config, |(damages in damages)| {
        let mut data = DATA.clone();
        for (path, damage) in &damages {
            apply(&mut data, path, damage);
        }
        fs::write(&file, data.to_string()).unwrap();
        match Report::open(folder.path()) {
            Ok(data) => drop(Report::of(&data)),
            Err(error) => {
                let message = format!("{error:#}");
                prop_assert!(message.contains("data.json"), "{message}");
            }
        }
    });
    let what = "damaged data.json, drawn or refused";
    Thrown::new(what, cases.into(), "reports").say();
}

#[test]
fn a_damaged_table_is_read_or_refused() {
    let published = include_str!("../published/hdds-9377-published.csv");
    let config = ProptestConfig::default();
    let cases = config.cases;
    proptest!(config, |(at in any::<Index>(), length in 0_usize..20, put in ".{0,8}")| {
        let mut characters: Vec<char> = published.chars().collect();
        let begin = at.index(characters.len());
        let end = (begin + length).min(characters.len());
        characters.splice(begin..end, put.chars());
        let table: String = characters.into_iter().collect();
        if let Err(error) = parse(&table) {
            prop_assert!(!error.to_string().is_empty());
        }
    });
    let what = "damaged CSV of published figures, read or refused";
    Thrown::new(what, cases.into(), "tables").say();
}

/// The damage does reach what is read.
#[test]
fn a_part_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["environment", "plan", "burst"] {
        let mut data = DATA.clone();
        data.as_object_mut().expect("it has fields").remove(name);
        fs::write(folder.path().join("data.json"), data.to_string()).unwrap();
        let error = Report::open(folder.path()).unwrap_err();
        let message = format!("{error:#}");
        assert!(
            message.contains(&format!("missing field `{name}`")),
            "{message}"
        );
    }
    let error = parse("arch,threads\na,many\n").unwrap_err();
    assert!(error.to_string().contains("line: 2"), "{error}");
}
