//! The unsafe core on native threads, in runs small enough for Miri.
//!
//! `cargo reliability miri` runs it under Miri with many seeds; `cargo test` runs
//! it, too, once.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;

use interval_stat::runtime::{Fenced, Std};
use interval_stat::{
    Accumulator, ConcurrentMutableStat, Interval, Moments, MutableStat, PerformanceMetrics, Striped,
};
use models::model::{Model, Search};
use models::scenario::Scenario;
use models::statistic::Statistic;
use models::subject::{ByLookup, ByRecorder};
use models::twisted::{NearWrap, Twisted};
use models::unlogged::{self, Telling};

/// Striped samples, nothing gathered.
fn striped() -> Striped<Moments> {
    Striped::new(Moments::EMPTY, ())
}

/// With each of the seeds.
mod often {
    use super::*;

    /// Where there is no membarrier, as in Miri, `Std` has to do without.
    #[test]
    fn what_ships_keeps_the_guarantees() {
        unlogged::run::<ByLookup<ConcurrentMutableStat>>(Telling::Silent);
        unlogged::run::<ByRecorder<Std>>(Telling::Told);
    }

    /// A thread that ends leaves its stripe, with what is in it, to the next one,
    /// while a drain may be at it.
    #[test]
    fn a_thread_hands_its_stripe_on() {
        let samples = striped();
        let mut all = thread::scope(|threads| {
            threads.spawn(|| {
                for sample in [1, 2] {
                    let samples = &samples;
                    thread::scope(|inner| {
                        inner.spawn(move || samples.add(sample));
                    });
                }
            });
            samples.drain()
        });
        all.merge(&samples.drain());
        assert_eq!((all.count(), all.sum()), (2, 3));
    }

    /// A recorder goes to another thread, adds there, and leaves its stripe to the
    /// next recorder.
    #[test]
    fn a_recorder_goes_from_thread_to_thread() {
        let samples = striped();
        let mut all = thread::scope(|threads| {
            let mut recorder = samples.recorder();
            recorder.add(1);
            let samples = &samples;
            threads.spawn(move || {
                recorder.add(2);
                drop(recorder);
                samples.recorder().add(4);
            });
            samples.drain()
        });
        all.merge(&samples.drain());
        assert_eq!((all.count(), all.sum()), (3, 7));
    }

    #[test]
    fn drains_may_meet() {
        let samples = striped();
        let drained = thread::scope(|threads| {
            let draining = [(); 2].map(|()| threads.spawn(|| samples.drain()));
            samples.add(1);
            samples.add(2);
            draining.map(|thread| thread.join().unwrap())
        });
        let mut all = samples.drain();
        drained.iter().for_each(|batch| all.merge(batch));
        assert_eq!((all.count(), all.sum()), (2, 3));
    }

    /// Miri reports what is not freed, and what is used after it was.
    #[test]
    fn the_last_of_several_owners_frees_it() {
        let samples = Arc::new(striped());
        for sample in [1, 2] {
            let samples = Arc::clone(&samples);
            // Not joined here: it may be the last one.
            let adding = thread::spawn(move || samples.add(sample));
            if sample == 1 {
                adding.join().unwrap();
            }
        }
        samples.recorder().add(4);
        drop(samples);
    }
}

/// With some of them: they take Miri longer, or depend less on the seed.
mod seldom {
    use super::*;

    #[test]
    fn words_may_wrap_around() {
        unlogged::run::<ByRecorder<Twisted<Std, NearWrap>>>(Telling::Silent);
    }

    #[test]
    fn full_fences_keep_the_guarantees() {
        unlogged::run::<ByLookup<ConcurrentMutableStat<Fenced>>>(Telling::Told);
        unlogged::run::<ByRecorder<Fenced>>(Telling::Silent);
    }

    #[test]
    fn one_lock_keeps_the_guarantees() {
        unlogged::run::<ByLookup<MutableStat<Std, Moments>>>(Telling::Told);
    }

    /// The models' own checks, on a logged history.
    #[test]
    fn histories_keep_the_guarantees() {
        let model = Model {
            statistic: Statistic::ConcurrentMutableStat,
            scenario: Scenario::together(2, 1, 1),
            search: Search::Threads { runs: 1 },
        };
        let outcome = model.explore().outcome;
        outcome.meets(&model).unwrap();
    }

    /// Adds a sample when its thread's thread-locals are destroyed.
    struct LastWords(Arc<Striped<Moments>>);

    impl Drop for LastWords {
        fn drop(&mut self) {
            self.0.add(2);
        }
    }

    thread_local! {
        static LAST_WORDS: Cell<Option<LastWords>> = const { Cell::new(None) };
    }

    #[test]
    fn an_add_from_a_thread_local_destructor_counts() {
        let samples = Arc::new(striped());
        let for_thread = Arc::clone(&samples);
        let ending = thread::spawn(move || {
            LAST_WORDS.set(Some(LastWords(Arc::clone(&for_thread))));
            for_thread.add(1);
        });
        let mut all = samples.drain();
        ending.join().expect("no destructor panics");
        all.merge(&samples.drain());
        assert_eq!((all.count(), all.sum()), (2, 3));
    }
}

/// With a few, by hand and in the full run: they take Miri very long.
mod rarely {
    use super::*;

    #[test]
    fn performance_metrics_keep_the_guarantees() {
        unlogged::run::<PerformanceMetrics>(Telling::Silent);
    }
}
