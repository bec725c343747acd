//! The two halves of an asymmetric fence on native threads.
//!
//! A full fence on every add costs more than all the rest of it. Linux can move
//! the cost to the drain: the system call `membarrier` makes every running
//! thread of the process pass a full fence at that moment, wherever it is, and
//! a thread that is not running passes one before it runs again. Against such a
//! heavy fence it is enough that the compiler keeps the order of the accesses
//! around the light one.
//!
//! The language's memory model knows no such pair; the contract is the
//! kernel's (membarrier(2), private expedited commands), and what it promises is
//! what C++ paper P1202 calls a light and a heavy asymmetric fence. Where the
//! system call is missing, both halves are sequentially consistent fences.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, compiler_fence, fence};

/// How native threads make the two halves of an asymmetric fence.
///
/// # Safety
///
/// The two halves keep the contract of
/// [`Runtime::light_fence`](super::Runtime::light_fence), which `unsafe` code rests on.
pub unsafe trait Fences: 'static {
    /// Called before the first fence.
    fn prepare() {}
    /// The frequent half.
    fn light();
    /// The rare half.
    fn heavy();
}

/// Both halves are sequentially consistent fences.
#[derive(Debug, Clone, Copy)]
pub enum Symmetric {}

// SAFETY: fences: sequentially consistent fences are in one total order.
unsafe impl Fences for Symmetric {
    #[inline]
    fn light() {
        fence(SeqCst);
    }

    fn heavy() {
        fence(SeqCst);
    }
}

/// The heavy half pays for the light one where the system can do that; else as
/// [`Symmetric`].
///
/// The first use in a process asks the system once, which can take some
/// milliseconds.
#[derive(Debug, Clone, Copy)]
pub enum Asymmetric {}

/// Whether heavy fences reach every thread. Becomes true before any light fence
/// relies on it, and stays so.
static REACHES_ALL: AtomicBool = AtomicBool::new(false);

// SAFETY: fences: membarrier(2) promises it, else as `Symmetric` (module docs).
unsafe impl Fences for Asymmetric {
    fn prepare() {
        reaches_all();
    }

    #[inline]
    fn light() {
        // Relaxed: whoever reads true comes after the registration, and every
        // heavy fence knows of it (`reaches_all`); whoever still reads false
        // makes a full fence, which is more than enough.
        if REACHES_ALL.load(Relaxed) {
            compiler_fence(SeqCst);
        } else {
            fence(SeqCst);
        }
    }

    fn heavy() {
        if reaches_all() {
            reach_all();
        }
        fence(SeqCst);
    }
}

/// Whether the system lets this process fence all its threads at once. Every
/// caller gets the same answer, and none before it is final.
fn reaches_all() -> bool {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    *REGISTERED.get_or_init(|| {
        let registered = system::register();
        // Relaxed: see `light`.
        REACHES_ALL.store(registered, Relaxed);
        registered
    })
}

/// Makes every thread of the process pass a full fence.
fn reach_all() {
    // A child process after a fork may have to register again.
    let reached = system::fence_all() || (system::register() && system::fence_all());
    assert!(
        reached,
        "membarrier(2) stopped working: adds can no longer be drained exactly"
    );
}

#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    use rustix::thread::{MembarrierCommand, membarrier};

    pub(super) fn register() -> bool {
        membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
    }

    pub(super) fn fence_all() -> bool {
        membarrier(MembarrierCommand::PrivateExpedited).is_ok()
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod system {
    pub(super) fn register() -> bool {
        false
    }

    pub(super) fn fence_all() -> bool {
        false
    }
}
