//! What processes send each other, from anyone: it is read or refused; what is read
//! is the same when it is written and read again, and can be merged and asked.
#![no_main]

use std::fmt::Debug;

use interval_stat::registry::Report;
use interval_stat::{Distribution, Interval, Labels, Moments};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;

fuzz_target!(|text: &str| {
    for line in text.lines() {
        read::<Labels>(line);
        read::<Report>(line);
        merged::<Moments>(line);
        merged::<Distribution>(line);
    }
});

/// What the text says, if it does, and says again.
fn read<T: Serialize + DeserializeOwned + PartialEq + Debug>(text: &str) -> Option<T> {
    let read: T = serde_json::from_str(text).ok()?;
    let written = serde_json::to_string(&read).expect("plain data");
    let again = serde_json::from_str(&written).expect("it was written so");
    assert_eq!(read, again);
    Some(read)
}

/// An interval with itself has twice the samples, and neither mean nor extremes
/// change, but beyond 2^64 - 1 samples, where it can only be read again.
fn merged<I: Interval + Serialize + DeserializeOwned + PartialEq + Debug>(text: &str) {
    let Some(once) = read::<I>(text) else { return };
    let mut twice = once.clone();
    twice.merge(&once);
    read::<I>(&serde_json::to_string(&twice).expect("plain data")).expect("it was written so");
    if once.count() > u64::MAX / 2 {
        return;
    }
    assert_eq!(twice.count(), 2 * once.count());
    assert_eq!(twice.mean(), once.mean());
    assert_eq!((twice.min(), twice.max()), (once.min(), once.max()));
}
