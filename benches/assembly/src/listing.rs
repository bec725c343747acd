//! Reading what the compiler writes.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The instructions of one function for one target.
///
/// # Examples
///
/// The committed ones:
///
/// ```
/// use assembly::Listing;
///
/// let listings = Listing::committed()?;
/// let functions = ["add_by_recorder", "add_by_look_up"];
/// for listing in &listings {
///     assert!(functions.contains(&listing.function.as_str()));
///     assert!(listing.instructions.len() > 20);
/// }
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// The compiler.
    pub rustc: String,
    /// What it compiled for.
    pub target: String,
    /// The function.
    pub function: String,
    /// In their order; those behind the last return are of rare paths.
    pub instructions: Vec<Instruction>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// What jumps here name it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// As the assembler takes it.
    pub text: String,
    /// What it is a part of.
    pub step: Step,
    /// The line of the library's source that it is of, after its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<(String, String)>,
}

/// The steps of an add, as in `Stripe::update`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Step {
    /// Being called, and returning.
    Call,
    /// Finding the thread's stripe.
    LookUp,
    /// Marking the stripe: an add is in flight.
    Open,
    /// The light half of the fence.
    Fence,
    /// Which buffer is being filled.
    Epoch,
    /// The sample into the buffer.
    Record,
    /// Marking the stripe: the add is over.
    Close,
}

impl Step {
    /// All, in the order of an add.
    pub const ALL: [Self; 7] = [
        Self::Call,
        Self::LookUp,
        Self::Open,
        Self::Fence,
        Self::Epoch,
        Self::Record,
        Self::Close,
    ];

    /// What is in the line of `src/striped.rs` that makes the step.
    const LINES: [(&str, Self); 6] = [
        ("self.own.get()", Self::LookUp),
        ("InFlight::open(", Self::Open),
        ("R::light_fence()", Self::Fence),
        ("epoch.load(Acquire)", Self::Epoch),
        (".buffer(epoch)", Self::Record),
        ("drop(in_flight)", Self::Close),
    ];

    fn of(source: &str) -> Option<Self> {
        let line = Self::LINES.iter().find(|line| source.contains(line.0));
        line.map(|line| line.1)
    }
}

impl Listing {
    /// Those that are committed.
    ///
    /// # Errors
    ///
    /// If the file was damaged before this was compiled; the error names it, and what
    /// repairs it.
    pub fn committed() -> Result<Vec<Self>> {
        Self::parse(include_str!("../listings.json"))
    }

    fn parse(text: &str) -> Result<Vec<Self>> {
        let listings = serde_json::from_str(text);
        listings.context(
            "benches/assembly/listings.json cannot be read; `cargo assembly --accept` writes it anew",
        )
    }

    /// How many instructions of a step there are on the way to the last return.
    #[must_use]
    pub fn count(&self, step: Step) -> usize {
        let way = self.instructions.iter().take(self.length());
        way.filter(|instruction| instruction.step == step).count()
    }

    /// Up to the last return: what is behind it is of rare paths.
    fn length(&self) -> usize {
        let returns = |instruction: &Instruction| instruction.text.starts_with("ret");
        let last = self.instructions.iter().rposition(returns);
        last.map_or(self.instructions.len(), |last| last + 1)
    }
}

/// A place in the source: file and line, from 1.
type Place<'a> = (&'a str, usize);

/// The instructions of a function in what the compiler wrote, with comments that
/// say for each of which line it is, and into which lines that one was inlined.
/// `line` gives a line of the library's source.
///
/// `None` if there is no such function.
pub fn instructions(
    assembly: &str,
    function: &str,
    line: impl Fn(Place<'_>) -> Option<String>,
) -> Option<Vec<Instruction>> {
    let begins = |text: &&str| text.starts_with('_') && text.contains(&format!("{function}:"));
    let mut lines = assembly.lines().skip_while(|text| !begins(text));
    lines.next()?;
    let ends = |text: &&str| !text.starts_with(".Lfunc_end");
    let (mut all, mut label) = (Vec::new(), None);
    let (mut step, mut source) = (Step::Call, None);
    for text in lines.take_while(ends) {
        if let Some(comment) = location(text) {
            let frames: Vec<(Place<'_>, String)> = frames(comment)
                .filter_map(|place| Some((place, line(place)?)))
                .collect();
            step = frames
                .iter()
                .find_map(|frame| Step::of(&frame.1))
                .unwrap_or(Step::Call);
            // The runtime says how, the line that uses it what for.
            let said = frames
                .iter()
                .find(|((file, _), _)| !file.starts_with("src/runtime/"));
            source = said.map(|((file, _), text)| ((*file).to_owned(), text.clone()));
        } else if let Some(name) = text.strip_prefix(".LBB") {
            label = name.split_once(':').map(|(name, _)| number(name));
        } else if let Some(text) = instruction(text) {
            all.push(Instruction {
                label: label.take(),
                text,
                step,
                source: source.clone(),
            });
        }
    }
    Some(all)
}

/// The comment of a location directive.
fn location(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix(".loc\t")?;
    let comment = rest.find(['#', '/'])?;
    Some(rest[comment..].trim_start_matches(['#', '/', ' ']))
}

/// "a.rs:1:2 @[ b.rs:3:4 ]", innermost first.
fn frames(comment: &str) -> impl Iterator<Item = Place<'_>> {
    comment.split("@[").filter_map(|frame| {
        let frame = frame.trim_matches([' ', ']']);
        let mut parts = frame.split(':');
        Some((parts.next()?, parts.next()?.parse().ok()?))
    })
}

/// Without what is for the assembler alone, and without the hashes in names.
fn instruction(text: &str) -> Option<String> {
    let text = text.strip_prefix('\t')?;
    let is_directive = text.starts_with(['.', '#', '/']);
    if is_directive {
        return None;
    }
    let text = text.split([' ', '\t']).filter(|word| !word.is_empty());
    let words: Vec<String> = text.map(readable).collect();
    // Comments of the compiler.
    let comment = words.iter().position(|word| word == "#" || word == "//");
    Some(words[..comment.unwrap_or(words.len())].join(" "))
}

/// ".LBB7_2" as "2", a mangled name as its last part.
fn readable(word: &str) -> String {
    if let Some(label) = word.strip_prefix(".LBB") {
        return number(label);
    }
    if let Some(constant) = word.find(".Lanon.") {
        let rest = &word[constant..];
        let end = rest.find('(').unwrap_or(rest.len());
        return format!("{}a constant{}", &word[..constant], &rest[end..]);
    }
    let Some(start) = word.find("_R") else {
        return word.to_owned();
    };
    let end = word[start..].find(['@', '(', ']', ',']);
    let end = end.map_or(word.len(), |end| start + end);
    let name = last_name(&word[start..end]).unwrap_or("a function");
    format!("{}{name}{}", &word[..start], &word[end..])
}

fn number(label: &str) -> String {
    label
        .split_once('_')
        .map_or(label, |parts| parts.1)
        .to_owned()
}

/// The last identifier in a mangled name: each has its length before it.
fn last_name(mangled: &str) -> Option<&str> {
    let mut last = None;
    let mut rest = mangled;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = &rest[start..];
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let length: usize = rest[..digits].parse().unwrap_or(0);
        let name = rest[digits..].trim_start_matches('_').get(..length);
        let is_name =
            |name: &&str| length > 2 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match name.filter(is_name) {
            Some(name) => {
                last = Some(name).filter(|name| !name.starts_with("Cs")).or(last);
                rest = &rest[digits + length..];
            }
            None => rest = &rest[digits..],
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "\
_RNvCsX_8assembly15add_by_recorder: # @add
\t.loc\t1 7 0  # src/hot.rs:7:0
\tpushq\t%rax
\t.loc\t4 38 24  # library/core/atomic.rs:38:24 @[ src/runtime/mirror.rs:1:2 @[ src/striped.rs:5:2 ] ]
\tlock\t\torl\t$0, -64(%rsp)
.LBB8_2:
\t#MEMBARRIER
\tmovq\t_RNvNtCsE_13interval_stat6fences11REACHES_ALL@GOTPCREL(%rip), %rdx
.Lfunc_end8:
\tnop
";

    fn line((file, line): Place<'_>) -> Option<String> {
        let text = match (file, line) {
            ("src/striped.rs", 5) => "R::light_fence();",
            ("src/runtime/mirror.rs", 1) => "self.load(order)",
            _ => return None,
        };
        Some(text.to_owned())
    }

    #[test]
    fn instructions_are_of_the_innermost_line_that_says_what_for() {
        let all = instructions(WRITTEN, "add_by_recorder", line).unwrap();
        let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
        let right = [
            "pushq %rax",
            "lock orl $0, -64(%rsp)",
            "movq REACHES_ALL@GOTPCREL(%rip), %rdx",
        ];
        assert_eq!(texts, right);
        assert_eq!(all[0].step, Step::Call);
        assert_eq!(all[1].step, Step::Fence);
        let source = ("src/striped.rs".to_owned(), "R::light_fence();".to_owned());
        assert_eq!(all[1].source, Some(source));
        assert_eq!(all[2].label.as_deref(), Some("2"));
        assert_eq!(instructions(WRITTEN, "add_by_look_up", line), None);
    }

    #[test]
    fn a_damaged_file_is_named_with_what_repairs_it() {
        for text in ["", "[{", "{}"] {
            let error = format!("{:#}", Listing::parse(text).unwrap_err());
            assert!(
                error.starts_with("benches/assembly/listings.json"),
                "{error}"
            );
            assert!(error.contains("--accept"), "{error}");
        }
    }

    #[test]
    fn the_committed_listings_have_every_step() {
        let listings = Listing::committed().unwrap();
        assert!(
            listings
                .iter()
                .any(|listing| listing.target.starts_with("x86_64"))
        );
        for listing in listings {
            for step in [
                Step::Open,
                Step::Fence,
                Step::Epoch,
                Step::Record,
                Step::Close,
            ] {
                assert!(listing.count(step) > 0, "{step:?} of {}", listing.target);
            }
            let looks_up = listing.function == "add_by_look_up";
            assert_eq!(listing.count(Step::LookUp) > 0, looks_up);
        }
    }
}
