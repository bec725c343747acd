//! `cargo assembly`: compiles the adds for each target and lists their
//! instructions.

#![forbid(unsafe_code)]

use anyhow::{Context, Result, ensure};
use assembly::{Listing, instructions};
use clap::Parser;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// Compiles the adds for each target that is installed and compares their
/// instructions with those that are committed.
#[derive(Parser)]
#[command(bin_name = "cargo assembly")]
struct Arguments {
    /// Accept what comes out: write it to benches/assembly/listings.json
    #[arg(long)]
    accept: bool,
}

const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
const FUNCTIONS: [&str; 2] = ["add_by_recorder", "add_by_look_up"];

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo assembly: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let committed = match Listing::committed() {
        Err(error) if arguments.accept => {
            println!("{error:#}; nothing of it is kept");
            Vec::new()
        }
        committed => committed?,
    };
    let mut all = Vec::new();
    for target in TARGETS {
        if is_installed(target)? {
            all.extend(listings(target)?);
        } else {
            println!("{target}: not run: it is not installed (rustup target add {target})");
            let kept = committed.iter().filter(|listing| listing.target == target);
            all.extend(kept.cloned());
        }
    }
    for listing in &all {
        let count = listing.instructions.len();
        println!(
            "{}, {}: {count} instructions",
            listing.target, listing.function
        );
    }
    if arguments.accept {
        return accept(&all);
    }
    compare(&all, &committed)
}

fn compare(all: &[Listing], committed: &[Listing]) -> Result<()> {
    let same_compiler = all.iter().zip(committed).all(|(a, b)| a.rustc == b.rustc);
    if !same_compiler {
        println!("not compared: what is committed is of another compiler");
        return Ok(());
    }
    ensure!(
        all == committed,
        "the adds are compiled to other instructions than are committed; if that is as it should be: cargo assembly --accept"
    );
    println!("as committed");
    Ok(())
}

fn accept(all: &[Listing]) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("listings.json");
    let text = serde_json::to_string_pretty(all)? + "\n";
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    println!("accepted: {}", path.display());
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rustc(arguments: &[&str]) -> Result<String> {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).args(arguments).output();
    let output = output.context("rustc")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn is_installed(target: &str) -> Result<bool> {
    let folder = rustc(&["--print", "target-libdir", "--target", target])?;
    let libraries = fs::read_dir(folder).map(|mut folder| folder.next().is_some());
    Ok(libraries.unwrap_or(false))
}

fn listings(target: &str) -> Result<Vec<Listing>> {
    let written = written_for(target)?;
    let sources = Sources::read()?;
    let rustc = rustc(&["--version"])?;
    let listing = |function: &str| {
        let instructions = instructions(&written, function, |place| sources.line(place));
        Ok(Listing {
            rustc: rustc.clone(),
            target: target.to_owned(),
            function: function.to_owned(),
            instructions: instructions.with_context(|| format!("{function} was not compiled"))?,
        })
    };
    FUNCTIONS.into_iter().map(listing).collect()
}

/// What the compiler writes for a target, as for a program (position-independent,
/// thread-locals its own), with its comments.
fn written_for(target: &str) -> Result<String> {
    let room = tempfile::tempdir()?;
    let out = room.path().join("add.s");
    let status = Command::new(env!("CARGO"))
        .current_dir(root())
        .args([
            "rustc",
            "--quiet",
            "--package",
            "assembly",
            "--lib",
            "--release",
        ])
        .args(["--target", target, "--target-dir", "target/assembly", "--"])
        .arg(format!("--emit=asm={}", out.display()))
        .args(["-Ccodegen-units=1", "-Cdebuginfo=line-tables-only"])
        .args(["-Crelocation-model=pie", "-Zverbose-asm"])
        // For the comments alone: an option that is not stable.
        .env("RUSTC_BOOTSTRAP", "1")
        .status()
        .context("cargo")?;
    ensure!(status.success(), "{target}: the adds were not compiled");
    fs::read_to_string(&out).context("the compiler wrote nothing")
}

/// The library's source, by file.
struct Sources(HashMap<String, Vec<String>>);

impl Sources {
    fn read() -> Result<Self> {
        let mut files = HashMap::new();
        let mut folders = vec!["src".to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(root().join(&folder)).context("src")? {
                let entry = entry?;
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.file_type()?.is_dir() {
                    folders.push(name);
                } else {
                    let text = fs::read_to_string(entry.path())?;
                    let lines = text.lines().map(|line| line.trim().to_owned());
                    files.insert(name, lines.collect());
                }
            }
        }
        // Dependencies have a file of that name, too, and this one has no code.
        files.remove("src/lib.rs");
        Ok(Self(files))
    }

    fn line(&self, (file, line): (&str, usize)) -> Option<String> {
        self.0.get(file)?.get(line.checked_sub(1)?).cloned()
    }
}
