//! What real threads make of the statistics.

use crate::plan::Effort;
use crate::progress::Progress;
use anyhow::{Context, Result};
use models::torture::{self, Course, Run, Session};
use std::fs;
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::path::Path;

impl Effort {
    /// The effort of the torture, if there is time for one.
    pub(crate) fn torture(self) -> torture::Effort {
        match self {
            Self::Quick | Self::Standard => torture::Effort::Quick,
            Self::Full => torture::Effort::Full,
        }
    }
}

/// The runs that there is time for.
#[must_use]
pub fn courses_for(effort: Effort) -> Vec<Course> {
    let writers = const { NonZeroUsize::new(2).unwrap() };
    match effort {
        Effort::Quick => Vec::new(),
        effort => torture::courses(effort.torture(), &torture::STATISTICS, writers),
    }
}

/// The full torture in a file that `cargo torture --full --json FILE` wrote;
/// `None` if there is no such file.
///
/// # Errors
///
/// If the file cannot be read, or holds something else.
pub fn committed(file: &Path) -> Result<Option<Session>> {
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context(file.display().to_string()),
    };
    let session = serde_json::from_slice(&text);
    session.map(Some).with_context(|| {
        format!(
            "{}: not what cargo torture --full --json writes",
            file.display()
        )
    })
}

/// Runs them, one after the other.
pub(crate) fn run(courses: &[Course], progress: &Progress) -> Vec<Run> {
    let run = |course: &Course| {
        progress.next("torture", course.statistic.name(), course.expected());
        torture::run(course, |_| ())
    };
    courses.iter().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_no_torture_and_another_file_is_an_error() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("torture.json");
        assert_eq!(committed(&file).unwrap(), None);
        fs::write(&file, "[]").unwrap();
        let error = format!("{:#}", committed(&file).unwrap_err());
        assert!(
            error.contains("torture.json: not what cargo torture"),
            "{error}"
        );
    }
}
