//! What each engine must find, said beforehand.
//!
//! The rules, by what a mutant changes and where:
//!
//! - An ordering or a fence of the protocol: loom must kill it. Shuttle must miss
//!   it, for it takes every access for sequentially consistent. The store
//!   buffers of x86 must miss every ordering too, for x86 never reorders what
//!   they order; that the fence of a drain is one they must see.
//! - A step of the protocol: loom must kill it, and shuttle; of the other
//!   engines, which are slower or luckier, nothing is said.
//! - The native fences: only native threads and Miri run them.
//! - What only a runtime of one engine runs: that engine must kill it.
//! - The accumulators: their properties must kill it.
//!
//! What differs is an `exception` in the ledger, with its reason.

use models::ladder::Engine;
use serde::{Deserialize, Serialize};

use crate::book::Book;
use crate::mutant::{Kind, Mutant};

/// What an engine is to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// It must kill the mutant.
    Kill,
    /// It must miss it.
    Miss,
    /// Nothing is said.
    May,
    /// It does not run the code.
    Blind,
}

/// What `engine` is to find for `mutant`.
pub fn expected(book: &Book, mutant: &Mutant, engine: Engine) -> Expected {
    let exceptions = book.exceptions.iter();
    for exception in exceptions.filter(|exception| exception.mutant == mutant.id) {
        let said = [
            (&exception.kill, Expected::Kill),
            (&exception.miss, Expected::Miss),
            (&exception.may, Expected::May),
        ];
        if let Some((_, said)) = said.iter().find(|(engines, _)| engines.contains(&engine)) {
            return *said;
        }
    }
    if book
        .equivalents
        .iter()
        .any(|survivor| survivor.mutant == mutant.id)
    {
        return match by_rule(mutant, engine) {
            Expected::Blind => Expected::Blind,
            _ => Expected::Miss,
        };
    }
    by_rule(mutant, engine)
}

/// The engines that must kill the mutant, the fastest first.
pub fn killers(book: &Book, mutant: &Mutant) -> Vec<Engine> {
    let kills = |engine: &Engine| expected(book, mutant, *engine) == Expected::Kill;
    Engine::ALL.into_iter().filter(kills).collect()
}

fn by_rule(mutant: &Mutant, engine: Engine) -> Expected {
    match mutant.file.as_str() {
        "src/runtime/loom.rs" => only(engine == Engine::Loom),
        "src/runtime/handed_on.rs" => handed_on(engine),
        "src/runtime/fences.rs" | "src/runtime/native.rs" => match engine {
            Engine::Native => Expected::Kill,
            Engine::Miri => Expected::May,
            _ => Expected::Blind,
        },
        _ if mutant.kind == Kind::Arithmetic => only(engine == Engine::Proptest),
        _ => protocol(mutant.kind, engine),
    }
}

fn only(is_its: bool) -> Expected {
    if is_its {
        Expected::Kill
    } else {
        Expected::Blind
    }
}

fn handed_on(engine: Engine) -> Expected {
    match engine {
        Engine::Loom => Expected::Kill,
        Engine::Shuttle | Engine::StoreBuffers => Expected::May,
        _ => Expected::Blind,
    }
}

fn protocol(kind: Kind, engine: Engine) -> Expected {
    match (kind, engine) {
        (_, Engine::Loom) => Expected::Kill,
        (Kind::Ordering, Engine::Shuttle | Engine::StoreBuffers) => Expected::Miss,
        (_, Engine::Shuttle) => Expected::Kill,
        (_, Engine::Proptest) => Expected::Blind,
        _ => Expected::May,
    }
}
