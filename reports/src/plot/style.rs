//! What tells lines apart: a colour of the palette of M. Okabe and K. Ito,
//! which colour-blind people can tell apart, and a marker, for print.

use benches::{Contender, LockContender, OperationContender, Other, Peer, StoppedContender, Wait};
use models::statistic::Statistic;
use plotters::style::RGBColor;

/// Text. The style sheet gives all these colours their shade in the dark.
pub(crate) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Grid lines.
pub(crate) const GRID: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);

const GREY: RGBColor = RGBColor(0x77, 0x77, 0x77);
const LIGHT_GREY: RGBColor = RGBColor(0xAA, 0xAA, 0xAA);
const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xB2);
const GREEN: RGBColor = RGBColor(0x00, 0x9E, 0x73);
const ORANGE: RGBColor = RGBColor(0xE6, 0x9F, 0x00);
const VERMILION: RGBColor = RGBColor(0xD5, 0x5E, 0x00);
const SKY_BLUE: RGBColor = RGBColor(0x56, 0xB4, 0xE9);
const PURPLE: RGBColor = RGBColor(0xCC, 0x79, 0xA7);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) color: RGBColor,
    pub(crate) marker: Marker,
}

/// What stands at a line's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Diamond,
    TriangleUp,
    TriangleDown,
    Bar,
    Hourglass,
}

impl Style {
    pub(crate) const PUBLISHED_X86: Self = Self {
        color: PURPLE,
        marker: Marker::Square,
    };
    pub(crate) const PUBLISHED_ARM64: Self = Self {
        color: ORANGE,
        marker: Marker::TriangleUp,
    };
}

impl Style {
    /// The same line under other circumstances.
    pub(crate) fn dimmed(self) -> Self {
        Self {
            marker: Marker::Bar,
            ..self
        }
    }

    /// Of the ratio of two: the colour of the one, the marker of the other.
    pub(crate) fn ratio(of: Contender, over: Contender) -> Self {
        Self {
            marker: Self::from(over).marker,
            ..of.into()
        }
    }
}

impl From<Contender> for Style {
    fn from(contender: Contender) -> Self {
        let (color, marker) = match contender {
            Contender::Nothing => (LIGHT_GREY, Marker::Bar),
            Contender::Plain => (GREY, Marker::TriangleDown),
            Contender::Recorder => (GREEN, Marker::Diamond),
            Contender::ConcurrentMutableStat => (BLUE, Marker::Circle),
            Contender::Mutex => (ORANGE, Marker::TriangleUp),
            Contender::MutableStat => (VERMILION, Marker::Square),
            Contender::Merged => (SKY_BLUE, Marker::Hourglass),
        };
        Self { color, marker }
    }
}

/// The style of what a lock is metered in.
impl From<LockContender> for Style {
    fn from(lock: LockContender) -> Self {
        let metered_in = match lock {
            LockContender::Unmetered => Contender::Plain,
            LockContender::MutableStat => Contender::MutableStat,
            LockContender::Merged => Contender::Merged,
            LockContender::ConcurrentMutableStat => Contender::ConcurrentMutableStat,
        };
        metered_in.into()
    }
}

impl From<OperationContender> for Style {
    fn from(operation: OperationContender) -> Self {
        operation.0.into()
    }
}

impl From<StoppedContender> for Style {
    fn from(contender: StoppedContender) -> Self {
        match contender {
            StoppedContender::Recorder => Contender::Recorder.into(),
            StoppedContender::LookUp => Contender::ConcurrentMutableStat.into(),
            StoppedContender::Mutex => Contender::Mutex.into(),
        }
    }
}

impl From<Wait> for Style {
    fn from(wait: Wait) -> Self {
        let (color, marker) = match wait {
            Wait::Spin => (VERMILION, Marker::Square),
            Wait::Shipped => (BLUE, Marker::Circle),
            Wait::SpinYield => (GREEN, Marker::Diamond),
            Wait::SpinYieldSleep => (ORANGE, Marker::TriangleUp),
        };
        Self { color, marker }
    }
}

/// There are more others than colours: pairs of colour and marker tell them
/// apart.
impl From<Peer> for Style {
    fn from(peer: Peer) -> Self {
        let (color, marker) = match peer {
            Peer::Contender(contender) => return contender.into(),
            Peer::Other(other) => match other {
                Other::Fenced => (GREEN, Marker::Bar),
                Other::AcrossLines => (GREEN, Marker::Square),
                Other::Apart => (GREEN, Marker::TriangleUp),
                Other::ParkingLot => (ORANGE, Marker::TriangleDown),
                Other::OneAtomic => (GREY, Marker::Square),
                Other::FourStriped => (GREY, Marker::Diamond),
                Other::Hdr => (PURPLE, Marker::Circle),
                Other::Prometheus => (PURPLE, Marker::Square),
                Other::PrometheusClient => (PURPLE, Marker::TriangleUp),
                Other::MetricsUtil => (PURPLE, Marker::TriangleDown),
                Other::Contatori => (SKY_BLUE, Marker::Diamond),
                Other::FastTelemetry => (SKY_BLUE, Marker::Square),
                Other::Measured => (SKY_BLUE, Marker::TriangleUp),
            },
        };
        Self { color, marker }
    }
}

/// Where a statistic is a contender, that one's.
impl From<Statistic> for Style {
    fn from(statistic: Statistic) -> Self {
        match statistic {
            Statistic::MutableStat => Contender::MutableStat.into(),
            Statistic::MutableStatExact => Contender::Mutex.into(),
            Statistic::ConcurrentMutableStat => Contender::ConcurrentMutableStat.into(),
            Statistic::Recorder => Contender::Recorder.into(),
            Statistic::MergedJdk9 => Contender::Merged.into(),
            Statistic::MergedJdk8 => Self {
                color: PURPLE,
                marker: Marker::Square,
            },
            Statistic::Combined => Self {
                color: PURPLE,
                marker: Marker::TriangleUp,
            },
            Statistic::Phased => Self {
                color: PURPLE,
                marker: Marker::Diamond,
            },
            Statistic::PerformanceMetrics => Self {
                color: GREY,
                marker: Marker::Diamond,
            },
        }
    }
}
