//! A reader that closes intervals while others add.

use crate::target::Target;
use serde::{Deserialize, Serialize};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Closes an interval so often.
///
/// The first one comes soon, so that there is one in the shortest window. A
/// reader that is late catches up without a pause, so that it closes as many as
/// it was told to or as many as it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reader {
    /// How often, at least 1.
    pub per_second: u32,
}

impl Reader {
    /// When it closes its first interval, at the latest.
    const SOON: Duration = Duration::from_millis(75);

    /// Does `work` on this thread and calls `drain` on another, so often, until
    /// the work is done.
    pub(crate) fn beside<O>(self, drain: impl FnMut() + Send, work: impl FnOnce() -> O) -> O {
        std::thread::scope(|scope| {
            let (working, stop) = channel();
            scope.spawn(move || self.read(&stop, drain));
            let output = work();
            drop(working);
            output
        })
    }

    /// Calls `drain` until told to stop by the sender's going.
    fn read(self, stop: &Receiver<()>, mut drain: impl FnMut()) {
        let period = Duration::from_secs(1) / self.per_second;
        let mut next = Instant::now() + period.min(Self::SOON);
        let until = |next: Instant| next.saturating_duration_since(Instant::now());
        while stop.recv_timeout(until(next)) == Err(RecvTimeoutError::Timeout) {
            drain();
            next += period;
        }
    }
}

/// Does `work` while the reader, if there is one, closes intervals of the
/// target; says how many it closed.
pub(crate) fn beside<T: Target, O>(
    reader: Option<Reader>,
    target: &T,
    work: impl FnOnce() -> O,
) -> (O, u64) {
    let Some(reader) = reader else {
        return (work(), 0);
    };
    let mut drains = 0;
    let drain = || {
        target.drain();
        drains += 1;
    };
    let output = reader.beside(drain, work);
    (output, drains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_reads_until_the_work_is_done() {
        let (working, stop) = channel();
        let (mut drains, mut working) = (0, Some(working));
        Reader { per_second: 10_000 }.read(&stop, || {
            drains += 1;
            if drains == 5 {
                working.take();
            }
        });
        assert_eq!(drains, 5);
    }
}
