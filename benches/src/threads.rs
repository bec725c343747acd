//! How many threads add.

use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// A number of threads that a scenario can run with: 1 to
/// [`MOST`](Self::MOST).
///
/// # Examples
///
/// ```
/// use benches::Threads;
///
/// assert_eq!("80".parse::<Threads>()?.get(), 80);
/// assert_eq!(
///     "0".parse::<Threads>().unwrap_err().to_string(),
///     "'0' is no thread count: a whole number from 1 to 1024 is"
/// );
/// # Ok::<(), benches::NotThreads>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
pub struct Threads(usize);

impl Threads {
    /// The most threads: beyond, what is measured is the operating system.
    pub const MOST: usize = 1024;

    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

impl TryFrom<usize> for Threads {
    type Error = NotThreads;

    fn try_from(count: usize) -> Result<Self, NotThreads> {
        if (1..=Self::MOST).contains(&count) {
            Ok(Self(count))
        } else {
            Err(NotThreads(count.to_string()))
        }
    }
}

impl From<Threads> for usize {
    fn from(threads: Threads) -> Self {
        threads.0
    }
}

impl FromStr for Threads {
    type Err = NotThreads;

    fn from_str(text: &str) -> Result<Self, NotThreads> {
        text.trim()
            .parse::<usize>()
            .map_err(|_| NotThreads(text.to_owned()))
            .and_then(Self::try_from)
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What was given is no number of [`Threads`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotThreads(String);

impl fmt::Display for NotThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no thread count: a whole number from 1 to {} is",
            self.0,
            Threads::MOST
        )
    }
}

impl Error for NotThreads {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_one_to_the_most() {
        for good in ["1", "2", "1024", " 7 "] {
            assert!(good.parse::<Threads>().is_ok(), "{good}");
        }
        for bad in ["0", "1025", "-1", "", "two", "1.5", "99999999999999999999"] {
            let error = bad.parse::<Threads>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{bad}' is no thread count")));
        }
    }
}
