//! Panics that a search provokes are its findings, not news for the terminal.

use std::cell::Cell;
use std::panic;
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `search`; panics in this native thread print nothing meanwhile.
pub fn quietly<O>(search: impl FnOnce() -> O) -> O {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        install_shuttles_hook();
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                loud(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let answer = search();
    QUIET.set(before);
    answer
}

/// Shuttle installs a hook of its own at its first run, which must not come to
/// lie over ours.
fn install_shuttles_hook() {
    #[cfg(feature = "shuttle")]
    {
        let mut config = shuttle::Config::new();
        config.failure_persistence = shuttle::FailurePersistence::None;
        let scheduler = shuttle::scheduler::RoundRobinScheduler::new(1);
        shuttle::Runner::new(scheduler, config).run(|| ());
    }
}
