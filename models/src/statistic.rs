//! The statistics under test.

use serde::{Deserialize, Serialize};

use crate::guarantees::Guarantee;
use crate::witness::Witness;

/// A statistic, and how writers add to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Statistic {
    /// Behind one lock, with Hadoop's arithmetic.
    MutableStat,
    /// Behind one lock, with exact arithmetic: for scenarios with more samples
    /// than `f64` can tell apart.
    MutableStatExact,
    /// Striped, through the look-up of the thread's stripe.
    ConcurrentMutableStat,
    /// Striped, through a recorder a thread.
    Recorder,
    /// The merged algorithm of HDDS-9377 on JDK 8.
    MergedJdk8,
    /// The merged algorithm of HDDS-9377 on JDK 9 and later.
    MergedJdk9,
    /// The merged algorithm with cells that are taken in one step.
    Combined,
    /// The merged algorithm under a phaser.
    Phased,
    /// Striped, moments and histogram together.
    PerformanceMetrics,
}

impl Statistic {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::MutableStat,
        Self::MutableStatExact,
        Self::ConcurrentMutableStat,
        Self::Recorder,
        Self::MergedJdk8,
        Self::MergedJdk9,
        Self::Combined,
        Self::Phased,
        Self::PerformanceMetrics,
    ];

    /// The statistic whose row of the matrix it belongs to.
    pub fn row(self) -> Self {
        match self {
            Self::MutableStatExact => Self::MutableStat,
            Self::Recorder => Self::ConcurrentMutableStat,
            other => other,
        }
    }

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::MutableStat => "MutableStat",
            Self::MutableStatExact => "MutableStat (exact)",
            Self::ConcurrentMutableStat => "ConcurrentMutableStat",
            Self::Recorder => "ConcurrentMutableStat (Recorder)",
            Self::MergedJdk8 => "merged (JDK 8)",
            Self::MergedJdk9 => "merged (JDK 9+)",
            Self::Combined => "merged, repaired by combined cells",
            Self::Phased => "merged, repaired by a phaser",
            Self::PerformanceMetrics => "PerformanceMetrics",
        }
    }

    /// What it is here for, in a word.
    pub fn role(self) -> &'static str {
        if self.keeps().is_empty() {
            "specimen"
        } else {
            "shipped"
        }
    }

    /// The guarantees that it promises; its search stops where it breaks one. Of
    /// a specimen, all breaches are counted.
    pub fn keeps(self) -> &'static [Guarantee] {
        use Guarantee::{G1, G2, G3, G4, G5, G6, G7};
        match self {
            Self::MutableStat | Self::MutableStatExact => &[G1, G2, G3, G4, G5, G7],
            Self::MergedJdk8 | Self::MergedJdk9 | Self::Combined | Self::Phased => &[],
            Self::ConcurrentMutableStat | Self::Recorder | Self::PerformanceMetrics => {
                &[G1, G2, G3, G4, G5, G6, G7]
            }
        }
    }

    /// The interesting states that its executions must reach. Behind a lock, an
    /// add that a drain overtakes is never the drain's; what a specimen reaches
    /// is in its breaches.
    pub fn reaches(self) -> &'static [Witness] {
        match self {
            Self::MutableStat | Self::MutableStatExact => {
                &[Witness::LeftToNext, Witness::DrainWaited]
            }
            Self::MergedJdk8 | Self::MergedJdk9 | Self::Combined | Self::Phased => &[],
            Self::ConcurrentMutableStat | Self::Recorder | Self::PerformanceMetrics => {
                &Witness::ALL
            }
        }
    }
}
