//! A program with the fault that it is told to have. A tool that looks for such
//! faults and finds none in here has not looked.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use interval_stat::runtime::Std;
use models::subject::ByRecorder;
use models::twisted::{Twisted, Unordered};
use models::unlogged::{self, Telling};

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        // The statistic over words that order nothing.
        Some("race") => {
            (0..100).for_each(|_| {
                unlogged::run::<ByRecorder<Twisted<Std, Unordered>>>(Telling::Silent);
            });
        }
        Some("leak") => std::mem::forget(std::hint::black_box(vec![0_u8; 100])),
        _ => {
            eprintln!("usage: faulty race|leak: say which fault it is to have");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
