//! `cargo ledger`.
fn main() {}
