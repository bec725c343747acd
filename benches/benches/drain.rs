//! A drain of the protocol itself, by number of stripes.

use criterion::{BenchmarkId, Criterion, Throughput};
use interval_stat::{Moments, Striped};

fn drain(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("drain");
    for stripes in [1, 2, 10, 80, 800] {
        let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
        // Recorders that live at once own a stripe each.
        let mut recorders: Vec<_> = (0..stripes).map(|_| samples.recorder()).collect();
        recorders.iter_mut().for_each(|recorder| recorder.add(1));
        group.throughput(Throughput::Elements(stripes));
        group.bench_function(BenchmarkId::new("stripes", stripes), |bencher| {
            bencher.iter(|| samples.drain());
        });
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    drain(&mut criterion);
    criterion.final_summary();
}
