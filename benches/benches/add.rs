//! `add`, alone and beside busy threads. Each add draws its sample as in the
//! scenarios; "harness only" is what that costs.

use benches::{Adder, Contender, Entrant, Samples, Target, Use};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// `add` on this thread while `busy` others add to the same target.
struct Add<'a, 'c> {
    group: &'a mut BenchmarkGroup<'c, WallTime>,
    contender: Contender,
    busy: usize,
}

impl Use for Add<'_, '_> {
    type Output = ();

    fn of<T: Target>(self) {
        let target = T::fresh();
        let (started, done) = (Barrier::new(self.busy + 1), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for number in 1..=self.busy {
                let (target, started, done) = (&target, &started, &done);
                scope.spawn(move || add_until(target, number, started, done));
            }
            started.wait();
            self.measure(&target);
            done.store(true, Relaxed);
        });
    }
}

impl Add<'_, '_> {
    fn measure(self, target: &impl Target) {
        let (mut adder, mut samples) = (target.adder(), Samples::of_thread(0));
        let id = BenchmarkId::new(self.contender.name(), self.busy);
        self.group
            .bench_function(id, |bencher| bencher.iter(|| adder.add(samples.draw())));
    }
}

fn add_until(target: &impl Target, number: usize, started: &Barrier, done: &AtomicBool) {
    let (mut adder, mut samples) = (target.adder(), Samples::of_thread(number));
    started.wait();
    while !done.load(Relaxed) {
        adder.add(samples.draw());
    }
}

/// The parameter is how many other threads are busy adding: none, one, and
/// more than a small machine has cores for.
fn add(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("add");
    group.throughput(Throughput::Elements(1));
    for busy in [0, 1, 4] {
        for &contender in Contender::ALL {
            contender.put_to(Add {
                group: &mut group,
                contender,
                busy,
            });
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    add(&mut criterion);
    criterion.final_summary();
}
