//! Scratch copies of the workspace, in which mutants are built and put to the
//! engines. A copy keeps its build warm from one mutant to the next.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use models::judge::Finding;
use models::ladder::{Engine, Rung, ladder};

use crate::verdict::{Found, first_line};

/// Longer than any ladder takes.
const BUILD_LIMIT: Duration = Duration::from_secs(900);
const RUN_LIMIT: Duration = Duration::from_secs(300);
const NATIVE_LIMIT: Duration = Duration::from_secs(120);

/// A scratch copy.
#[derive(Debug)]
pub struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    /// A copy of the repository in `folder`; what an earlier one left is used.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn open(repository: &Path, folder: PathBuf) -> Result<Self, String> {
        let copied = mirror(repository, &folder);
        let copied = copied.and_then(|()| fs::create_dir_all(folder.join("target")));
        let copied = copied.and_then(|()| permit_warnings(&folder.join("Cargo.toml")));
        copied.map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { folder })
    }

    /// Writes files of a mutant.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn write(&self, files: &BTreeMap<String, String>) -> Result<(), String> {
        for (name, text) in files {
            fs::write(self.folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    /// Puts what the copy holds now to an engine.
    pub fn put_to(&self, engine: Engine) -> Found {
        let found = match engine {
            Engine::Proptest => self.accumulators(),
            Engine::Miri => self.miri(),
            _ => self.judge(engine),
        };
        found.unwrap_or_else(|what| Found::Fault { what })
    }

    fn judge(&self, engine: Engine) -> Result<Found, String> {
        let (features, optimised) = needs(engine);
        let what = ["build", "--quiet", "--package", "models", "--bin", "judge"];
        let mut build = self.cargo(optimised, what);
        build.args(["--features", features]);
        self.build(build)?;
        let mut judge = Command::new(self.folder.join("target/debug/judge"));
        judge.arg(engine.name());
        // A drain that waits for ever makes native threads wait for ever.
        let limit = match engine {
            Engine::Native => NATIVE_LIMIT,
            _ => RUN_LIMIT,
        };
        let run = self.run(judge, limit)?;
        let findings = findings(&run.output)?;
        if findings.is_empty() || (!run.status.success() && run.status.code() != Some(1)) {
            let said = first_line(&run.errors);
            let died = format!("the judge ended with {}: {said}", run.status);
            return last_words(engine, &findings, &run.errors).ok_or(died);
        }
        Ok(Found::of(&findings))
    }

    /// The properties of the accumulators, in their own package.
    fn accumulators(&self) -> Result<Found, String> {
        let test = ["test", "--quiet", "--package", "interval-stat", "--lib"];
        let mut build = self.cargo(false, test);
        build.arg("--no-run");
        self.build(build)?;
        let mut test_run = self.cargo(false, test);
        test_run.args(["--", "moments::", "extremes::"]);
        let run = self.run(test_run, RUN_LIMIT)?;
        if run.status.success() {
            return Ok(Found::Missed { executions: 1 });
        }
        asserted(&run.output).ok_or_else(|| first_line(&run.errors))
    }

    fn miri(&self) -> Result<Found, String> {
        let run = ["+nightly", "miri", "run", "--quiet", "--package", "models"];
        let mut build = self.cargo(false, run);
        build.args(["--bin", "judge", "--", "miri"]);
        build.env(
            "MIRIFLAGS",
            "-Zmiri-many-seeds=0..24 -Zmiri-disable-isolation",
        );
        let run = self.run(build, 3 * RUN_LIMIT)?;
        let unknown = ["no such command", "is not installed", "could not compile"];
        if let Some(line) = run
            .errors
            .lines()
            .find(|line| unknown.iter().any(|word| line.contains(word)))
        {
            return if line.contains("could not compile") {
                Err(line.to_owned())
            } else {
                Ok(Found::NotRun {
                    why: line.to_owned(),
                })
            };
        }
        let findings = findings(&run.output)?;
        if let Some(undefined) = run.errors.lines().find(|line| is_report(line)) {
            return Ok(Found::Killed {
                by: report(undefined).to_owned(),
                fault: undefined.to_owned(),
                rung: findings
                    .last()
                    .map_or("the first", |last| last.rung.as_str())
                    .to_owned(),
                executions: findings.len() as u64,
                counterexample: None,
            });
        }
        Ok(Found::of(&findings))
    }

    fn cargo<const N: usize>(&self, optimised: bool, arguments: [&str; N]) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.folder).args(arguments);
        cargo.env("CARGO_TARGET_DIR", self.folder.join("target"));
        cargo.env("CARGO_BUILD_JOBS", "1");
        // Which toolchain cargo runs is its own business, not that of the cargo
        // which runs this.
        cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "false");
        if !optimised {
            // What is built for every mutant; the rest is built once.
            for package in ["interval-stat", "models"] {
                let level = format!("profile.dev.package.{package}.opt-level=0");
                cargo.args(["--config", &level]);
            }
        }
        cargo
    }

    fn build(&self, build: Command) -> Result<(), String> {
        let built = self.run(build, BUILD_LIMIT)?;
        if built.status.success() {
            return Ok(());
        }
        let mut errors = built
            .errors
            .lines()
            .filter(|line| line.starts_with("error"));
        Err(format!(
            "it does not compile: {}",
            errors.next().unwrap_or("no message")
        ))
    }

    fn run(&self, mut command: Command, limit: Duration) -> Result<Run, String> {
        let files = ["output", "errors"].map(|name| self.folder.join("target").join(name));
        let open = |path: &PathBuf| File::create(path).map_err(|error| error.to_string());
        command.stdin(Stdio::null());
        command.stdout(open(&files[0])?).stderr(open(&files[1])?);
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                break status;
            }
            if began.elapsed() > limit {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("time-out after {} s", limit.as_secs()));
            }
            thread::sleep(Duration::from_millis(5));
        };
        let [output, errors] = files.map(|path| {
            let bytes = fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Ok(Run {
            status,
            output,
            errors,
        })
    }
}

/// The features of `models` that an engine needs, and whether it pays to
/// optimise: a model checker kills most mutants in less time than that takes.
fn needs(engine: Engine) -> (&'static str, bool) {
    match engine {
        Engine::Loom => ("loom", false),
        // One build for the three.
        Engine::Shuttle | Engine::StoreBuffers | Engine::Native => ("shuttle", true),
        Engine::Miri | Engine::Proptest => ("", true),
    }
}

struct Run {
    status: ExitStatus,
    output: String,
    errors: String,
}

fn findings(output: &str) -> Result<Vec<Finding>, String> {
    let lines = output.lines().filter(|line| line.starts_with('{'));
    let parsed = lines.map(|line| serde_json::from_str(line).map_err(|error| error.to_string()));
    parsed.collect()
}

/// What loom reported, if that is what the judge died of: when loom ends an
/// execution by a report, a destructor of the execution may panic as well, which
/// aborts the process.
fn last_words(engine: Engine, findings: &[Finding], errors: &str) -> Option<Found> {
    let panics = errors
        .lines()
        .skip_while(|line| !line.contains("panicked at"));
    let message = panics.skip(1).find(|line| !line.is_empty())?;
    message
        .starts_with("Causality violation")
        .then(|| Found::Killed {
            by: "data race".to_owned(),
            fault: message.to_owned(),
            rung: ladder(engine)
                .get(findings.len())
                .map_or_else(|| "the last".to_owned(), Rung::id),
            executions: 0,
            counterexample: None,
        })
}

fn is_report(line: &str) -> bool {
    line.contains("Undefined Behavior") || line.contains("memory leaked")
}

fn report(line: &str) -> &'static str {
    if line.contains("Data race") {
        "data race"
    } else if line.contains("memory leaked") {
        "memory leak"
    } else {
        "undefined behaviour"
    }
}

/// The failing assertion of a test run, if one failed.
fn asserted(output: &str) -> Option<Found> {
    let test = output
        .lines()
        .find_map(|line| line.strip_prefix("---- ")?.strip_suffix(" stdout ----"))?;
    let assertion = output
        .lines()
        .find(|line| line.contains("Test failed:") || line.contains("assertion"))?;
    Some(Found::Killed {
        by: "G8".to_owned(),
        fault: assertion.trim().to_owned(),
        rung: test.to_owned(),
        executions: 1,
        counterexample: None,
    })
}

/// Makes `to` what `from` is, builds and hidden files left out. What is the same
/// already is left alone, so that cargo finds it unchanged.
fn mirror(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        return mirror_folder(from, to);
    }
    let wanted = fs::read(from)?;
    if fs::read(to).ok().as_ref() != Some(&wanted) {
        fs::write(to, wanted)?;
    }
    Ok(())
}

/// A mutant may leave an import or a variable unused.
fn permit_warnings(manifest: &Path) -> std::io::Result<()> {
    let text = fs::read_to_string(manifest)?;
    fs::write(manifest, text.replace("\"deny\"", "\"allow\""))
}

fn mirror_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    let is_kept = |name: &OsStr| name == "target" || name.to_string_lossy().starts_with('.');
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        let is_gone = !from.join(entry.file_name()).exists() && !is_kept(&entry.file_name());
        if is_gone && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if is_gone {
            fs::remove_file(entry.path())?;
        }
    }
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if !is_kept(&name) {
            mirror(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

/// Makes `to` a copy of the build in `from`, times included, by which cargo
/// tells what is up to date. Only for a copy that has no build yet.
///
/// # Errors
///
/// If it cannot be copied.
pub fn seed(from: &Workshop, to: &Workshop) -> std::io::Result<()> {
    let build = |copy: &Workshop| copy.folder.join("target/debug");
    if build(to).exists() {
        return Ok(());
    }
    copy_with_times(&build(from), &build(to))
}

fn copy_with_times(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy_with_times(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    File::options()
        .append(true)
        .open(to)?
        .set_modified(modified)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abort_is_a_kill_only_after_a_report_of_loom() {
        let died = |of: &str| {
            let errors = format!(
                "\nthread 'main' panicked at rt.rs:1:1:\n{of}\n\nthread 'main' panicked at scheduler.rs"
            );
            last_words(Engine::Loom, &[], &errors)
        };
        let report = "Causality violation: Concurrent load and mut accesses.";
        assert!(matches!(died(report), Some(Found::Killed { by, .. }) if by == "data race"));
        assert_eq!(died("index out of bounds"), None);
    }
}
