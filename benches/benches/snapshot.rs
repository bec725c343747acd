//! `snapshot` of both statistics, one sample an interval; of the concurrent
//! one by number of stripes.

use benches::Fresh;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};
use interval_stat::{ConcurrentMutableStat, Emit, IntervalStat, MutableStat};

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, id: BenchmarkId, stat: &impl IntervalStat) {
    group.bench_function(id, |bencher| {
        bencher.iter(|| {
            stat.add(1);
            stat.snapshot(Emit::Changed)
        });
    });
}

fn snapshot(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("snapshot");
    let id = BenchmarkId::from_parameter("MutableStat");
    measure(&mut group, id, &<MutableStat as Fresh>::fresh());
    for stripes in [1, 2, 10, 80] {
        let stat = <ConcurrentMutableStat as Fresh>::fresh();
        // The thread's own stripe is one; recorders that live at once own one
        // each.
        let _recorders: Vec<_> = (1..stripes).map(|_| stat.recorder()).collect();
        measure(
            &mut group,
            BenchmarkId::new("ConcurrentMutableStat", stripes),
            &stat,
        );
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    snapshot(&mut criterion);
    criterion.final_summary();
}
