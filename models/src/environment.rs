//! Where something was measured.

use current_platform::CURRENT_PLATFORM;
use rustc_version_runtime::version_meta;
use serde::{Deserialize, Serialize};
use std::process::Command;
use std::thread;
use std::time::SystemTime;
use sysinfo::System;

/// Where something was measured, and of what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// When the run began.
    pub begun: String,
    /// The processor's model.
    pub cpu: String,
    /// How many threads can run at once.
    pub cores: usize,
    /// The operating system's kernel.
    pub kernel: String,
    /// What was compiled for.
    pub target: String,
    /// The compiler of the library and the harness.
    pub rustc: String,
    /// The commit of the working tree, marked if there were changes to it.
    pub commit: String,
    /// The mean number of processes that were running or ready in the minute
    /// before; 0 where the system keeps no such count.
    pub load: f64,
}

impl Environment {
    /// That of this process, now.
    pub fn here() -> Self {
        Self {
            begun: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            cpu: cpu(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            kernel: System::kernel_long_version(),
            target: CURRENT_PLATFORM.to_owned(),
            rustc: version_meta().short_version_string,
            commit: commit().unwrap_or_else(unknown),
            load: System::load_average().one,
        }
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn cpu() -> String {
    let mut system = System::new();
    system.refresh_cpu_all();
    let brand = system
        .cpus()
        .first()
        .map(|cpu| cpu.brand().trim().to_owned());
    brand
        .filter(|brand| !brand.is_empty())
        .unwrap_or_else(unknown)
}

/// Of the working tree that this was built from.
fn commit() -> Option<String> {
    let output = Command::new("git")
        .args(["-C", env!("CARGO_MANIFEST_DIR")])
        .args([
            "describe",
            "--always",
            "--abbrev=40",
            "--exclude=*",
            "--dirty=, changed",
        ])
        .output()
        .ok()?;
    let name = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| name.trim().to_owned())
}
