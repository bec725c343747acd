//! Notes which compiler builds all this, for reports to say.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = env::var("RUSTC").expect("cargo names the compiler");
    let version = Command::new(rustc).arg("--version").output();
    let version = version.expect("the compiler runs").stdout;
    println!(
        "cargo:rustc-env=BUILT_BY={}",
        String::from_utf8_lossy(&version).trim()
    );
    println!(
        "cargo:rustc-env=BUILT_FOR={}",
        env::var("TARGET").expect("cargo names the target")
    );
}
