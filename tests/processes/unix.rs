//! On Unix.

use std::alloc::System;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;

use cap::Cap;
use interval_stat::{Interval, Moments, Striped};
use libtest_mimic::{Arguments, Failed, Trial};
use nix::sys::pthread::{Pthread, pthread_kill, pthread_self};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, kill, sigaction};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, alarm, fork};

use crate::thrown::thrown;

/// Refuses to allocate beyond a limit, once there is one.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

type Role = (&'static str, fn());

/// What a process can be started as.
const ROLES: [Role; 6] = [
    ("busy", busy),
    ("interrupted", interrupted),
    ("forking", forking),
    ("forking among threads", forking_among_threads),
    ("out of memory", out_of_memory),
    ("under pressure", under_pressure),
];

pub(crate) fn main() {
    if let Some(name) = std::env::var_os("PROCESS_ROLE") {
        // A process that hangs is ended by the system.
        alarm::set(120);
        let role = ROLES.iter().find(|role| name == role.0);
        role.expect("a test named the role").1();
        return;
    }
    let trials = vec![
        Trial::test(
            "a process stopped at any moment loses nothing",
            stopped_at_any_moment,
        ),
        Trial::test("a thread stopped at any instruction loses nothing", || {
            ends_well("interrupted")
        }),
        Trial::test(
            "a child has a copy of what was added before the fork",
            || ends_well("forking"),
        ),
        Trial::test(
            "a child of busy threads starts clean with statistics of its own",
            || ends_well("forking among threads"),
        ),
        Trial::test(
            "without memory, a new stripe ends the process and an old one works",
            refuses_memory,
        ),
        Trial::test("adds and drains go on while memory is short", || {
            ends_well("under pressure")
        }),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn start(role: &str) -> Child {
    let myself = std::env::current_exe().expect("the test runs from a file");
    let mut command = Command::new(myself);
    command.env("PROCESS_ROLE", role).stdin(Stdio::piped());
    let started = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    started.expect("a process can be started")
}

fn end(child: Child) -> Output {
    let output = child.wait_with_output().expect("it is our child");
    let said = String::from_utf8_lossy(&output.stdout);
    said.lines()
        .filter(|line| line.starts_with("thrown: "))
        .for_each(|line| println!("{line}"));
    output
}

fn ends_well(role: &str) -> Result<(), Failed> {
    check(&end(start(role)))
}

fn check(output: &Output) -> Result<(), Failed> {
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}

/// Every sample: an interval that has half of one shows it.
const SAMPLE: i64 = 3;

fn check_interval(batch: &Moments) {
    let (count, sum) = (u128::from(batch.count()), batch.sum());
    assert_eq!(sum, 3 * count as i128);
    assert_eq!(batch.sum_of_squares(), (9 * count).into());
    assert_eq!(batch.min(), (count > 0).then_some(SAMPLE));
    assert_eq!(batch.max(), (count > 0).then_some(SAMPLE));
}

/// Two writers and a drainer at full speed.
#[derive(Default)]
struct Busy {
    over: AtomicBool,
    /// What each writer has added so far.
    added: [AtomicU64; 2],
}

impl Busy {
    /// Runs until it is over, and returns how many samples were added and how
    /// many drained; `manage` is given the threads: the writers, then the
    /// drainer.
    fn run(&self, manage: impl FnOnce([Pthread; 3])) -> (u64, u64) {
        let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
        let (tell, told) = channel();
        let drained = thread::scope(|threads| {
            for (index, added) in self.added.iter().enumerate() {
                let (tell, samples) = (tell.clone(), &samples);
                threads.spawn(move || {
                    tell.send((index, pthread_self()))
                        .expect("who manages waits");
                    while !self.over.load(SeqCst) {
                        samples.add(SAMPLE);
                        added.fetch_add(1, SeqCst);
                    }
                });
            }
            let drainer = threads.spawn(|| {
                tell.send((2, pthread_self())).expect("who manages waits");
                let mut drained = 0;
                while !self.over.load(SeqCst) {
                    let batch = samples.drain();
                    check_interval(&batch);
                    drained += batch.count();
                }
                drained
            });
            let mut all = [pthread_self(); 3];
            told.iter()
                .take(3)
                .for_each(|(index, thread)| all[index] = thread);
            manage(all);
            self.over.store(true, SeqCst);
            drainer.join().expect("every interval is whole")
        });
        let rest = samples.drain();
        check_interval(&rest);
        let added = self.added.iter().map(|added| added.load(SeqCst)).sum();
        (added, drained + rest.count())
    }

    /// Waits until the writer has added some more.
    fn wait_for(&self, writer: usize) {
        let before = self.added[writer].load(SeqCst);
        while self.added[writer].load(SeqCst) < before + 100 {
            thread::yield_now();
        }
    }
}

const STOPS: u64 = 300;

/// Adds and drains until its input ends.
fn busy() {
    let busy = Busy::default();
    let (added, drained) = busy.run(|_| {
        println!("busy");
        std::io::stdin()
            .read_to_end(&mut Vec::new())
            .expect("the test ends it");
    });
    thrown(
        "SIGSTOP and SIGCONT of the process",
        STOPS,
        "stops",
        added,
        drained,
    );
}

fn stopped_at_any_moment() -> Result<(), Failed> {
    let mut child = start("busy");
    let stopped = stop_and_continue(&mut child);
    drop(child.stdin.take());
    let output = end(child);
    stopped?;
    check(&output)
}

fn stop_and_continue(child: &mut Child) -> Result<(), Failed> {
    let process = Pid::from_raw(child.id() as i32);
    let mut line = [0; 5];
    let said = child.stdout.as_mut().expect("it is piped");
    said.read_exact(&mut line)?;
    for _ in 0..STOPS {
        kill(process, Signal::SIGSTOP)?;
        let stopped = waitpid(process, Some(WaitPidFlag::WUNTRACED))?;
        assert_eq!(stopped, WaitStatus::Stopped(process, Signal::SIGSTOP));
        kill(process, Signal::SIGCONT)?;
        // Lets it run, for as long as the system likes.
        thread::sleep(std::time::Duration::from_micros(300));
    }
    Ok(())
}

/// How many threads have stopped so far, and how many may go on.
static STOPPED: AtomicU64 = AtomicU64::new(0);
static RELEASED: AtomicU64 = AtomicU64::new(0);

extern "C" fn stop(_: i32) {
    let turn = STOPPED.fetch_add(1, SeqCst);
    while RELEASED.load(SeqCst) <= turn {
        thread::yield_now();
    }
}

/// Stops one thread after the other at whatever instruction it is, in the middle
/// of an add or of a drain: writers that are not stopped go on.
fn interrupted() {
    let action = SigAction::new(
        SigHandler::Handler(stop),
        SaFlags::SA_RESTART,
        SigSet::empty(),
    );
    // SAFETY: the handler uses atomics and sched_yield(2), which a handler may.
    unsafe { sigaction(Signal::SIGUSR1, &action) }.expect("the signal can be handled");
    let busy = Busy::default();
    let (added, drained) = busy.run(|threads| {
        for turn in 0..STOPS {
            let stopped = (turn % 3) as usize;
            pthread_kill(threads[stopped], Signal::SIGUSR1).expect("the thread runs");
            while STOPPED.load(SeqCst) == turn {
                thread::yield_now();
            }
            (0..2)
                .filter(|&writer| writer != stopped)
                .for_each(|writer| busy.wait_for(writer));
            RELEASED.fetch_add(1, SeqCst);
            busy.wait_for(stopped % 2);
        }
    });
    thrown(
        "threads stopped at any instruction",
        STOPS,
        "stops",
        added,
        drained,
    );
}

/// Runs `child` in a child process, which must end well.
fn in_child(child: impl FnOnce()) {
    // SAFETY: of the other threads, if there are any, none holds a lock that the
    // child needs: they add, to stripes that they have.
    match unsafe { fork() }.expect("a process can be forked") {
        ForkResult::Child => {
            alarm::set(60);
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).is_err();
            exit(i32::from(failed));
        }
        ForkResult::Parent { child } => {
            let ended = waitpid(child, None).expect("it is our child");
            assert_eq!(ended, WaitStatus::Exited(child, 0));
        }
    }
}

fn forking() {
    const FORKS: i64 = 100;
    let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
    for fork in 0..FORKS {
        samples.add(1);
        in_child(|| {
            // What the parent has not drained is in both: a child that drains
            // before it adds leaves the counting of it to the parent.
            assert_eq!(samples.drain().sum(), i128::from(fork + 1));
            samples.add(2);
            thread::scope(|threads| {
                threads.spawn(|| samples.add(4));
            });
            assert_eq!(samples.drain().sum(), 6);
        });
    }
    let parents = samples.drain().count();
    thrown(
        "forks of a process with one thread",
        FORKS as u64,
        "forks",
        FORKS as u64,
        parents,
    );
}

fn forking_among_threads() {
    const FORKS: u64 = 100;
    let busy = Busy::default();
    let (added, drained) = busy.run(|_| {
        for _ in 0..FORKS {
            (0..2).for_each(|writer| busy.wait_for(writer));
            in_child(|| {
                let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
                thread::scope(|threads| {
                    threads.spawn(|| samples.add(2));
                    samples.add(4);
                });
                assert_eq!(samples.drain().sum(), 6);
            });
        }
    });
    thrown(
        "forks beside threads that add",
        FORKS,
        "forks",
        added,
        drained,
    );
}

/// What is said last by a process that gets no memory for a stripe.
const DRAINED: &str = "drained 7";

fn out_of_memory() {
    let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
    let mut recorder = samples.recorder();
    samples.add(1);
    println!("no memory from here on");
    ALLOCATOR
        .set_limit(ALLOCATOR.allocated())
        .expect("nothing allocates beside it");
    recorder.add(2);
    samples.add(4);
    println!("drained {}", samples.drain().sum());
    std::io::stdout().flush().expect("the test listens");
    drop(samples.recorder());
    println!("there was memory");
}

fn refuses_memory() -> Result<(), Failed> {
    let output = end(start("out of memory"));
    let (said, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(said.trim_end().ends_with(DRAINED), "{said}{error}");
    assert_eq!(output.status.signal(), Some(Signal::SIGABRT as i32));
    assert!(error.contains("memory allocation of"), "{error}");
    thrown("no memory for a new stripe", 1, "refusals", 7, 7);
    Ok(())
}

/// Takes all the memory that there is, down to a page.
fn take_memory() -> Vec<Vec<u8>> {
    let mut taken = Vec::with_capacity(1 << 16);
    for size in [1 << 24, 1 << 20, 1 << 16, 1 << 12] {
        let mut block: Vec<u8> = Vec::new();
        while taken.len() < taken.capacity() && block.try_reserve_exact(size).is_ok() {
            taken.push(std::mem::take(&mut block));
        }
    }
    taken
}

fn under_pressure() {
    let limit = 1 << 30;
    setrlimit(Resource::RLIMIT_AS, limit, limit).expect("a limit can be lowered");
    let busy = Arc::new(Busy::default());
    let (added, drained) = busy.run(|_| {
        let taken = take_memory();
        (0..2).for_each(|writer| busy.wait_for(writer));
        assert!(
            thread::Builder::new().spawn(|| ()).is_err(),
            "there is memory"
        );
        (0..2).for_each(|writer| busy.wait_for(writer));
        drop(taken);
        (0..2).for_each(|writer| busy.wait_for(writer));
    });
    thrown(
        "no memory left to a process that adds and drains",
        1,
        "shortages",
        added,
        drained,
    );
}
