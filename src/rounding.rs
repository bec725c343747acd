//! From exact rationals to the nearest `f64`.
//!
//! Both functions scale by a power of two until the integer part alone has at
//! least ten bits more than an `f64` keeps, take the integer part, and set its
//! lowest bit if anything was cut off (a "sticky" bit: it keeps a value just
//! off a tie from being taken for the tie). Converting that integer is then the
//! only rounding, and the language defines it: to nearest, ties to even.
//! Undoing the scale is exact, because the results are nowhere near the ends of
//! the `f64` range: the operands are non-zero integers below 2^256 (a count
//! times a sum of squares, at most), so the results lie between 2^-256 and
//! 2^256, while the smallest normal number is 2^-1022 and the largest is close
//! to 2^1024. Neither subnormals nor infinity can come up.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

/// The `f64` nearest to `numerator / denominator`, ties to even.
///
/// # Panics
///
/// Panics if `denominator` is zero.
pub(crate) fn nearest_ratio(numerator: &BigUint, denominator: &BigUint) -> f64 {
    if numerator.is_zero() {
        return 0.0;
    }
    // The scaled quotient lies between 2^62 and 2^64.
    let shift = 63 - magnitude(numerator, denominator);
    let (quotient, inexact) = scaled_quotient(numerator, denominator, shift);
    unscale(narrow(quotient) | u64::from(inexact), -shift)
}

/// The `f64` nearest to the square root of `numerator / denominator`, ties to
/// even.
///
/// # Panics
///
/// Panics if `denominator` is zero.
pub(crate) fn nearest_sqrt(numerator: &BigUint, denominator: &BigUint) -> f64 {
    if numerator.is_zero() {
        return 0.0;
    }
    // An even shift, so that the root's scale is a power of two again. The
    // scaled quotient lies between 2^125 and 2^128, its root between 2^62 and
    // 2^64; the root of the integer part is the integer part of the root.
    let half_shift = (127 - magnitude(numerator, denominator)).div_euclid(2);
    let (quotient, inexact) = scaled_quotient(numerator, denominator, 2 * half_shift);
    let root = quotient.isqrt();
    let inexact = inexact || root * root != quotient;
    unscale(narrow(root) | u64::from(inexact), -half_shift)
}

/// An `m` with 2^(m-1) < `numerator / denominator` < 2^(m+1).
fn magnitude(numerator: &BigUint, denominator: &BigUint) -> i64 {
    let bits = |n: &BigUint| i64::try_from(n.bits()).expect("a number that fits in memory");
    bits(numerator) - bits(denominator)
}

/// The integer part of `numerator * 2^shift / denominator`, and whether
/// anything is left after it.
fn scaled_quotient(numerator: &BigUint, denominator: &BigUint, shift: i64) -> (u128, bool) {
    let (quotient, rest) = if shift >= 0 {
        (numerator << shift).div_rem(denominator)
    } else {
        numerator.div_rem(&(denominator << -shift))
    };
    let quotient = quotient.to_u128().expect("scaled below 2^128");
    (quotient, !rest.is_zero())
}

fn narrow(integer: u128) -> u64 {
    u64::try_from(integer).expect("scaled below 2^64")
}

/// `integer * 2^exponent`, rounded once, for exponents of normal numbers.
fn unscale(integer: u64, exponent: i64) -> f64 {
    let biased = u64::try_from(1023 + exponent).expect("far from subnormal");
    // The cast is the one rounding that this module is about.
    integer as f64 * f64::from_bits(biased << 52)
}
