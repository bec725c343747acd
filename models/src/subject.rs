//! What a scenario checks: anything that takes samples and gives batches.

use std::marker::PhantomData;

use interval_stat::accumulator::Accumulator;
use interval_stat::labels::Labels;
use interval_stat::runtime::Runtime;
use interval_stat::snapshot::Emit;
use interval_stat::{
    ConcurrentMutableStat, Detail, Distribution, Interval, IntervalStat, Moments, MutableStat,
    PerformanceMetrics, Recorder,
};

use crate::batch::Batch;
use crate::specimen::{Combined, Merged, Phased, Reset};
use crate::trace::Call;

/// Something that many threads add to and that is drained.
pub trait Subject: Send + Sync + 'static {
    /// What one thread adds through.
    type Writer<'a>: Writer;
    /// No samples yet.
    fn new() -> Self;
    /// What the calling thread adds through.
    fn writer(&self) -> Self::Writer<'_>;
    /// Takes what was added; `None` if it reports nothing.
    fn drain(&self) -> Option<Batch>;
    /// Asks for the last interval, which closes none.
    fn look(&self);
}

/// Adds from one thread.
pub trait Writer {
    /// Adds a sample.
    fn add(&mut self, sample: i64);

    /// Adds samples, as one if the statistic does so.
    fn add_batch(&mut self, samples: &[i64]);

    /// Adds what the call says.
    fn call(&mut self, call: Call) {
        match call {
            Call::Add(sample) => self.add(sample),
            Call::AddBatch(samples) => self.add_batch(samples),
            Call::Drain | Call::Look => unreachable!("{call} adds nothing"),
        }
    }
}

/// An interval that can be read as a [`Batch`].
pub trait Summarized: Interval {
    /// What it says.
    fn batch(&self) -> Batch;
}

impl<I: Interval> Summarized for I
where
    Batch: for<'a> From<&'a I>,
{
    fn batch(&self) -> Batch {
        Batch::from(self)
    }
}

/// A statistic that a scenario can make.
pub trait Make: IntervalStat<Interval: Summarized> + 'static {
    /// A statistic with these labels, on a machine of so many processors, which
    /// matter to specimens only.
    fn make(labels: Labels, processors: usize) -> Self;
}

impl<R: Runtime, I: Interval> Make for MutableStat<R, I>
where
    Batch: for<'a> From<&'a I>,
{
    fn make(labels: Labels, _processors: usize) -> Self {
        Self::new(labels)
    }
}

impl<R: Runtime> Make for ConcurrentMutableStat<R> {
    fn make(labels: Labels, _processors: usize) -> Self {
        Self::new(labels)
    }
}

/// Which machine a specimen makes cells for.
pub trait Machine: 'static {
    /// Its processors.
    fn processors() -> usize;
}

/// That of a model: contention shows, and there is nothing more to grow.
#[derive(Debug, Clone, Copy)]
pub enum Modelled {}

impl Machine for Modelled {
    fn processors() -> usize {
        2
    }
}

/// The one that this runs on.
#[derive(Debug, Clone, Copy)]
pub enum This {}

impl Machine for This {
    fn processors() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }
}

impl<R: Runtime, T: Reset> Make for Merged<R, T> {
    fn make(labels: Labels, processors: usize) -> Self {
        Self::new(labels, processors)
    }
}

impl<R: Runtime> Make for Combined<R> {
    fn make(labels: Labels, processors: usize) -> Self {
        Self::new(labels, processors)
    }
}

impl<R: Runtime> Make for Phased<R> {
    fn make(labels: Labels, processors: usize) -> Self {
        Self::new(labels, processors)
    }
}

pub(crate) fn snapshot(stat: &impl IntervalStat<Interval: Summarized>) -> Option<Batch> {
    let snapshot = stat.snapshot(Emit::Changed)?;
    Some(snapshot.interval.batch())
}

pub(crate) fn labels() -> Labels {
    Labels::new("Model", "a model", "Ops", "Time", Detail::Basic).expect("no label is empty")
}

/// Adds through the statistic itself, which looks up the thread's stripe.
pub struct ByLookup<S, M = Modelled> {
    stat: S,
    machine: PhantomData<fn() -> M>,
}

impl<S: Make, M: Machine> Subject for ByLookup<S, M> {
    type Writer<'a> = &'a S;

    fn new() -> Self {
        Self {
            stat: S::make(labels(), M::processors()),
            machine: PhantomData,
        }
    }

    fn writer(&self) -> &S {
        &self.stat
    }

    fn drain(&self) -> Option<Batch> {
        snapshot(&self.stat)
    }

    fn look(&self) {
        self.stat.last_stat();
    }
}

impl<S: IntervalStat> Writer for &S {
    fn add(&mut self, sample: i64) {
        IntervalStat::add(*self, sample);
    }

    fn add_batch(&mut self, samples: &[i64]) {
        IntervalStat::add_batch(*self, samples);
    }
}

/// Adds through a recorder.
pub struct ByRecorder<R: Runtime>(ConcurrentMutableStat<R>);

impl<R: Runtime> Subject for ByRecorder<R> {
    type Writer<'a> = Recorder<'a, Moments, R>;

    fn new() -> Self {
        Self(ConcurrentMutableStat::new(labels()))
    }

    fn writer(&self) -> Self::Writer<'_> {
        self.0.recorder()
    }

    fn drain(&self) -> Option<Batch> {
        snapshot(&self.0)
    }

    fn look(&self) {
        self.0.last_stat();
    }
}

impl<R: Runtime> Subject for PerformanceMetrics<R> {
    type Writer<'a> = &'a ConcurrentMutableStat<R, Distribution>;

    fn new() -> Self {
        Self::new(labels())
    }

    fn writer(&self) -> Self::Writer<'_> {
        self.stat()
    }

    fn drain(&self) -> Option<Batch> {
        let snapshot = self.snapshot(Emit::Changed)?;
        Some(snapshot.statistic.interval.batch())
    }

    fn look(&self) {
        self.stat().last_stat();
    }
}

impl<A: Accumulator, R: Runtime> Writer for Recorder<'_, A, R> {
    fn add(&mut self, sample: i64) {
        Recorder::add(self, sample);
    }

    fn add_batch(&mut self, samples: &[i64]) {
        Recorder::add_batch(self, samples);
    }
}
