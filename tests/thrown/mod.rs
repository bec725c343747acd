//! Says what a test threw at the statistic, for the results of
//! `cargo reliability`.

use serde_json::json;

/// `samples` were added under `amount` times `what`, and so many were `found`.
///
/// # Panics
///
/// If those are not as many.
pub(crate) fn thrown(what: &str, amount: u64, unit: &str, samples: u64, found: u64) {
    let lost = samples.abs_diff(found);
    let line =
        json!({ "what": what, "amount": amount, "unit": unit, "samples": samples, "lost": lost });
    println!("thrown: {line}");
    assert_eq!(
        found, samples,
        "{what}: samples were lost, or counted twice"
    );
}
