//! What a system does to a process: stops it or one of its threads anywhere, forks
//! it, gives it no memory.
//!
//! The test starts itself as the process that it is done to.

#[cfg(unix)]
mod thrown;
#[cfg(unix)]
#[allow(unsafe_code, reason = "fork(2) and sigaction(2) are")]
#[path = "processes/unix.rs"]
mod unix;

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(not(unix))]
fn main() {
    println!("not run: these are things that a Unix system does");
}
