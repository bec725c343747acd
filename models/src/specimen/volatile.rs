//! Java's `volatile long`.

use std::sync::atomic::Ordering::SeqCst;

use interval_stat::runtime::{Atomic, Runtime};

/// A `volatile long` of Java: every access is sequentially consistent.
///
/// The value lies in the 64 bits of the runtime's word.
pub struct Volatile<R: Runtime>(R::Atomic);

impl<R: Runtime> Volatile<R> {
    /// A field called `name` that holds `value`.
    pub fn new(name: &'static str, value: i64) -> Self {
        Self(R::Atomic::new(name, bits(value)))
    }

    /// Reads it.
    #[track_caller]
    pub fn get(&self) -> i64 {
        long(self.0.load(SeqCst))
    }

    /// Writes it.
    #[track_caller]
    pub fn set(&self, value: i64) {
        self.0.store(bits(value), SeqCst);
    }

    /// Writes it and returns what it held, in one step.
    #[track_caller]
    pub fn get_and_set(&self, value: i64) -> i64 {
        long(self.0.swap(bits(value), SeqCst))
    }

    /// Writes `new` if it holds `current`, in one step; says whether it did.
    #[track_caller]
    pub fn compare_and_set(&self, current: i64, new: i64) -> bool {
        self.0
            .compare_exchange(bits(current), bits(new), SeqCst, SeqCst)
            .is_ok()
    }

    /// Adds one to it and returns what it held, in one step.
    #[track_caller]
    pub fn get_and_increment(&self) -> i64 {
        loop {
            let held = self.get();
            if self.compare_and_set(held, held.wrapping_add(1)) {
                return held;
            }
        }
    }
}

fn bits(value: i64) -> u64 {
    u64::from_ne_bytes(value.to_ne_bytes())
}

fn long(bits: u64) -> i64 {
    i64::from_ne_bytes(bits.to_ne_bytes())
}
