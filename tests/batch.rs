//! A batch is in one interval, whole, whatever the drains beside it do.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use interval_stat::{
    ConcurrentMutableStat, Detail, Emit, Interval, IntervalStat, Labels, Moments, MutableStat,
};

fn no_snapshot_falls_between(stat: &impl IntervalStat<Interval = Moments>) {
    const BATCHES: u64 = 20_000;
    let done = AtomicBool::new(false);
    let whole = || {
        let interval = stat
            .snapshot(Emit::All)
            .expect("all was asked for")
            .interval;
        assert_eq!(interval.sum(), 0);
        assert_eq!(interval.count() % 3, 0);
        interval.count()
    };
    thread::scope(|scope| {
        let writers = [1, 100].map(|sample| {
            scope.spawn(move || {
                (0..BATCHES).for_each(|_| stat.add_batch(&[sample, sample, -2 * sample]));
            })
        });
        let reporter = scope.spawn(|| {
            let mut samples = 0;
            while !done.load(Relaxed) {
                samples += whole();
            }
            samples
        });
        for writer in writers {
            writer.join().expect("it does not panic");
        }
        done.store(true, Relaxed);
        let reported = reporter.join().expect("every interval is whole");
        assert_eq!(reported + whole(), 2 * 3 * BATCHES);
    });
}

fn labels() -> Labels {
    Labels::new("Batch", "batches", "Ops", "Value", Detail::Basic).expect("no label is empty")
}

#[test]
fn no_snapshot_falls_between_without_a_lock() {
    no_snapshot_falls_between(&<ConcurrentMutableStat>::new(labels()));
}

#[test]
fn no_snapshot_falls_between_behind_a_lock() {
    let stat: MutableStat<interval_stat::runtime::Std, Moments> = MutableStat::new(labels());
    no_snapshot_falls_between(&stat);
}
