//! Mutants of the shipped code that need no second copy of it: while one is
//! installed, [`Observed`](crate::observed::Observed) makes an access of the
//! statistic's own source weaker than it is written.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A fault in the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Mutant {
    /// The opening store of the sequence number is relaxed: a drain that sees a
    /// later add open does not see what the earlier one recorded. The first
    /// draft that loom rejected.
    OpeningStoreRelaxed,
    /// The epoch is published by a relaxed store and read by a relaxed load: the
    /// emptying of a buffer is not ordered before the adds that fill it next.
    /// The second draft that loom rejected.
    EpochRelaxed,
    /// The heavy fence of a drain reaches no other thread.
    HeavyFenceLocal,
    /// A drain takes every stripe for idle and waits for nobody.
    NoWait,
}

thread_local! {
    static INSTALLED: Cell<Option<Mutant>> = const { Cell::new(None) };
}

/// Runs `body` with the mutant installed in this native thread.
pub fn with<O>(mutant: Mutant, body: impl FnOnce() -> O) -> O {
    struct Uninstall;
    impl Drop for Uninstall {
        fn drop(&mut self) {
            INSTALLED.set(None);
        }
    }
    INSTALLED.set(Some(mutant));
    let _uninstall = Uninstall;
    body()
}

/// The mutant that is installed in this native thread.
pub fn installed() -> Option<Mutant> {
    INSTALLED.get()
}

/// Whether the mutant is installed in this native thread.
pub fn is_installed(mutant: Mutant) -> bool {
    installed() == Some(mutant)
}

pub(crate) fn load(name: &str, order: Ordering) -> Ordering {
    match (INSTALLED.get(), name) {
        (Some(Mutant::EpochRelaxed), "epoch") => Ordering::Relaxed,
        _ => order,
    }
}

pub(crate) fn read(name: &str, order: Ordering, read: u64) -> u64 {
    match (INSTALLED.get(), name, order) {
        (Some(Mutant::NoWait), "seq", Ordering::Acquire) => read & !1,
        _ => read,
    }
}

pub(crate) fn store(name: &str, written: u64, order: Ordering) -> Ordering {
    match (INSTALLED.get(), name) {
        (Some(Mutant::OpeningStoreRelaxed), "seq") if written & 1 == 1 => Ordering::Relaxed,
        (Some(Mutant::EpochRelaxed), "epoch") => Ordering::Relaxed,
        _ => order,
    }
}
