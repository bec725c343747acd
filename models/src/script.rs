//! Small programs, call by call, and all of them up to a size.

use std::fmt;
use std::sync::Arc;

use crate::engine::Engine;
use crate::explore::Program;
use crate::history::History;
use crate::scenario::{Started, start};
use crate::subject::{Subject, Writer};
use crate::trace::{self, Call, What};

/// What each thread calls. The main thread starts them all, waits for them, and
/// drains once more; so a thread that runs before another one costs no
/// preemption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// By thread, without the main thread.
    pub threads: Vec<Vec<Call>>,
}

impl Script {
    /// All programs of one or two writers, who share `samples` or a part of
    /// them, beside up to `drains` drains in one thread or in two, or a thread
    /// that drains and one that looks; the smaller ones first.
    pub fn up_to(samples: &[i64], drains: usize) -> Vec<Self> {
        let mut scripts: Vec<Self> = parts(samples)
            .iter()
            .flat_map(|part| shares(part))
            .flat_map(|writers| beside_drainers(&writers, drains))
            .collect();
        scripts.sort_by_key(|script| (script.calls(), script.threads.len()));
        scripts
    }

    fn calls(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }
}

/// The distinct subsequences of `samples` that are not empty.
fn parts(samples: &[i64]) -> Vec<Vec<i64>> {
    let mut parts: Vec<Vec<i64>> = vec![Vec::new()];
    for &sample in samples {
        let longer = parts
            .iter()
            .map(|part| [part.as_slice(), &[sample]].concat());
        let new: Vec<_> = longer.filter(|part| !parts.contains(part)).collect();
        parts.extend(new);
    }
    parts.split_off(1)
}

/// The ways in which one writer or two can share the samples.
fn shares(samples: &[i64]) -> impl Iterator<Item = Vec<Vec<Call>>> + use<> {
    let adds: Vec<Call> = samples.iter().map(|&sample| Call::Add(sample)).collect();
    (1..=adds.len()).map(move |first| {
        let (first, second) = adds.split_at(first);
        let writers = [first.to_vec(), second.to_vec()];
        writers
            .into_iter()
            .filter(|adds| !adds.is_empty())
            .collect()
    })
}

/// The writers alone, beside a thread that drains, and beside two that drain or
/// look.
fn beside_drainers(writers: &[Vec<Call>], drains: usize) -> Vec<Script> {
    let draining = |drains| vec![Call::Drain; drains];
    let one = (1..=drains).map(|drains| vec![draining(drains)]);
    let two = (1..drains).map(|first| vec![draining(first), draining(drains - first)]);
    let looking = (0..=drains.min(1)).map(|drains| vec![draining(drains), vec![Call::Look]]);
    let beside = [Vec::new()]
        .into_iter()
        .chain(one)
        .chain(two)
        .chain(looking);
    let script = |beside: Vec<Vec<Call>>| {
        let threads = writers.iter().cloned().chain(beside);
        Script {
            threads: threads.filter(|calls| !calls.is_empty()).collect(),
        }
    };
    beside.map(script).collect()
}

impl Program for Script {
    fn run<S: Subject, E: Engine>(&self) -> History {
        trace::restart();
        let subject = Arc::new(S::new());
        let threads = self.threads.iter().enumerate().map(|(index, calls)| {
            let calls = calls.clone();
            start::<S, E>(index + 1, &subject, move |subject| {
                call_all::<S, E>(subject, &calls);
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().for_each(Started::join);
        call_all::<S, E>(&*subject, &[Call::Drain]);
        History::new(trace::take(), E::SEQUENTIAL)
    }
}

/// Makes the calls in order, up to one that panics.
fn call_all<S: Subject, E: Engine>(subject: &S, calls: &[Call]) {
    let mut writer = None;
    for &call in calls {
        let attempt = E::attempt(|| {
            let batch = match call {
                Call::Add(_) | Call::AddBatch(_) => {
                    let writer = writer.get_or_insert_with(|| subject.writer());
                    trace::log(E::current(), What::Began(call));
                    writer.call(call);
                    None
                }
                Call::Drain => {
                    trace::log(E::current(), What::Began(call));
                    subject.drain()
                }
                Call::Look => {
                    trace::log(E::current(), What::Began(call));
                    subject.look();
                    None
                }
            };
            trace::log(E::current(), What::Ended(batch));
        });
        if let Err(message) = attempt {
            trace::log(E::current(), What::Panicked(message));
            break;
        }
    }
    // Never handed on, which spares the engine the interleavings of it.
    std::mem::forget(writer);
}

/// Such as `add 10, add 3 | drain`: the threads side by side.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = |calls: &Vec<Call>| {
            let calls: Vec<String> = calls.iter().map(Call::to_string).collect();
            calls.join(", ")
        };
        let threads: Vec<String> = self.threads.iter().map(thread).collect();
        write!(f, "{}; then drain", threads.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumerates_small_programs_once_and_in_order_of_size() {
        let scripts = Script::up_to(&[5, 5, 7], 2);
        let names: Vec<String> = scripts.iter().map(Script::to_string).collect();
        assert_eq!(
            names[..4],
            [
                "add 5; then drain",
                "add 7; then drain",
                "add 5, add 5; then drain",
                "add 5, add 7; then drain",
            ]
        );
        assert!(names.contains(&"add 5 | add 7 | drain | drain; then drain".to_owned()));
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len());
    }
}
