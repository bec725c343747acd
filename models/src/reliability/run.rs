//! How a case is run.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::cases::{Effort, Group, folder};
use super::{CaseResult, Thrown, Verdict};
use crate::environment::Environment;
use crate::results;

/// Something to throw, and the commands that do.
#[derive(Debug)]
pub struct Case {
    /// What is done.
    pub name: &'static str,
    /// What it is run with.
    pub group: Group,
    /// What the machine must have.
    pub(super) needs: Vec<Need>,
    /// One after the other.
    pub(super) steps: Vec<Step>,
}

/// What a case needs and not every machine has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    /// In words.
    pub(super) what: &'static str,
    /// Succeeds where it is.
    pub(super) check: &'static str,
    /// Gets it.
    pub(super) get: Get,
}

/// A command that may get what is needed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Get {
    /// Tried.
    Try(&'static str),
    /// Takes too long: for people.
    Tell(&'static str),
}

/// A command.
#[derive(Debug)]
pub(super) struct Step {
    words: Vec<String>,
    environment: Vec<(&'static str, String)>,
    expects: Expects,
    tells: Tells,
}

/// How a command must end.
#[derive(Debug, Clone, Copy)]
enum Expects {
    Success,
    /// It has a fault in it, and its tool must say so in these words.
    Finding(&'static str),
    /// It prints what this file of the repository holds.
    Printing(&'static str),
}

/// Where it says what it threw.
#[derive(Debug)]
pub(super) enum Tells {
    /// In marked lines.
    Lines,
    /// What it does is known before.
    Known(Thrown),
    /// In a file, that is read by this.
    File(PathBuf, Read),
}

pub(super) type Read = fn(&str) -> Result<Vec<Thrown>, serde_json::Error>;

impl Case {
    /// Runs it.
    pub fn run(&self, effort: Effort) -> CaseResult {
        let environment = Environment::here();
        let began = Instant::now();
        let mut thrown = Vec::new();
        let verdict = self.verdict(&mut thrown);
        CaseResult {
            case: self.name.to_owned(),
            command: format!("cargo reliability{} {}", effort.flag(), self.group.name()),
            effort,
            environment,
            seconds: began.elapsed().as_secs_f64(),
            verdict,
            thrown,
        }
    }

    fn verdict(&self, thrown: &mut Vec<Thrown>) -> Verdict {
        if let Err(why) = self.needs.iter().try_for_each(Need::meet) {
            return Verdict::NotRun { why };
        }
        if let Err(error) = fs::create_dir_all(folder()) {
            let why = format!("{}: {error}", folder().display());
            return Verdict::Failed { why };
        }
        for step in &self.steps {
            match step.run(self.name) {
                Ok(more) => thrown.extend(more),
                Err(why) => return Verdict::Failed { why },
            }
        }
        Verdict::Held
    }
}

impl Tells {
    /// What it throws, if that is known before.
    pub(super) fn known(&self) -> Vec<Thrown> {
        match self {
            Self::Known(thrown) => vec![thrown.clone()],
            Self::Lines | Self::File(..) => Vec::new(),
        }
    }
}

impl Need {
    /// Sees to it that it is there.
    fn meet(&self) -> Result<(), String> {
        if succeeds(self.check) {
            return Ok(());
        }
        let what = self.what;
        match self.get {
            Get::Try(get) => {
                println!("$ {get}");
                let got = succeeds(get) && succeeds(self.check);
                let missing = || format!("{what} is not there, and `{get}` did not get it");
                got.then_some(()).ok_or_else(missing)
            }
            Get::Tell(get) => Err(format!("{what} is not there; `{get}` gets it")),
        }
    }
}

fn succeeds(text: &str) -> bool {
    let ended = command(&words(text)).output();
    ended.is_ok_and(|output| output.status.success())
}

impl Step {
    /// A command, of words between spaces, that says in marked lines what it threw.
    pub(super) fn new(command: &str) -> Self {
        Self {
            words: words(command),
            environment: Vec::new(),
            expects: Expects::Success,
            tells: Tells::Lines,
        }
    }

    /// With one word more.
    pub(super) fn and(mut self, word: &str) -> Self {
        self.words.push(word.to_owned());
        self
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    pub(super) fn telling(self, tells: Tells) -> Self {
        Self { tells, ..self }
    }

    /// It has a fault in it, and its tool must say so in these words.
    pub(super) fn finding(self, words: &'static str) -> Self {
        Self {
            expects: Expects::Finding(words),
            ..self
        }
    }

    /// It prints what this file of the repository holds.
    pub(super) fn printing(self, file: &'static str) -> Self {
        Self {
            expects: Expects::Printing(file),
            ..self
        }
    }

    /// What it throws, if that is known before.
    #[cfg(test)]
    pub(super) fn known(&self) -> Vec<Thrown> {
        self.tells.known()
    }

    fn run(&self, case: &str) -> Result<Vec<Thrown>, String> {
        println!("$ {self}");
        let ran = match self.expects {
            Expects::Success => self.succeed(case),
            Expects::Finding(words) => self.find(words).map(|()| Vec::new()),
            Expects::Printing(file) => self.compare(file).map(|()| self.tells.known()),
        };
        ran.map_err(|why| format!("{self}: {why}"))
    }

    fn command(&self) -> Command {
        let mut command = command(&self.words);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn succeed(&self, case: &str) -> Result<Vec<Thrown>, String> {
        match &self.tells {
            Tells::Lines => self.listen(),
            Tells::Known(thrown) => self.quietly().map(|()| vec![thrown.clone()]),
            Tells::File(path, read) => {
                self.listen()?;
                let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
                let thrown = read(&text).map_err(|error| error.to_string())?;
                let thrown = thrown.into_iter().map(|thrown| thrown.in_case(case));
                Ok(thrown.collect())
            }
        }
    }

    /// Shows what it says, and returns what it says it threw.
    fn listen(&self) -> Result<Vec<Thrown>, String> {
        let io = |error: io::Error| error.to_string();
        let mut running = self.command().stdout(Stdio::piped()).spawn().map_err(io)?;
        let mut heard = Vec::new();
        for line in BufReader::new(running.stdout.take().expect("it is piped")).lines() {
            let line = line.map_err(io)?;
            println!("{line}");
            heard.extend(Thrown::heard(&line));
        }
        let status = running.wait().map_err(io)?;
        status
            .success()
            .then_some(heard)
            .ok_or_else(|| status.to_string())
    }

    /// Shows what it says only if it fails: it repeats itself.
    fn quietly(&self) -> Result<(), String> {
        let output = self.command().output().map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        println!("{}", String::from_utf8_lossy(&output.stdout));
        println!("{}", String::from_utf8_lossy(&output.stderr));
        Err(output.status.to_string())
    }

    fn find(&self, words: &str) -> Result<(), String> {
        let output = self.command().output().map_err(|error| error.to_string())?;
        let said = [output.stdout, output.stderr].concat();
        if !output.status.success() && String::from_utf8_lossy(&said).contains(words) {
            println!("found: {words}");
            return Ok(());
        }
        Err(format!("it must fail with {words:?}, and does not"))
    }

    fn compare(&self, file: &str) -> Result<(), String> {
        let output = self.command().output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            println!("{}", String::from_utf8_lossy(&output.stderr));
            return Err(output.status.to_string());
        }
        let path = results::repository().join(file);
        let committed = fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let differences = differences(&committed, &printed);
        if differences.is_empty() {
            return Ok(());
        }
        Err(format!("it prints not what {file} holds:\n{differences}"))
    }
}

/// The lines that only one of them has.
fn differences(before: &str, after: &str) -> String {
    let only = |of: &str, other: &str, mark: &str| {
        let other: HashSet<&str> = other.lines().collect();
        let lines = of.lines().filter(|line| !other.contains(line));
        lines.map(|line| format!("{mark} {line}\n")).collect()
    };
    let (gone, new): (String, String) = (only(before, after, "-"), only(after, before, "+"));
    gone + &new
}

/// As one could type it.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(f, "{name}='{value}' ")?;
        }
        let quoted = self.words.iter().map(|word| match word.contains(' ') {
            true => format!("'{word}'"),
            false => word.clone(),
        });
        f.write_str(&quoted.collect::<Vec<_>>().join(" "))
    }
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(results::repository());
    // Cargo tells this program which toolchain it runs on; the command has its own.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_must_print_what_is_committed() {
        let step = || Step::new("cat LICENSE-MIT");
        assert_eq!(step().compare("LICENSE-MIT"), Ok(()));
        let error = step().compare("deny.toml").unwrap_err();
        assert!(error.contains("\n- [licenses]\n"), "{error}");
        assert!(error.contains("\n+ MIT License\n"), "{error}");
    }

    #[test]
    fn a_step_with_a_fault_must_fail_in_the_words_of_its_tool() {
        let find = |command, words| Step::new(command).find(words);
        assert_eq!(find("cat none", "No such file"), Ok(()));
        for (command, words) in [("cat none", "data race"), ("echo data race", "data race")] {
            assert!(find(command, words).is_err(), "{command}");
        }
    }

    #[test]
    fn what_is_not_there_is_said() {
        let need = |get| Need {
            what: "a tool",
            check: "cat none",
            get,
        };
        let said = |get| need(get).meet().unwrap_err();
        assert_eq!(
            said(Get::Tell("make tool")),
            "a tool is not there; `make tool` gets it"
        );
        assert_eq!(
            said(Get::Try("cat none either")),
            "a tool is not there, and `cat none either` did not get it"
        );
    }
}
