//! Two statistics with the same arithmetic answer any sequence of calls alike,
//! whichever way the samples of one of them are added.
#![no_main]

use interval_stat::runtime::Std;
use interval_stat::{
    ConcurrentMutableStat, Detail, Emit, IntervalStat, Labels, Moments, MutableStat, Recorder,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let labels = Labels::new("Any", "any", "Ops", "Time", Detail::Extended);
    let labels = labels.expect("no label is empty");
    let locked: MutableStat<Std, Moments> = MutableStat::new(labels.clone());
    let striped: ConcurrentMutableStat = ConcurrentMutableStat::new(labels);
    let mut recorders: Vec<Recorder<'_, Moments>> = Vec::new();
    // A call is a byte that says which, and a sample.
    for call in bytes.chunks_exact(9) {
        let sample = i64::from_le_bytes(call[1..].try_into().expect("eight bytes"));
        let emit = if sample < 0 { Emit::All } else { Emit::Changed };
        match call[0] % 10 {
            0 | 1 => {
                locked.add(sample);
                striped.add(sample);
            }
            2 | 3 => {
                locked.add(sample);
                match recorders.last_mut() {
                    Some(recorder) => recorder.add(sample),
                    None => striped.add(sample),
                }
            }
            4 => {
                let samples = [sample, sample.wrapping_mul(3), !sample];
                locked.add_batch(&samples);
                striped.add_batch(&samples);
            }
            5 => {
                let count = u64::from(sample.unsigned_abs() as u16);
                assert_eq!(locked.add_n(count, sample), striped.add_n(count, sample));
            }
            6 => assert_eq!(locked.snapshot(emit), striped.snapshot(emit)),
            7 => assert_eq!(locked.last_stat(), striped.last_stat()),
            8 => {
                locked.reset_min_max();
                striped.reset_min_max();
            }
            _ if emit == Emit::All => recorders.push(striped.recorder()),
            _ => drop(recorders.pop()),
        }
    }
    drop(recorders);
    assert_eq!(locked.snapshot(Emit::All), striped.snapshot(Emit::All));
});
