//! Puts many mutants to their engines, several at once, with the unmutated
//! control first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::book::{Book, Sources};
use crate::mutant::Mutant;
use crate::results::Results;
use crate::verdict::{Found, Verdict};
use crate::workshop::{self, Workshop};
use models::ladder::Engine;

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
    // All of them at once, so that they are copies of the same state.
    let copies = (0..jobs).map(|job| Workshop::open(repository, folder(job)));
    let copies = copies.collect::<Result<Vec<Workshop>, String>>()?;
    let control = control(&copies[0], plan)?;
    for copy in &copies[1..] {
        workshop::seed(&copies[0], copy).map_err(|error| error.to_string())?;
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
    Ok(Verdict {
        mutant: mutant.id.clone(),
        row: mutant.row.clone(),
        kind: mutant.kind,
        fault: mutant.fault.clone(),
        changes: mutant.changes(plan.sources),
        found,
    })
}
