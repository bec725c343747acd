//! Programs that put the shipped primitives under load, on native threads or
//! under Miri. They log nothing while they run: a log would order what the
//! statistic has to order itself.
//!
//! All samples are the same, so that any interval can be told for whole or torn
//! by itself, and what is lost shows in the total.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::thread;

use interval_stat::runtime::{Asymmetric, Fenced, Fences, Std, Symmetric};
use interval_stat::{Accumulator, ConcurrentMutableStat, Interval, Moments, MutableStat, Striped};
use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::guarantees::Guarantee;
use crate::subject::{ByLookup, ByRecorder, Subject, Writer};

/// A program under load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stress {
    /// What is stressed.
    pub form: Form,
    /// Adds of each of the two writers in a round, or turns of a store-load
    /// pair.
    pub adds: usize,
    /// How often all begins anew.
    pub rounds: usize,
}

/// What is stressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A store and a load around the fences that ship, in each of two threads.
    AsymmetricPair,
    /// The same around the fences of the language alone.
    SymmetricPair,
    /// Striped, through recorders, with the fences that ship.
    Recorder,
    /// Striped, through recorders, with the fences of the language alone.
    Fenced,
    /// Striped, through the look-up of the thread's stripe.
    Lookup,
    /// Behind one lock.
    Locked,
    /// Stripes handed on from owner to owner, and freed.
    Owners,
}

impl Form {
    /// All of them, the fastest to fail first.
    pub const ALL: [Self; 7] = [
        Self::Owners,
        Self::SymmetricPair,
        Self::AsymmetricPair,
        Self::Recorder,
        Self::Fenced,
        Self::Lookup,
        Self::Locked,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::AsymmetricPair => "asymmetric-pair",
            Self::SymmetricPair => "symmetric-pair",
            Self::Recorder => "recorder",
            Self::Fenced => "fenced",
            Self::Lookup => "lookup",
            Self::Locked => "locked",
            Self::Owners => "owners",
        }
    }
}

impl Stress {
    /// A name without spaces.
    pub fn id(&self) -> String {
        format!("stress-{}-{}x{}", self.form.name(), self.adds, self.rounds)
    }

    /// Runs it; after how many rounds it was over, and what broke, if anything.
    pub fn run(&self) -> (usize, Result<(), String>) {
        for round in 1..=self.rounds {
            if let Err(fault) = self.round() {
                return (round, Err(fault));
            }
        }
        (self.rounds, Ok(()))
    }

    fn round(&self) -> Result<(), String> {
        match self.form {
            Form::AsymmetricPair => store_load::<Asymmetric>(self.adds),
            Form::SymmetricPair => store_load::<Symmetric>(self.adds),
            Form::Recorder => conserve::<ByRecorder<Std>>(self.adds),
            Form::Fenced => conserve::<ByRecorder<Fenced>>(self.adds),
            Form::Lookup => conserve::<ByLookup<ConcurrentMutableStat<Std>>>(self.adds),
            Form::Owners => hand_on().and_then(|()| last_words()),
            Form::Locked => conserve::<ByLookup<MutableStat<Std, Moments>>>(self.adds),
        }
    }
}

const SAMPLE: i64 = 7;
const WRITERS: usize = 2;

/// Two writers beside drains in a loop: nothing torn, nothing lost.
fn conserve<S: Subject>(adds: usize) -> Result<(), String> {
    let subject = Arc::new(S::new());
    let writers = [(); WRITERS].map(|()| {
        let subject = Arc::clone(&subject);
        thread::spawn(move || {
            let mut writer = subject.writer();
            (0..adds).for_each(|_| writer.add(SAMPLE));
        })
    });
    let mut reported = 0;
    while writers.iter().any(|writer| !writer.is_finished()) {
        reported += whole(subject.drain())?;
    }
    for writer in writers {
        writer.join().map_err(|_| "a writer panicked".to_owned())?;
    }
    reported += whole(subject.drain())?;
    let added = (WRITERS * adds) as u64;
    if reported == added {
        return Ok(());
    }
    Err(format!(
        "{}: {added} samples were added, the intervals report {reported}",
        Guarantee::G1
    ))
}

/// How many samples the interval has, if it is the summary of so many.
fn whole(batch: Option<Batch>) -> Result<u64, String> {
    let batch = batch.unwrap_or_default();
    let extreme = (batch.count > 0).then_some(SAMPLE);
    let sum = i128::from(batch.count) * i128::from(SAMPLE);
    if (batch.sum, batch.min, batch.max) == (sum, extreme, extreme) {
        return Ok(batch.count);
    }
    Err(format!("{}: torn: {batch:?}", Guarantee::G3))
}

/// An accumulator of nothing, of which the number alive is known.
#[derive(Clone)]
struct Counted {
    _alive: Arc<()>,
}

impl Accumulator for Counted {
    fn record(&mut self, _sample: i64) {}
    fn merge(&mut self, _other: &Self) {}
    fn clear(&mut self) {}
}

/// Owners that come one after the other, recorders and threads: each takes over
/// what the one before it left, and all of it is freed in the end.
fn hand_on() -> Result<(), String> {
    const OWNERS: usize = 8;
    let alive = Arc::new(());
    let empty = Counted {
        _alive: Arc::clone(&alive),
    };
    let samples: Arc<Striped<Counted>> = Arc::new(Striped::new(empty, ()));
    for _ in 0..OWNERS {
        samples.recorder().add(SAMPLE);
        let samples = Arc::clone(&samples);
        let thread = thread::spawn(move || samples.add(SAMPLE));
        thread.join().map_err(|_| "a thread panicked".to_owned())?;
    }
    // Beside this one and `empty`, there are two buffers a stripe.
    let stripes = (Arc::strong_count(&alive) - 2) / 2;
    if stripes > 2 {
        return Err(format!(
            "owners: {stripes} stripes for one recorder and one thread at a time"
        ));
    }
    drop(samples);
    match Arc::strong_count(&alive) - 1 {
        0 => Ok(()),
        left => Err(format!(
            "owners: {left} accumulators outlive their statistic"
        )),
    }
}

thread_local! {
    /// Made before the statistic's own, and so destroyed after them.
    static LAST_WORDS: Cell<Option<LastWords>> = const { Cell::new(None) };
}

/// Adds when its thread's thread-locals are destroyed.
struct LastWords(Arc<Striped<Moments>>);

impl Drop for LastWords {
    fn drop(&mut self) {
        self.0.add(SAMPLE);
    }
}

/// A thread that adds, and adds once more while it ends.
fn last_words() -> Result<(), String> {
    let samples: Arc<Striped<Moments>> = Arc::new(Striped::new(Moments::EMPTY, ()));
    let adder = Arc::clone(&samples);
    let thread = thread::spawn(move || {
        LAST_WORDS.set(Some(LastWords(Arc::clone(&adder))));
        adder.add(SAMPLE);
    });
    thread.join().map_err(|_| "a thread panicked".to_owned())?;
    match samples.drain().count() {
        2 => Ok(()),
        reported => Err(format!(
            "{}: 2 samples were added, the last one by a thread-local destructor, the interval reports {reported}",
            Guarantee::G1
        )),
    }
}

/// The two words of one turn of a store-load pair, and how many threads have
/// come to it.
#[derive(Default)]
struct Turn {
    arrived: AtomicUsize,
    words: [AtomicUsize; 2],
}

/// Each of two threads stores to its word, passes its fence and loads the word
/// of the other one. That neither sees the other's store is what the fences
/// exclude, and what G5 rests on.
fn store_load<F: Fences>(turns: usize) -> Result<(), String> {
    F::prepare();
    let table: Arc<Vec<Turn>> = Arc::new((0..turns).map(|_| Turn::default()).collect());
    let other = {
        let table = Arc::clone(&table);
        thread::spawn(move || side(&table, 1, F::heavy))
    };
    let light = side(&table, 0, F::light);
    let heavy = other.join().map_err(|_| "a thread panicked".to_owned())?;
    let neither = light.iter().zip(&heavy).position(|pair| pair == (&0, &0));
    neither.map_or(Ok(()), |turn| {
        Err(format!(
            "{}: in turn {turn} of a store-load pair neither thread sees the store of the other",
            Guarantee::G5
        ))
    })
}

fn side(table: &[Turn], own: usize, fence: impl Fn()) -> Vec<usize> {
    let meet = |turn: &Turn| {
        turn.arrived.fetch_add(1, AcqRel);
        let mut looks = 0_u32;
        while turn.arrived.load(Acquire) < 2 {
            looks += 1;
            if looks % 256 == 0 {
                thread::yield_now();
            }
        }
        turn.words[own].store(1, Relaxed);
        fence();
        turn.words[1 - own].load(Relaxed)
    };
    table.iter().map(meet).collect()
}
