//! `cargo counted`: counts what adds and drains execute, and the memory that
//! statistics take, and compares with what was accepted.

#![forbid(unsafe_code)]

mod callgrind;
mod heap;

use anyhow::{Context, Result, ensure};
use benches::{Counted, Events, MadeWith};
use clap::Parser;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Counts instructions, branches and data accesses of adds and drains, under
/// valgrind's callgrind, and bytes on the heap; compares with what was accepted.
#[derive(Parser)]
#[command(bin_name = "cargo counted")]
struct Arguments {
    /// Accept what comes out: write it to benches/counted.json
    #[arg(long)]
    accept: bool,

    /// Do nothing but this, so many times: what is run under valgrind
    #[arg(long, hide = true, num_args = 2, value_names = ["WHAT", "TIMES"])]
    alone: Option<Vec<String>>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo counted: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    if let Some([what, times]) = arguments.alone.as_deref() {
        return callgrind::run_alone(what, times.parse().context("--alone: how many times")?);
    }
    let accepted = accepted(arguments)?;
    let counted = Counted {
        made_with: MadeWith::this(),
        bytes: heap::bytes(),
        events: events(&accepted)?,
    };
    show(&counted);
    if arguments.accept {
        accept(&counted)
    } else {
        compare(&counted, &accepted)
    }
}

/// None, if they are to be written anew and there is no need of them.
fn accepted(arguments: &Arguments) -> Result<Counted> {
    let can_count = callgrind::is_there()?;
    match Counted::committed() {
        Err(error) if arguments.accept && can_count => {
            println!("{error:#}; nothing of it is kept");
            Ok(Counted {
                made_with: MadeWith::this(),
                events: BTreeMap::new(),
                bytes: BTreeMap::new(),
            })
        }
        Err(error) if arguments.accept => {
            Err(error
                .context("valgrind is missing, and there are no accepted instructions to keep"))
        }
        accepted => accepted,
    }
}

/// Those that were accepted where there is nothing to count them with.
fn events(accepted: &Counted) -> Result<BTreeMap<String, Events>> {
    if callgrind::is_there()? {
        return callgrind::events();
    }
    println!("instructions: not run: valgrind is missing; these are those accepted");
    Ok(accepted.events.clone())
}

fn show(counted: &Counted) {
    for (what, events) in &counted.events {
        let counts = events
            .named()
            .map(|(name, count)| format!("{count:>9.2} {name}"));
        println!("{what:28}{}", counts.join(" "));
    }
    for (what, bytes) in &counted.bytes {
        println!("{what:52}{bytes:>9} bytes");
    }
}

fn accept(counted: &Counted) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("counted.json");
    let text = serde_json::to_string_pretty(counted)? + "\n";
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    println!("accepted: {}", path.display());
    Ok(())
}

fn compare(counted: &Counted, accepted: &Counted) -> Result<()> {
    let (this, that) = (&counted.made_with, &accepted.made_with);
    if this != that {
        println!(
            "not compared: this is {} for {}, what was accepted is {} for {}",
            this.rustc, this.target, that.rustc, that.target
        );
        return Ok(());
    }
    let differences = counted.differences(accepted);
    ensure!(
        differences.is_empty(),
        "{}\nif this is as it should be: cargo counted --accept",
        differences.join("\n")
    );
    println!("as accepted");
    Ok(())
}
