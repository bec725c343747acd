//! `cargo ledger`: puts every mutant of the ledger to the engines that must kill
//! it, and says what is not as the ledger says.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use ledger::campaign::{self, Plan};
use ledger::expect::{Expected, expected, killers};
use ledger::mutant::Mutant;
use ledger::{book, map, mutant};
use models::golden;
use models::ladder::Engine;

/// Puts every mutant of the ledger to the engines that must kill it.
#[derive(Debug, Parser)]
#[command(name = "cargo ledger")]
struct Arguments {
    /// Only the mutants of this row, or this mutant; can be repeated
    #[arg(long, value_name = "ROW")]
    only: Vec<String>,
    /// Puts them to this engine; can be repeated. Without it: the fastest engine
    /// that must kill the mutant
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    engine: Vec<Engine>,
    /// Puts every mutant to every engine that runs its code
    #[arg(long, conflicts_with = "engine")]
    full: bool,
    /// Lists the mutants and what each engine is to find, and runs none
    #[arg(long)]
    list: bool,
    /// Scratch copies that work at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    jobs: Option<u8>,
    /// Where the results go, as JSON
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Takes what comes out into the committed matrix and the map of the models
    #[arg(long)]
    accept: bool,
    /// Takes the executions of the last test runs for golden, and runs no mutant
    #[arg(long, conflicts_with_all = ["only", "engine", "full", "list", "accept"])]
    accept_bounds: bool,
    /// Writes the generated parts of the map of the models anew, and runs no
    /// mutant
    #[arg(long, conflicts_with_all = ["only", "engine", "full", "list", "accept"])]
    accept_map: bool,
}

fn engine(name: &str) -> Result<Engine, String> {
    let known = Engine::ALL.map(Engine::name).join(", ");
    let found = Engine::ALL.into_iter().find(|engine| engine.name() == name);
    found.ok_or_else(|| format!("there are {known}"))
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("ledger: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether all was as expected.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let repository = ledger::repository();
    if arguments.accept_bounds {
        golden::accept()?
            .iter()
            .for_each(|change| println!("{change}"));
        return Ok(true);
    }
    let book = book::read(&repository)?;
    let sources = book::sources(&repository)?;
    let faults = book.faults(&sources);
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let all = mutant::all(&book, &sources)?;
    if arguments.accept_map {
        map::write(&repository, &book, &sources, &all)?;
        return Ok(true);
    }
    let mutants = chosen(&all, &arguments.only)?;
    if arguments.list {
        list(&book, &mutants);
        return Ok(true);
    }
    let plan = Plan {
        book: &book,
        sources: &sources,
        tasks: mutants
            .into_iter()
            .map(|mutant| (engines(&book, &mutant, arguments), mutant))
            .filter(|(engines, _)| !engines.is_empty())
            .map(|(engines, mutant)| (mutant, engines))
            .collect(),
        jobs: arguments.jobs.map(usize::from),
    };
    let results = campaign::run(&repository, &plan)?;
    let folder = repository.join("target/ledger");
    results.draw(&folder.join("counterexamples"))?;
    let default = folder.join("ledger.json");
    results.save(arguments.out.as_ref().unwrap_or(&default))?;
    if arguments.accept {
        map::accept(&repository, &book, &sources, &all, &results)?;
    }
    print!("{}", results.summary(&book));
    Ok(results.surprises.is_empty())
}

fn chosen(mutants: &[Mutant], only: &[String]) -> Result<Vec<Mutant>, String> {
    let is_meant = |mutant: &Mutant, name: &String| mutant.row == *name || mutant.id == *name;
    let unknown = only
        .iter()
        .find(|name| !mutants.iter().any(|mutant| is_meant(mutant, name)));
    if let Some(unknown) = unknown {
        return Err(format!(
            "there is no mutant, and no row with one, called {unknown}"
        ));
    }
    let meant = |mutant: &Mutant| only.is_empty() || only.iter().any(|name| is_meant(mutant, name));
    Ok(mutants
        .iter()
        .filter(|mutant| meant(mutant))
        .cloned()
        .collect())
}

fn engines(book: &book::Book, mutant: &Mutant, arguments: &Arguments) -> Vec<Engine> {
    let sees = |engine: &Engine| expected(book, mutant, *engine) != Expected::Blind;
    if arguments.full {
        return Engine::ALL.into_iter().filter(sees).collect();
    }
    if !arguments.engine.is_empty() {
        return arguments.engine.iter().copied().filter(sees).collect();
    }
    let fastest = killers(book, mutant).into_iter().next();
    // A survivor is put to the engine that would have to kill it.
    let fastest = fastest.or_else(|| Engine::ALL.into_iter().find(sees));
    fastest.into_iter().collect()
}

fn list(book: &book::Book, mutants: &[Mutant]) {
    for mutant in mutants {
        let said = Engine::ALL.map(|engine| {
            let said = format!("{:?}", expected(book, mutant, engine)).to_lowercase();
            format!("{engine}: {said}")
        });
        println!("{}: {} | {}", mutant.id, mutant.fault, said.join(", "));
    }
}
