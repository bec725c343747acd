//! What real threads make of the statistics.

use crate::plan::Effort;
use crate::progress::Progress;
use models::torture::{self, Course, Run};
use std::num::NonZeroUsize;

/// The runs that there is time for.
#[must_use]
pub fn courses_for(effort: Effort) -> Vec<Course> {
    let writers = const { NonZeroUsize::new(2).unwrap() };
    match effort {
        Effort::Quick => Vec::new(),
        Effort::Standard => torture::courses(torture::Effort::Quick, &torture::STATISTICS, writers),
        Effort::Full => torture::courses(torture::Effort::Usual, &torture::STATISTICS, writers),
    }
}

/// Runs them, one after the other.
pub(crate) fn run(courses: &[Course], progress: &Progress) -> Vec<Run> {
    let run = |course: &Course| {
        progress.next("torture", course.statistic.name(), course.limit);
        torture::run(course, |_| ())
    };
    courses.iter().map(run).collect()
}

/// What should not have happened.
pub(crate) fn fault(run: &Run) -> Option<String> {
    (!run.keeps_its_promise()).then(|| format!("torture: {}", run.line()))
}
