//! How a JDK takes what a word holds and leaves the identity.

use interval_stat::runtime::Runtime;

use super::volatile::Volatile;

/// How `sumThenReset` and `getThenReset` reset each word.
pub trait Reset: 'static {
    /// Returns what the word holds and leaves `identity`.
    fn reset<R: Runtime>(word: &Volatile<R>, identity: i64) -> i64;
}

/// JDK 8: a read, then a store. What another thread writes between the two is
/// lost.
pub enum Jdk8 {}

/// JDK 9 and later: one exchange.
pub enum Jdk9 {}

impl Reset for Jdk8 {
    #[track_caller]
    fn reset<R: Runtime>(word: &Volatile<R>, identity: i64) -> i64 {
        let held = word.get();
        word.set(identity);
        held
    }
}

impl Reset for Jdk9 {
    #[track_caller]
    fn reset<R: Runtime>(word: &Volatile<R>, identity: i64) -> i64 {
        word.get_and_set(identity)
    }
}
