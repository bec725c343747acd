//! Which runs there are.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{Course, Pace};
use crate::statistic::Statistic;

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// 10^7 samples and more in all, within half a minute.
    Quick,
    /// A few seconds for each statistic and rate.
    Usual,
    /// At least 10^9 samples for each statistic that promises to lose none.
    Full,
}

/// Reads a second, from once to without a pause.
const RATES: [Pace; 6] = [
    Pace::PerSecond(1.0),
    Pace::PerSecond(10.0),
    Pace::PerSecond(100.0),
    Pace::PerSecond(1_000.0),
    Pace::PerSecond(10_000.0),
    Pace::FlatOut,
];

/// The runs of an effort, statistic by statistic, from rare to frequent reads.
pub fn courses(effort: Effort, statistics: &[Statistic], writers: NonZeroUsize) -> Vec<Course> {
    let statistics = statistics.iter().copied();
    let rates = effort.rates();
    let course = move |(statistic, readers, &reading)| {
        let (samples, limit) = effort.bounds(statistic);
        Course {
            statistic,
            writers,
            writing: Pace::FlatOut,
            readers,
            lookers: 0,
            reading,
            samples,
            limit,
        }
    };
    let all = statistics.flat_map(move |statistic| {
        effort
            .readers()
            .iter()
            .flat_map(move |&readers| rates.iter().map(move |rate| (statistic, readers, rate)))
    });
    all.map(course).collect()
}

impl Effort {
    fn rates(self) -> &'static [Pace] {
        match self {
            Self::Quick => &[RATES[1], RATES[3], RATES[5]],
            Self::Usual | Self::Full => &RATES,
        }
    }

    fn readers(self) -> &'static [usize] {
        match self {
            Self::Quick | Self::Usual => &[1],
            Self::Full => &[1, 2],
        }
    }

    /// The samples that a statistic must have in all, if it promises to lose none.
    pub fn least(self) -> u64 {
        match self {
            Self::Quick | Self::Usual => 0,
            Self::Full => 1_000_000_000,
        }
    }

    /// Samples and time of a run.
    fn bounds(self, statistic: Statistic) -> (u64, Duration) {
        match self {
            Self::Quick => (u64::MAX, Duration::from_millis(600)),
            Self::Usual => (u64::MAX, Duration::from_secs(2)),
            Self::Full if statistic.keeps().is_empty() => (u64::MAX, Duration::from_secs(10)),
            // Twelve runs of them are 10^9 and more.
            Self::Full => (84_000_000, Duration::from_secs(60)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::STATISTICS;
    use super::*;

    #[test]
    fn a_full_effort_is_a_thousand_million_samples() {
        let courses = courses(Effort::Full, &STATISTICS, NonZeroUsize::MIN);
        for statistic in STATISTICS {
            let own = courses
                .iter()
                .filter(|course| course.statistic == statistic);
            let samples = own.map(|course| u128::from(course.samples)).sum::<u128>();
            assert!(
                samples >= Effort::Full.least().into(),
                "{samples} of {}",
                statistic.name()
            );
        }
    }
}
