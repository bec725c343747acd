//! Threads of a runtime: what a program needs besides the primitives.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use interval_stat::runtime::{Runtime, Std};

#[cfg(feature = "loom")]
use interval_stat::runtime::Loom;
#[cfg(feature = "shuttle")]
use interval_stat::runtime::Shuttle;

/// A runtime whose threads a program can start and join.
pub trait Engine: Runtime {
    /// The name in results.
    const NAME: &'static str;
    /// Whether accesses take effect in the order in which they are logged; then
    /// an operation that ended before another one began precedes it. Under a
    /// weak memory model only happens-before orders operations.
    const SEQUENTIAL: bool;
    /// A running thread.
    type Handle;

    /// Starts a thread whose [`current`](Self::current) is `index`.
    fn spawn(index: usize, body: impl FnOnce() + Send + 'static) -> Self::Handle;
    /// Waits for a thread to end.
    fn join(thread: Self::Handle);
    /// The index of the calling thread; 0 is the one that no `spawn` started.
    fn current() -> usize;

    /// Calls `operation`, and catches its panic if the engine can go on after
    /// one.
    ///
    /// # Errors
    ///
    /// The message of the panic.
    fn attempt(operation: impl FnOnce()) -> Result<(), String> {
        if Self::SEQUENTIAL {
            catch_unwind(AssertUnwindSafe(operation)).map_err(|panic| message(&*panic))
        } else {
            // Loom cannot go on: what it reports by a panic ends its search.
            operation();
            Ok(())
        }
    }
}

/// The message of a panic.
pub(crate) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// Implements [`Engine`] over the threads of `$threads`.
macro_rules! engine {
    ($runtime:ident, $($threads:ident)::+, $local:path, $name:literal, sequential: $sequential:literal) => {
        const _: () = {
            use $local as local;
            local! {
                static INDEX: std::cell::Cell<usize> = std::cell::Cell::new(0);
            }

            impl Engine for $runtime {
                const NAME: &'static str = $name;
                const SEQUENTIAL: bool = $sequential;
                type Handle = ::$($threads)::+::JoinHandle<()>;

                fn spawn(index: usize, body: impl FnOnce() + Send + 'static) -> Self::Handle {
                    ::$($threads)::+::spawn(move || {
                        INDEX.with(|current| current.set(index));
                        body();
                    })
                }

                fn join(thread: Self::Handle) {
                    thread.join().expect("the thread ran to its end");
                }

                fn current() -> usize {
                    INDEX.with(std::cell::Cell::get)
                }
            }
        };
    };
}

engine!(Std, std::thread, std::thread_local, "threads", sequential: true);
#[cfg(feature = "loom")]
engine!(Loom, loom::thread, loom::thread_local, "loom", sequential: false);
#[cfg(feature = "shuttle")]
engine!(Shuttle, shuttle::thread, shuttle::thread_local, "shuttle", sequential: true);
