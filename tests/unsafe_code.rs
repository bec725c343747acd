//! Where there may be unsafe code: in the protocol and the runtimes, in what vouches
//! for a runtime of the models, and in calls of the system by a test. Everywhere else
//! the lints of the workspace deny it.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// Files that let themselves, or a module of theirs, have it.
const ALLOWED: [&str; 6] = [
    "benches/src/waiting.rs",
    "models/src/observed.rs",
    "models/src/store_buffers.rs",
    "models/src/twisted.rs",
    // The protocol, and the runtimes.
    "src/lib.rs",
    // fork(2) and sigaction(2).
    "tests/processes.rs",
];

const FORBIDDEN: &str = "#![forbid(unsafe_code)]";

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files under a folder of the repository, with their text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut folders = vec![repository().join(folder)];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).expect("it can be read");
        for path in entries.map(|entry| entry.expect("it can be read").path()) {
            match path.extension() {
                Some(extension) if extension == "rs" => files.push(path),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    let named = files.into_iter().map(|path| {
        let name = path.strip_prefix(repository()).expect("it lies in there");
        let text = fs::read_to_string(&path).expect("it can be read");
        (name.display().to_string(), text)
    });
    named.collect()
}

#[test]
fn few_files_allow_unsafe_code() {
    let folders = ["benches", "examples", "models", "reports", "src", "tests"];
    let sources = folders.into_iter().flat_map(sources);
    let mut allowing: Vec<_> = sources
        .filter(|(name, text)| {
            let mut lines = text.lines().filter(|line| line.contains("unsafe_code"));
            name != file!() && lines.any(|line| line != FORBIDDEN)
        })
        .map(|(name, _)| name)
        .collect();
    allowing.sort_unstable();
    assert_eq!(allowing, ALLOWED);
}

#[test]
fn each_other_module_of_the_library_forbids_it() {
    let has_it = |name: &str| {
        ["src/lib.rs", "src/striped.rs"].contains(&name) || name.starts_with("src/runtime")
    };
    for (name, text) in sources("src").iter().filter(|(name, _)| !has_it(name)) {
        let forbids = text.lines().any(|line| line == FORBIDDEN);
        assert!(forbids, "{name} must have {FORBIDDEN}");
    }
}
