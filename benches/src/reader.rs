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

    /// Closes intervals until told to stop by the sender's going, and says how
    /// many.
    fn read(self, stop: &Receiver<()>, mut drain: impl FnMut()) -> u64 {
        let period = Duration::from_secs(1) / self.per_second;
        let mut next = Instant::now() + period.min(Self::SOON);
        let mut drains = 0;
        loop {
            let wait = next.saturating_duration_since(Instant::now());
            match stop.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => drain(),
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return drains,
            }
            drains += 1;
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
    std::thread::scope(|scope| {
        let (working, stop) = channel();
        let reading =
            reader.map(|reader| scope.spawn(move || reader.read(&stop, || target.drain())));
        let output = work();
        drop(working);
        let drains = reading.map_or(0, |reading| {
            reading.join().expect("a reading thread does not panic")
        });
        (output, drains)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_reads_until_the_work_is_done() {
        let (working, stop) = channel();
        let (mut drains, mut working) = (0, Some(working));
        let counted = Reader { per_second: 10_000 }.read(&stop, || {
            drains += 1;
            if drains == 5 {
                working.take();
            }
        });
        assert_eq!((drains, counted), (5, 5));
    }
}
