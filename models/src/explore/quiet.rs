//! Panics that a search provokes are its findings, not news for the terminal.

use std::cell::{Cell, RefCell};
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static FIRST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `search`; panics in this native thread print nothing meanwhile.
pub fn quietly<O>(search: impl FnOnce() -> O) -> O {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        install_shuttles_hook();
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if QUIET.get() {
                remember(panic);
            } else {
                loud(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let answer = search();
    QUIET.set(before);
    answer
}

/// As [`quietly`]; and the source file of the first panic in this native thread
/// meanwhile, if there was one: what unwinds may panic once more.
pub fn watching<O>(search: impl FnOnce() -> O) -> (O, Option<String>) {
    FIRST.take();
    let answer = quietly(search);
    (answer, FIRST.take())
}

fn remember(panic: &PanicHookInfo<'_>) {
    let file = panic.location().map(|place| place.file().to_owned());
    FIRST.with_borrow_mut(|first| *first = first.take().or(file));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_panic_is_remembered_and_no_earlier_one() {
        let stumble = || drop(panic::catch_unwind(|| panic!("here")));
        let index = || drop(panic::catch_unwind(|| "short".to_owned().remove(9)));
        let ((), first) = watching(|| {
            stumble();
            index();
        });
        assert_eq!(first.as_deref(), Some(file!()));
        assert_eq!(watching(|| ()).1, None);
    }
}
