//! Puts many mutants to their engines, several at once, with the unmutated
//! control first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use models::ladder::Engine;
use serde::{Deserialize, Serialize};

use crate::book::{Book, Sources};
use crate::mutant::{Kind, Mutant};
use crate::verdict::{Found, Verdict};
use crate::workshop::{self, Workshop};

/// What is to be done.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The ledger.
    pub book: &'a Book,
    /// The source.
    pub sources: &'a Sources,
    /// The mutants, and what they are put to.
    pub tasks: Vec<(Mutant, Vec<Engine>)>,
    /// How many copies work at once; else as many as there are cores.
    pub jobs: Option<usize>,
}

/// What came out.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Results {
    /// The unmutated source, by engine.
    pub control: BTreeMap<Engine, Found>,
    /// The mutants, in the order of the ledger.
    pub verdicts: Vec<Verdict>,
    /// What was not as the ledger says.
    pub surprises: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

/// Runs the control, then all mutants.
///
/// # Errors
///
/// If a scratch copy cannot be made, or the control does not pass.
pub fn run(repository: &Path, plan: &Plan<'_>) -> Result<Results, String> {
    let began = Instant::now();
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = plan.jobs.unwrap_or_else(cores).min(plan.tasks.len()).max(1);
    let folder = |job: usize| repository.join(format!("target/ledger/copy-{job}"));
    let first = Workshop::open(repository, folder(0))?;
    let control = control(&first, plan)?;
    let mut copies = vec![first];
    for job in 1..jobs {
        let copy = Workshop::open(repository, folder(job))?;
        workshop::seed(&copies[0], &copy).map_err(|error| error.to_string())?;
        copies.push(copy);
    }
    let verdicts = work(&copies, plan)?;
    let mutants = plan.tasks.iter().map(|(mutant, _)| mutant);
    let surprise = |(verdict, mutant): (&Verdict, &Mutant)| {
        let surprise = verdict.surprise(plan.book, mutant)?;
        Some(format!("{}: {surprise}", mutant.id))
    };
    Ok(Results {
        surprises: verdicts.iter().zip(mutants).filter_map(surprise).collect(),
        control,
        verdicts,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// The source as it is must pass wherever a mutant of it is to fail.
fn control(copy: &Workshop, plan: &Plan<'_>) -> Result<BTreeMap<Engine, Found>, String> {
    let engines: BTreeSet<Engine> = plan
        .tasks
        .iter()
        .flat_map(|(_, engines)| engines.clone())
        .collect();
    let mut control = BTreeMap::new();
    for engine in engines {
        let found = copy.put_to(engine);
        println!("control: {engine}: {}", found.line());
        if matches!(found, Found::Killed { .. } | Found::Fault { .. }) {
            return Err(format!(
                "the unmutated source fails in {engine}: {}",
                found.line()
            ));
        }
        control.insert(engine, found);
    }
    Ok(control)
}

fn work(copies: &[Workshop], plan: &Plan<'_>) -> Result<Vec<Verdict>, String> {
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..plan.tasks.len()).collect());
    let next = || {
        queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    };
    let verdicts = Mutex::new(BTreeMap::new());
    thread::scope(|threads| {
        let workers: Vec<_> = copies
            .iter()
            .map(|copy| {
                threads.spawn(|| {
                    while let Some(index) = next() {
                        let verdict = judge(copy, plan, index)?;
                        let mut verdicts = verdicts.lock().unwrap_or_else(PoisonError::into_inner);
                        verdicts.insert(index, verdict);
                        report(verdicts.len(), &verdicts[&index], plan);
                    }
                    Ok::<(), String>(())
                })
            })
            .collect();
        let ended = workers
            .into_iter()
            .map(|worker| worker.join().expect("no worker panics"));
        ended.collect::<Result<Vec<()>, String>>()
    })?;
    let verdicts = verdicts
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    Ok(verdicts.into_values().collect())
}

fn report(done: usize, verdict: &Verdict, plan: &Plan<'_>) {
    let all = plan.tasks.len();
    for (engine, found) in &verdict.found {
        println!(
            "[{done}/{all}] {}: {engine}: {}",
            verdict.mutant,
            found.line()
        );
    }
}

fn judge(copy: &Workshop, plan: &Plan<'_>, index: usize) -> Result<Verdict, String> {
    let (mutant, engines) = &plan.tasks[index];
    let changed = mutant.apply(plan.sources);
    copy.write(&changed)?;
    let found = engines
        .iter()
        .map(|&engine| (engine, copy.put_to(engine)))
        .collect();
    let original = changed
        .keys()
        .map(|file| (file.clone(), plan.sources[file].text.clone()));
    copy.write(&original.collect())?;
    let survivor = plan
        .book
        .equivalents
        .iter()
        .find(|known| known.mutant == mutant.id);
    Ok(Verdict {
        mutant: mutant.id.clone(),
        row: mutant.row.clone(),
        kind: mutant.kind,
        fault: mutant.fault.clone(),
        changes: mutant.changes(plan.sources),
        found,
        survives: survivor.map(|known| (known.kind, known.argument.clone())),
    })
}

impl Results {
    /// Leaves them as JSON.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        if let Some(folder) = path.parent() {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        std::fs::write(path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The counts, and what was not as the ledger says.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for kind in [Kind::Ordering, Kind::Structure, Kind::Arithmetic] {
            let of_kind = || self.verdicts.iter().filter(|verdict| verdict.kind == kind);
            let killed = of_kind().filter(|verdict| verdict.is_killed()).count();
            let argued =
                of_kind().filter(|verdict| !verdict.is_killed() && verdict.survives.is_some());
            let argued = argued.count();
            let all = of_kind().count();
            let _ = writeln!(
                text,
                "{kind:?}: {all} mutants, {killed} killed, {argued} survive with an argument"
            );
        }
        for surprise in &self.surprises {
            let _ = writeln!(text, "not as expected: {surprise}");
        }
        let _ = writeln!(text, "{:.0} s", self.seconds);
        text
    }
}
