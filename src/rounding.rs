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

#![forbid(unsafe_code)]

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

/// What decides in tests whether a number was rounded correctly.
#[cfg(test)]
pub(crate) mod oracle {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use num_traits::{Signed, Zero};

    /// Whether `rounded` is the `f64` nearest to the `power`-th root of `exact`:
    /// `exact` must lie between the same powers of the points halfway to either
    /// neighbour, and on such a point only if `rounded` is even.
    pub(crate) fn is_nearest_root(rounded: f64, exact: &BigRational, power: i32) -> bool {
        if exact.is_negative() || rounded.is_sign_negative() {
            return exact.is_negative() && is_nearest_root(-rounded, &-exact, power);
        }
        if exact.is_zero() || rounded == 0.0 {
            return exact.is_zero() && rounded == 0.0;
        }
        let bits = rounded.to_bits();
        let below = halfway(rounded, f64::from_bits(bits - 1)).pow(power);
        let above = halfway(rounded, f64::from_bits(bits + 1)).pow(power);
        let on_a_tie = *exact == below || *exact == above;
        below <= *exact && *exact <= above && (!on_a_tie || bits & 1 == 0)
    }

    fn halfway(a: f64, b: f64) -> BigRational {
        let exact = |x| BigRational::from_float(x).expect("a finite number");
        (exact(a) + exact(b)) / BigRational::from(BigInt::from(2))
    }
}

#[cfg(test)]
mod tests {
    use super::oracle::is_nearest_root;
    use super::*;
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;

    const TWO_53: f64 = 9_007_199_254_740_992.0;

    fn power_of_two(exponent: u32) -> BigUint {
        BigUint::from(1u32) << exponent
    }

    /// Numbers of up to 256 bits, all lengths alike.
    fn natural() -> impl Strategy<Value = BigUint> {
        (any::<[u32; 8]>(), 0u32..256)
            .prop_map(|(digits, shift)| (BigUint::new(digits.to_vec()) >> shift) + 1u32)
    }

    fn rational(numerator: &BigUint, denominator: &BigUint) -> BigRational {
        BigRational::new(numerator.clone().into(), denominator.clone().into())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn ratios_are_nearest(a in natural(), b in natural()) {
            prop_assert!(is_nearest_root(nearest_ratio(&a, &b), &rational(&a, &b), 1));
        }

        #[test]
        fn roots_are_nearest(a in natural(), b in natural()) {
            prop_assert!(is_nearest_root(nearest_sqrt(&a, &b), &rational(&a, &b), 2));
        }

        /// Points halfway between two numbers, and a hair to either side.
        #[test]
        fn ties_go_to_even(half in 1u64 << 52..1 << 53, scale in 1u32..190, off in -1i32..=1) {
            let denominator = power_of_two(scale);
            let halfway = BigInt::from(2 * half + 1) * BigInt::from(denominator.clone());
            let a = (&halfway + off).to_biguint().unwrap();
            prop_assert!(is_nearest_root(nearest_ratio(&a, &denominator), &rational(&a, &denominator), 1));
            let square = (BigInt::from(2 * half + 1).pow(2) * BigInt::from(denominator.clone()) + off).to_biguint().unwrap();
            prop_assert!(is_nearest_root(nearest_sqrt(&square, &denominator), &rational(&square, &denominator), 2));
        }
    }

    /// 2^53 is the first number whose successor has no `f64`.
    #[test]
    fn ties_by_hand() {
        let one = BigUint::from(1u32);
        let odd = power_of_two(53) + 1u32;
        assert_eq!(nearest_ratio(&odd, &one), TWO_53);
        assert_eq!(nearest_ratio(&(&odd + 2u32), &one), TWO_53 + 4.0);
        assert_eq!(nearest_sqrt(&(&odd * &odd), &one), TWO_53);

        let hair = power_of_two(200);
        assert_eq!(nearest_ratio(&(&odd * &hair + 1u32), &hair), TWO_53 + 2.0);
        assert_eq!(
            nearest_sqrt(&(&odd * &odd * &hair + 1u32), &hair),
            TWO_53 + 2.0
        );
    }

    #[test]
    fn exact_results_stay_exact() {
        let natural = |n: u32| BigUint::from(n);
        assert_eq!(nearest_ratio(&natural(0), &natural(7)).to_bits(), 0);
        assert_eq!(nearest_sqrt(&natural(0), &natural(7)).to_bits(), 0);
        assert_eq!(nearest_ratio(&natural(3), &natural(8)), 0.375);
        assert_eq!(nearest_sqrt(&natural(9), &natural(16)), 0.75);
        assert_eq!(
            nearest_ratio(&power_of_two(255), &natural(1)),
            2f64.powi(255)
        );
        assert_eq!(
            nearest_sqrt(&natural(1), &power_of_two(254)),
            2f64.powi(-127)
        );
    }

    /// The oracle is worth something: it takes neither neighbour.
    #[test]
    fn the_oracle_rejects_the_neighbours() {
        let third = rational(&BigUint::from(1u32), &BigUint::from(3u32));
        let bits = (1.0f64 / 3.0).to_bits();
        assert!(is_nearest_root(f64::from_bits(bits), &third, 1));
        assert!(!is_nearest_root(f64::from_bits(bits + 1), &third, 1));
        assert!(!is_nearest_root(f64::from_bits(bits - 1), &third, 1));
        assert!(!is_nearest_root(-f64::from_bits(bits), &third, 1));
    }
}
