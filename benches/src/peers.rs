//! Who else there is: other ways to gather figures from many threads, and
//! libraries that do, each through its own public interface.
//!
//! None of them offers all that the statistics here do, so a figure says little
//! without what it is the price of: [`Peer::offers`].

mod atomics;
mod libraries;

use atomics::{FourStriped, OneAtomic};
use libraries::{
    Contatori, FastTelemetry, Hdr, MeasuredHistogram, MetricsUtil, ParkingLot, PrometheusClient,
    PrometheusHistogram,
};

use crate::contender::{Contender, Entrant};
use crate::layout::{AcrossLines, Apart};
use crate::target::{Recorded, Use};
use interval_stat::runtime::{Fenced, Std};
use serde::{Deserialize, Serialize};

/// What can be had from a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Offer {
    /// How many samples.
    Count,
    /// Their exact sum.
    Sum,
    /// The smallest, exactly.
    Min,
    /// The largest, exactly.
    Max,
    /// The standard deviation, exactly rounded.
    Stdev,
    /// Intervals that can be closed while others add, and that miss nothing and
    /// count nothing twice.
    Interval,
    /// A reader sees all of a sample or nothing of it.
    Whole,
    /// An add takes a bounded number of steps whatever others do.
    WaitFree,
}

impl Offer {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::Count,
        Self::Sum,
        Self::Min,
        Self::Max,
        Self::Stdev,
        Self::Interval,
        Self::Whole,
        Self::WaitFree,
    ];

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Stdev => "stdev",
            Self::Interval => "exact interval",
            Self::Whole => "whole samples",
            Self::WaitFree => "wait-free add",
        }
    }
}

/// What is measured beside the contenders alone, for its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Other {
    /// The concurrent statistic where the system makes no fence for it.
    Fenced,
    /// The concurrent statistic, its buffers across cache lines.
    AcrossLines,
    /// The concurrent statistic, its buffers on two cache lines each.
    Apart,
    /// The same accumulator behind `parking_lot`'s mutex.
    ParkingLot,
    /// A word that all threads share.
    OneAtomic,
    /// Four atomics a cell, a cell a thread.
    FourStriped,
    /// `hdrhistogram`'s `SyncHistogram`.
    Hdr,
    /// `prometheus`' histogram.
    Prometheus,
    /// `prometheus-client`'s histogram.
    PrometheusClient,
    /// `metrics-util`'s bucket.
    MetricsUtil,
    /// `contatori`'s average, minimum and maximum.
    Contatori,
    /// `fast-telemetry`'s distribution.
    FastTelemetry,
    /// `measured`'s histogram.
    Measured,
}

/// Everyone: a [`Contender`], or one of the others.
///
/// # Examples
///
/// ```
/// use benches::{Entrant, Offer, Peer};
///
/// let all = |peer: &&Peer| Offer::ALL.iter().all(|offer| peer.offers().contains(offer));
/// let names: Vec<_> = Peer::ALL.iter().filter(all).map(|peer| peer.name()).collect();
/// assert_eq!(names[..2], ["Recorder", "ConcurrentMutableStat"]);
/// // The others are the first one under other circumstances.
/// assert!(names[2..].iter().all(|name| name.starts_with("Recorder, ")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Peer {
    /// One that every scenario has.
    Contender(Contender),
    /// One that is here for its price.
    Other(Other),
}

impl Entrant for Peer {
    const ALL: &'static [Self] = &[
        Self::Contender(Contender::Nothing),
        Self::Contender(Contender::Plain),
        Self::Contender(Contender::Recorder),
        Self::Contender(Contender::ConcurrentMutableStat),
        Self::Contender(Contender::Mutex),
        Self::Contender(Contender::MutableStat),
        Self::Contender(Contender::Merged),
        Self::Other(Other::Fenced),
        Self::Other(Other::AcrossLines),
        Self::Other(Other::Apart),
        Self::Other(Other::ParkingLot),
        Self::Other(Other::OneAtomic),
        Self::Other(Other::FourStriped),
        Self::Other(Other::Hdr),
        Self::Other(Other::Prometheus),
        Self::Other(Other::PrometheusClient),
        Self::Other(Other::MetricsUtil),
        Self::Other(Other::Contatori),
        Self::Other(Other::FastTelemetry),
        Self::Other(Other::Measured),
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Contender(contender) => contender.name(),
            Self::Other(other) => other.name(),
        }
    }

    fn put_to<U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Contender(contender) => contender.put_to(purpose),
            Self::Other(other) => other.put_to(purpose),
        }
    }
}

impl Peer {
    /// What it is, in a sentence.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Contender(contender) => contender.description(),
            Self::Other(other) => other.description(),
        }
    }

    /// What can be had from it through its public interface, as its
    /// documentation and its source have it; nothing here is tested but the count.
    #[must_use]
    pub fn offers(self) -> &'static [Offer] {
        match self {
            Self::Contender(contender) => contender.offers(),
            Self::Other(other) => other.offers(),
        }
    }
}

use Offer::{Count, Interval, Max, Min, Stdev, Sum, WaitFree, Whole};

impl Contender {
    fn offers(self) -> &'static [Offer] {
        match self {
            Self::Nothing => &[],
            Self::Plain => &[Count, Sum, Min, Max, Stdev, WaitFree],
            Self::Recorder | Self::ConcurrentMutableStat => &Offer::ALL,
            Self::Mutex => &[Count, Sum, Min, Max, Stdev, Interval, Whole],
            // Its sums are in floating point.
            Self::MutableStat => &[Count, Min, Max, Interval, Whole],
            // Exact at rest; drained meanwhile, the models refute all of it.
            Self::Merged => &[Count, Sum, Min, Max],
        }
    }
}

impl Other {
    fn name(self) -> &'static str {
        match self {
            Self::Fenced => "Recorder, a fence an add",
            Self::AcrossLines => "Recorder, buffers across lines",
            Self::Apart => "Recorder, two lines a buffer",
            Self::ParkingLot => "parking_lot Mutex<Moments>",
            Self::OneAtomic => "one shared atomic",
            Self::FourStriped => "four striped atomics",
            Self::Hdr => "hdrhistogram 7.6.0 (sync)",
            Self::Prometheus => "prometheus 0.14.0",
            Self::PrometheusClient => "prometheus-client 0.26.0",
            Self::MetricsUtil => "metrics-util 0.20.4",
            Self::Contatori => "contatori 0.7.5",
            Self::FastTelemetry => "fast-telemetry 0.10.0",
            Self::Measured => "measured 0.0.25",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Fenced => {
                "Recorder as it is where there is no membarrier: each add makes the fence that a drain makes elsewhere"
            }
            Self::AcrossLines => {
                "Recorder with 16 bytes more a buffer, so that the second lies on two cache lines"
            }
            Self::Apart => "Recorder with two cache lines a buffer, 384 bytes a stripe",
            Self::ParkingLot => "the same exact accumulator behind parking_lot's mutex (0.13.0)",
            Self::OneAtomic => "a counter: one fetch_add on one word that all threads share",
            Self::FourStriped => {
                "count, sum, min and max as an atomic each in 64 padded cells, a thread to a cell; a reader meets half a sample"
            }
            Self::Hdr => {
                "SyncHistogram through a Recorder a thread, three digits: min, max, mean and deviation are those of buckets; a refresh waits for the next record of each recorder"
            }
            Self::Prometheus => {
                "Histogram with its 11 default buckets: count and sum (floating point) since the start, no intervals"
            }
            Self::PrometheusClient => {
                "Histogram with 11 buckets behind a lock: count and sum (floating point) since the start, no intervals"
            }
            Self::MetricsUtil => {
                "AtomicBucket: keeps every sample for the reader to work on, so its memory grows with them"
            }
            Self::Contatori => {
                "Average, Minimum and Maximum side by side, 64 cells each; three updates, unsigned samples only"
            }
            Self::FastTelemetry => {
                "Distribution, a shard a thread: buckets of powers of two, so min and max to a factor of two; since the start, no intervals"
            }
            Self::Measured => {
                "Histogram with 11 buckets behind a read lock: count and sum (floating point) since the start, no intervals"
            }
        }
    }

    fn offers(self) -> &'static [Offer] {
        match self {
            Self::Fenced | Self::AcrossLines | Self::Apart => &Offer::ALL,
            Self::ParkingLot => Contender::Mutex.offers(),
            Self::OneAtomic => &[Count, Interval, Whole, WaitFree],
            Self::FourStriped => &[Count, Sum, Min, Max],
            Self::Hdr => &[Count, Interval, Whole],
            // Count and buckets of a sample are seen together or not at all.
            Self::Prometheus | Self::PrometheusClient | Self::Measured => &[Count, Whole],
            // Whatever a reader likes to work out of the samples themselves; who
            // pushes while they are cleared is not promised to be seen.
            Self::MetricsUtil => &[Count, Sum, Min, Max, Stdev, Whole],
            Self::Contatori => &[Count, Sum, Min, Max],
            Self::FastTelemetry => &[Count, Sum, WaitFree],
        }
    }

    fn put_to<U: Use>(self, purpose: U) -> U::Output {
        match self {
            Self::Fenced => purpose.of::<Recorded<Fenced>>(),
            Self::AcrossLines => purpose.of::<Recorded<Std, AcrossLines>>(),
            Self::Apart => purpose.of::<Recorded<Std, Apart>>(),
            Self::ParkingLot => purpose.of::<ParkingLot>(),
            Self::OneAtomic => purpose.of::<OneAtomic>(),
            Self::FourStriped => purpose.of::<FourStriped>(),
            Self::Hdr => purpose.of::<Hdr>(),
            Self::Prometheus => purpose.of::<PrometheusHistogram>(),
            Self::PrometheusClient => purpose.of::<PrometheusClient>(),
            Self::MetricsUtil => purpose.of::<MetricsUtil>(),
            Self::Contatori => purpose.of::<Contatori>(),
            Self::FastTelemetry => purpose.of::<FastTelemetry>(),
            Self::Measured => purpose.of::<MeasuredHistogram>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Figure;
    use crate::scenario::burst::Burst;
    use crate::threads::Threads;

    #[test]
    fn every_peer_is_listed_once_and_accounts_for_every_sample() {
        let burst = Burst {
            warm_up: 1,
            bursts: 3,
            adds: 50,
        };
        let threads = Threads::try_from(3).unwrap();
        for &peer in Peer::ALL {
            let kept = peer.run(&burst, threads).samples_kept();
            let keeps = peer != Peer::Contender(Contender::Nothing);
            assert_eq!(kept, keeps.then_some(true), "{peer:?}");
            let same_name = |other: &&Peer| other.name() == peer.name();
            assert_eq!(Peer::ALL.iter().filter(same_name).count(), 1);
        }
    }

    #[test]
    fn all_contenders_are_peers() {
        let peers: Vec<Peer> = Contender::ALL.iter().map(|&c| Peer::Contender(c)).collect();
        assert_eq!(Peer::ALL[..peers.len()], peers);
    }
}
