//! Has a fault that random bytes do not meet: libFuzzer has to find it, by what it
//! sees of the comparisons.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    assert!(!bytes.starts_with(b"stripe"), "the fault was met");
});
