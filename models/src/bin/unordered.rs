//! A program with data races: the statistic over words that order nothing. A tool
//! that looks for data races and finds none in here has not looked.

use interval_stat::runtime::Std;
use models::subject::ByRecorder;
use models::twisted::{Twisted, Unordered};
use models::unlogged::{self, Telling};

fn main() {
    for _ in 0..100 {
        unlogged::run::<ByRecorder<Twisted<Std, Unordered>>>(Telling::Silent);
    }
}
