//! What is executed, as callgrind counts it.

use anyhow::{Context, Result, anyhow, ensure};
use benches::{Alone, Contender, Entrant, Events};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::{env, fs, io};

const FEW: usize = 8;
const MANY: usize = 72;

/// What can be run alone, how often it is, and its name to the program that is
/// run.
fn alone(what: &str) -> Option<(Alone, u64)> {
    let add = |contender| (Alone::Add(contender), 100_000);
    let drain = |stripes| (Alone::Drain { stripes }, 1000);
    if let Some(stripes) = what.strip_prefix("drain-") {
        return Some(drain(stripes.parse().ok()?));
    }
    let named = |contender: &&Contender| format!("{contender:?}") == what;
    Contender::ALL
        .iter()
        .find(named)
        .map(|&contender| add(contender))
}

pub(crate) fn run_alone(what: &str, times: u64) -> Result<()> {
    let (alone, _) = alone(what).with_context(|| format!("--alone: '{what}' cannot be run"))?;
    alone.run(times);
    Ok(())
}

pub(crate) fn is_there() -> Result<bool> {
    match Command::new("valgrind").arg("--version").output() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).context("valgrind"),
    }
}

/// What each add, without the loop around it, and each stripe of a drain execute.
pub(crate) fn events() -> Result<BTreeMap<String, Events>> {
    let add = |contender: Contender| each(&format!("{contender:?}"));
    let around = add(Contender::Nothing)?;
    let mut events = BTreeMap::new();
    for &contender in &Contender::ALL[1..] {
        let name = format!("add: {}", contender.name());
        events.insert(name, add(contender)?.less(around, 1.0));
    }
    let drain = |stripes: usize| each(&format!("drain-{stripes}"));
    let stripe = drain(MANY)?.less(drain(FEW)?, (MANY - FEW) as f64);
    events.insert("drain: a stripe".to_owned(), stripe);
    Ok(events)
}

/// What it executes each time: twice as often, less once, so that what the
/// process does otherwise is in neither.
fn each(what: &str) -> Result<Events> {
    let (_, times) = alone(what).context("it is one of those that can be run")?;
    let [once, twice] = [times, 2 * times].map(|times| totals_of(what, times));
    Ok(twice?.less(once?, times as f64))
}

fn totals_of(what: &str, times: u64) -> Result<Events> {
    let room = tempfile::tempdir()?;
    let out = room.path().join("callgrind");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(env::current_exe()?)
        .args(["--alone", what, &times.to_string()])
        .stdin(Stdio::null())
        .output()
        .context("valgrind")?;
    ensure!(
        output.status.success(),
        "valgrind: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = fs::read_to_string(&out).context("valgrind wrote nothing")?;
    totals(&text).with_context(|| format!("{what}: what callgrind wrote"))
}

/// From "events: Ir Dr ..." and "totals: 123 45 ...".
fn totals(text: &str) -> Result<Events> {
    let line = |name: &str| -> Result<Vec<&str>> {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let line = line.with_context(|| format!("there is no line '{name}'"))?;
        Ok(line.split_whitespace().collect())
    };
    let (names, totals) = (line("events:")?, line("totals:")?);
    let count = |name: &str| -> Result<f64> {
        let place = names.iter().position(|&event| event == name);
        let count = place.and_then(|place| totals.get(place)?.parse().ok());
        count.ok_or_else(|| anyhow!("there is no count of {name}"))
    };
    Ok(Events {
        instructions: count("Ir")?,
        branches: count("Bc")? + count("Bi")?,
        reads: count("Dr")?,
        writes: count("Dw")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_by_name() {
        let text = "events: Ir Dr Dw Bc Bi\nfn=main\n1 2 3\ntotals: 10 4 3 2 1\n";
        let events = totals(text).unwrap();
        assert_eq!((events.instructions, events.branches), (10.0, 3.0));
        assert_eq!((events.reads, events.writes), (4.0, 3.0));
        assert!(totals("events: Ir\ntotals: 1\n").is_err());
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        assert!(alone("Recorder").is_some() && alone("drain-8").is_some());
        let error = run_alone("Recoder", 1).unwrap_err().to_string();
        assert!(error.contains("'Recoder'"), "{error}");
    }
}
