//! Upper tail of Fisher's F, to full relative precision however deep the tail.
//!
//! With df1 and df2 degrees of freedom, a = df2 / 2 and x = df2 / (df2 + df1 F) it is the regularised incomplete beta
//! function `I_x(a, df1 / 2)`. For a whole number df1 this is climbed to by steps of 1 in the second parameter (DLMF
//! 8.17.20),
//!
//! ```text
//! I_x(a, b + 1) = I_x(a, b) + x^a (1-x)^b Gamma(a + b) / (Gamma(a) Gamma(b + 1))
//! ```
//!
//! from `I_x(a, 1/2)`, which is Student's tail, or `I_x(a, 1) = x^a`. Every term is positive, so nothing cancels; each is
//! (1-x) (a + b) / (b + 1) times the one before it.

use std::f64::consts::FRAC_2_SQRT_PI;

use super::student_t::{Tail, gamma_ratio, tail_of_square};

/// Above this a sum is divided by it: terms grow and shrink over more than the range of numbers.
const LARGE: f64 = 1e200;

/// Probability that F with `df1` and `df2` degrees of freedom exceeds `f`; 1 where `f` is not above 0.
///
/// A NaN, or degrees of freedom not above 0, give NaN.
pub fn tail(f: f64, df1: usize, df2: f64) -> f64 {
    let known = df1 > 0 && df2 > 0.0 && !f.is_nan();
    if !known {
        return f64::NAN;
    }
    let ratio = df1 as f64 * f / df2;
    if ratio <= 0.0 || ratio.is_infinite() {
        return if ratio <= 0.0 { 1.0 } else { 0.0 };
    }
    let a = 0.5 * df2;
    let log_power = -a * ratio.ln_1p();
    // 1 - x, the sum and the next term in units of exp(log_unit), and b.
    let rest = ratio / (1.0 + ratio);
    let (mut sum, mut term, mut b, mut log_unit);
    if df1.is_multiple_of(2) {
        (sum, term, b, log_unit) = (1.0, a * rest, 1.0, log_power);
    } else {
        let Tail { factor, log_power: unit } = tail_of_square(df1 as f64 * f, df2);
        let first = FRAC_2_SQRT_PI * gamma_ratio(a) * rest.sqrt() * (log_power - unit).exp();
        (sum, term, b, log_unit) = (factor, first, 0.5, unit);
    }
    for _ in 1..df1.div_ceil(2) {
        sum += term;
        term *= rest * (a + b) / (b + 1.0);
        b += 1.0;
        if sum > LARGE {
            (sum, term, log_unit) = (sum / LARGE, term / LARGE, log_unit + LARGE.ln());
        }
    }
    // In two steps: the unit alone may be too small a number.
    let half_unit = (0.5 * log_unit).exp();
    (sum * half_unit * half_unit).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::student_t::tail_of;
    use proptest::prelude::*;

    /// Made by mpmath: `python tests/reference/f.py`.
    const TABLE: &str = include_str!("../../tests/reference/f.csv");

    #[test]
    fn tails_keep_twelve_digits_down_to_1e_300() {
        let (mut deepest, mut worst) = (1.0_f64, 0.0_f64);
        for line in TABLE.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |i: usize| fields[i].parse::<f64>().unwrap();
            let expected = number(3);
            let error = (tail(number(0), fields[1].parse().unwrap(), number(2)) / expected - 1.0).abs();
            assert!(error < 1e-12, "{line}: relative error {error:e}");
            (deepest, worst) = (deepest.min(expected), worst.max(error));
        }
        assert!(deepest < 1e-290 && worst > 0.0);
    }

    #[test]
    fn the_ends() {
        assert_eq!((tail(0.0, 3, 5.0), tail(-1.0, 3, 5.0), tail(f64::INFINITY, 3, 5.0)), (1.0, 1.0, 0.0));
        assert!([tail(f64::NAN, 3, 5.0), tail(1.0, 0, 5.0), tail(1.0, 3, 0.0)].iter().all(|p| p.is_nan()));
    }

    proptest! {
        #[test]
        fn one_degree_is_students_tail(t in 1e-6_f64..1e3, df in 1_u32..10_000) {
            let (p, q) = (tail(t * t, 1, f64::from(df)), tail_of(t, f64::from(df)));
            prop_assert!(p == q || (p / q - 1.0).abs() < 1e-12 || q < 1e-290);
        }

        #[test]
        fn it_falls(f in 0.0_f64..1e3, df1 in 1_usize..300, df2 in 1_u32..10_000) {
            let df2 = f64::from(df2);
            let (p, further) = (tail(f, df1, df2), tail(f * 1.01, df1, df2));
            prop_assert!((0.0..=1.0).contains(&p) && further <= p * (1.0 + 1e-12));
        }
    }
}
