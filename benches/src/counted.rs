//! What is counted, not timed: no noise fools it, and it is the same on every
//! machine that runs the same code.

use crate::contender::{Contender, Entrant};
use crate::target::{Adder, Target, Use};
use anyhow::{Context, Result};
use interval_stat::{Moments, Striped};
use models::environment::Environment;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hint::black_box;

/// The counts: the content of `benches/counted.json`.
///
/// # Examples
///
/// The committed ones:
///
/// ```
/// use benches::Counted;
///
/// let counted = Counted::committed()?;
/// assert!(counted.events["add: Recorder"].instructions > 0.0);
/// assert!(counted.bytes["a stripe"] <= 256.0);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// What they are counts of.
    pub made_with: MadeWith,
    /// What is executed each time, by what is done.
    pub events: BTreeMap<String, Events>,
    /// Bytes on the heap, by what they are for.
    pub bytes: BTreeMap<String, f64>,
}

/// Counts of different code differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeWith {
    /// The compiler.
    pub rustc: String,
    /// What it compiled for.
    pub target: String,
}

impl MadeWith {
    /// This program's.
    #[must_use]
    pub fn this() -> Self {
        let Environment { rustc, target, .. } = Environment::here();
        Self { rustc, target }
    }
}

/// What a processor executes, as callgrind counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Events {
    /// Instructions.
    pub instructions: f64,
    /// Branches that are conditional or indirect.
    pub branches: f64,
    /// Data read.
    pub reads: f64,
    /// Data written.
    pub writes: f64,
}

impl Events {
    /// Each, with its name.
    #[must_use]
    pub fn named(&self) -> [(&'static str, f64); 4] {
        [
            ("instructions", self.instructions),
            ("branches", self.branches),
            ("reads", self.reads),
            ("writes", self.writes),
        ]
    }

    fn combined(self, other: Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            instructions: combine(self.instructions, other.instructions),
            branches: combine(self.branches, other.branches),
            reads: combine(self.reads, other.reads),
            writes: combine(self.writes, other.writes),
        }
    }

    /// These less others, each divided.
    #[must_use]
    pub fn less(self, other: Self, divisor: f64) -> Self {
        // To the hundredth: what the rest of the process does is not the same to
        // the last instruction.
        self.combined(other, |a, b| ((a - b) / divisor * 100.0).round() / 100.0)
    }
}

impl Counted {
    /// Those that are committed.
    ///
    /// # Errors
    ///
    /// If the file was damaged before this was compiled; the error names it, and what
    /// repairs it.
    pub fn committed() -> Result<Self> {
        Self::parse(include_str!("../counted.json"))
    }

    fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .context("benches/counted.json cannot be read; `cargo counted --accept` writes it anew")
    }

    /// In which counts these differ from `accepted` by more than the tolerance:
    /// half a count, or one in 200.
    #[must_use]
    pub fn differences(&self, accepted: &Self) -> Vec<String> {
        let (found, accepted) = (self.flat(), accepted.flat());
        let names = found.keys().chain(accepted.keys());
        let names: std::collections::BTreeSet<&String> = names.collect();
        let difference = |name: &String| match (found.get(name), accepted.get(name)) {
            (Some(&found), Some(&accepted)) if is_near(found, accepted) => None,
            (Some(found), Some(accepted)) => {
                Some(format!("{name}: {found}, accepted are {accepted}"))
            }
            (Some(found), None) => Some(format!("{name}: {found}, none is accepted")),
            (None, _) => Some(format!("{name}: not counted any more")),
        };
        names.into_iter().filter_map(difference).collect()
    }

    fn flat(&self) -> BTreeMap<String, f64> {
        let events = self.events.iter().flat_map(|(what, events)| {
            let named = events.named().into_iter();
            named.map(move |(name, count)| (format!("{what}, {name}"), count))
        });
        let bytes = self.bytes.iter();
        let bytes = bytes.map(|(what, &bytes)| (format!("{what}, bytes"), bytes));
        events.chain(bytes).collect()
    }
}

fn is_near(found: f64, accepted: f64) -> bool {
    (found - accepted).abs() <= (0.005 * accepted.abs()).max(0.5)
}

/// Something to do again and again, and nothing else, for a program that is
/// counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Adds.
    Add(Contender),
    /// Drains of so many stripes, one sample in each.
    Drain {
        /// How many.
        stripes: usize,
    },
}

impl Alone {
    /// Does it so often.
    pub fn run(self, times: u64) {
        match self {
            Self::Add(contender) => contender.put_to(Adds(times)),
            Self::Drain { stripes } => drain(stripes, times),
        }
    }
}

struct Adds(u64);

impl Use for Adds {
    type Output = ();

    fn of<T: Target>(self) {
        let target = T::fresh();
        let mut adder = target.adder();
        for sample in 0..self.0 {
            // Both ends of the range change, now and then.
            adder.add(black_box((sample & 1023) as i64));
        }
    }
}

fn drain(stripes: usize, times: u64) {
    let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
    // Recorders that live at once own a stripe each.
    let _recorders: Vec<_> = (0..stripes).map(|_| samples.recorder()).collect();
    for _ in 0..times {
        black_box(samples.drain());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(instructions: f64, bytes: f64) -> Counted {
        let events = Events {
            instructions,
            ..Events::default()
        };
        Counted {
            made_with: MadeWith::this(),
            events: [("add".to_owned(), events)].into(),
            bytes: [("stripe".to_owned(), bytes)].into(),
        }
    }

    #[test]
    fn one_instruction_more_is_found_and_noise_is_not() {
        let accepted = counted(20.0, 256.0);
        assert_eq!(counted(20.4, 256.0).differences(&accepted), [""; 0]);
        assert_eq!(
            counted(21.0, 256.0).differences(&accepted),
            ["add, instructions: 21, accepted are 20"]
        );
        assert_eq!(counted(19.0, 300.0).differences(&accepted).len(), 2);
    }

    #[test]
    fn what_is_missing_or_new_is_a_difference() {
        let accepted = counted(20.0, 256.0);
        let mut renamed = accepted.clone();
        renamed.bytes = [("line".to_owned(), 256.0)].into();
        assert_eq!(renamed.differences(&accepted).len(), 2);
    }

    #[test]
    fn counts_are_by_the_time() {
        let events = |instructions| Events {
            instructions,
            ..Events::default()
        };
        assert_eq!(events(1_300.0).less(events(1_000.0), 100.0), events(3.0));
    }

    #[test]
    fn a_damaged_file_is_named_with_what_repairs_it() {
        for text in ["", r#"{"made_with"#, "[]"] {
            let error = format!("{:#}", Counted::parse(text).unwrap_err());
            assert!(error.starts_with("benches/counted.json"), "{error}");
            assert!(error.contains("--accept"), "{error}");
        }
    }

    #[test]
    fn what_was_accepted_is_what_was_aimed_at() {
        let counted = Counted::committed().unwrap();
        assert!(counted.bytes["a stripe"] <= 256.0);
        let more = "10000 more short-lived threads, one at a time";
        assert!(
            counted.bytes[more] <= 256.0,
            "threads hand their stripes on"
        );
        let instructions = |what: &str| counted.events[what].instructions;
        assert!(instructions("add: plain accumulator") < instructions("add: Recorder"));
    }
}
