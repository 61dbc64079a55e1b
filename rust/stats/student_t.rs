//! Two-sided tails and critical values of Student's t, to full relative precision however deep the tail.
//!
//! With `df` degrees of freedom, a = df / 2 and y = r^2 = t^2 / (df + t^2), the two-sided p-value is the regularised
//! incomplete beta function `I_(1-y)(a, 1/2)`. Near the middle it is 1 minus the power series of its complement
//! (DLMF 8.17.8). In the tail it is
//!
//! ```text
//! p = (1-y)^a Gamma(a + 1/2) / (sqrt(pi) Gamma(a + 1) |r|) * 1 / (1 + k1 w / (1 + k2 w / (1 + ...))),   w = (1-y) / y
//! ```
//!
//! Gauss's continued fraction of F(1, 1/2; a + 1; -w) (DLMF 15.7.5 after Pfaff's transformation 15.8.1). All its terms
//! are positive, so nothing cancels.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// Below this t^2 the complement is not small and its series is the faster one.
const MIDDLE: f64 = 6.0;

/// Two-sided p-value of a (partial) correlation `r` with `df` degrees of freedom; 0 where |r| >= 1.
///
/// A NaN, or `df` not above 0, gives NaN.
pub fn correlation_tail(r: f64, df: f64) -> f64 {
    let r = r.abs();
    if r >= 1.0 && df > 0.0 {
        return 0.0;
    }
    let rest = (1.0 - r) * (1.0 + r);
    // Each form where its rounding errors are the smaller ones.
    let log_rest = if r < 0.87 { (-r * r).ln_1p() } else { (1.0 - r).ln() + r.ln_1p() };
    tail(&Point { r, y: r * r, w: rest / (r * r), log_rest }, df)
}

/// Two-sided p-value of Student's `t` with `df` degrees of freedom.
///
/// A NaN, or `df` not above 0, gives NaN.
pub fn tail_of(t: f64, df: f64) -> f64 {
    let ratio = t.abs() / df.sqrt();
    if ratio.is_infinite() {
        return 0.0;
    }
    let w = 1.0 / (ratio * ratio);
    let r = 1.0 / ratio.recip().hypot(1.0);
    tail(&Point { r, y: r * r, w, log_rest: -log_one_plus_square(ratio) }, df)
}

/// log(1 + x^2) for any x >= 0.
fn log_one_plus_square(x: f64) -> f64 {
    if x < 1e8 { (x * x).ln_1p() } else { 2.0 * x.ln() }
}

/// One value in every form that a formula below wants it: |r|, y = r^2, w = (1-y)/y, log(1-y).
struct Point {
    r: f64,
    y: f64,
    w: f64,
    log_rest: f64,
}

fn tail(point: &Point, df: f64) -> f64 {
    let Tail { factor, log_power } = parts(point, df);
    factor * log_power.exp()
}

/// A tail as `factor exp(log_power)`, neither of which leaves the range of numbers where their product does.
pub(super) struct Tail {
    pub factor: f64,
    pub log_power: f64,
}

/// [`tail_of`] of t = sqrt(`square`), in parts.
pub(super) fn tail_of_square(square: f64, df: f64) -> Tail {
    let ratio = square / df;
    let r = (ratio / (1.0 + ratio)).sqrt();
    parts(&Point { r, y: r * r, w: ratio.recip(), log_rest: -ratio.ln_1p() }, df)
}

fn parts(point: &Point, df: f64) -> Tail {
    let known = df > 0.0 && !point.r.is_nan();
    if !known {
        return Tail { factor: f64::NAN, log_power: 0.0 };
    }
    let a = 0.5 * df;
    let log_power = a * point.log_rest;
    // Gamma(a+1/2) / (sqrt(pi) Gamma(a))
    let scale = 0.5 * FRAC_2_SQRT_PI * gamma_ratio(a);
    if point.y < 0.5 && df < MIDDLE * point.w {
        let series = complement_series(a, point.y);
        Tail { factor: (scale * log_power.exp() * 2.0 * point.r).mul_add(-series, 1.0), log_power: 0.0 }
    } else {
        Tail { factor: scale / (a * point.r) * gauss_fraction(a, point.w), log_power }
    }
}

/// Gamma(a + 1/2) / Gamma(a) for a > 0.
pub(super) fn gamma_ratio(a: f64) -> f64 {
    // sqrt(z) times a series in 1 / z^2, z = a - 1/4; small a are first stepped up by Gamma(x + 1) = x Gamma(x).
    const SERIES: [f64; 6] = [
        1.0,
        1.0 / 64.0,
        -19.0 / 8192.0,
        631.0 / 524_288.0,
        -174_317.0 / 134_217_728.0,
        20_491_783.0 / 8_589_934_592.0,
    ];
    let mut a = a;
    let mut steps = 1.0;
    while a < 16.0 {
        steps *= a / (a + 0.5);
        a += 1.0;
    }
    let z = a - 0.25;
    let v = 1.0 / (z * z);
    steps * z.sqrt() * SERIES.iter().rev().fold(0.0, |sum, c| sum * v + c)
}

/// Sum over n of y^n (a+1/2)_n / (3/2)_n.
fn complement_series(a: f64, y: f64) -> f64 {
    let (mut sum, mut term, mut n) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        term *= y * (a + 0.5 + n) / (1.5 + n);
        sum += term;
        n += 1.0;
    }
    sum
}

/// 1 / (1 + k1 w / (1 + k2 w / ...)) with k_(2m+1) = (m + 1/2) (a + m) / ((a + 2m) (a + 2m + 1)) and
/// k_(2m) = m (a - 1/2 + m) / ((a + 2m - 1) (a + 2m)).
///
/// Numerators and denominators of the approximants are carried forward with the k's denominators multiplied out.
/// Successive approximants of a fraction with positive terms enclose its value.
fn gauss_fraction(a: f64, w: f64) -> f64 {
    let w = w / (a * a);
    // (numerator, denominator) of the last two approximants.
    let (mut last, mut now) = ((0.0, 1.0), (1.0, 1.0));
    let mut m = 0.0;
    loop {
        for (n, c) in [(2.0 * m + 1.0, (m + 0.5) * (a + m)), (2.0 * m + 2.0, (m + 1.0) * (a + 0.5 + m))] {
            let (b, c) = (1.0 + n / a, c * w);
            let next = (b * now.0 + c * last.0, b * now.1 + c * last.1);
            (last, now) = (now, next);
        }
        if (now.0 * last.1 - last.0 * now.1).abs() <= 4e-16 * now.0 * last.1 {
            return now.0 / now.1;
        }
        if now.1 > 1e120 {
            let shrink = |(p, q): (f64, f64)| (p * 1e-120, q * 1e-120);
            (last, now) = (shrink(last), shrink(now));
        }
        m += 1.0;
    }
}

/// The t whose two-sided p-value with `df` degrees of freedom is `level`: infinite at level 0, 0 at level 1.
///
/// log p is a concave, falling function of log t, so Newton's steps on it arrive from anywhere: from the left the
/// first one passes the root, and from the right they never do.
pub fn critical(level: f64, df: f64) -> f64 {
    let known = df > 0.0 && (0.0..=1.0).contains(&level);
    if !known {
        return f64::NAN;
    }
    if level == 0.0 || level == 1.0 {
        return if level == 0.0 { f64::INFINITY } else { 0.0 };
    }
    // Twice the density, which at t is this divided by (1 + t^2 / df)^((df + 1) / 2).
    let density_at_0 = 2.0 * gamma_ratio(0.5 * df) / (df * PI).sqrt();
    let mut log_t = if level > 0.5 { ((1.0 - level) / density_at_0).ln() } else { 0.0 };
    let mut step = 0.0;
    for _ in 0..100 {
        let t = log_t.exp();
        let p = tail_of(t, df);
        if p > 0.0 {
            let log_density = -0.5 * (df + 1.0) * log_one_plus_square(t / df.sqrt());
            step = (p / level).ln() * p / (density_at_0 * (log_t + log_density).exp());
            log_t += step;
        } else {
            // Past the smallest number: go half the way back.
            step *= 0.5;
            log_t -= step;
        }
        if step.abs() < 1e-14 {
            break;
        }
    }
    log_t.exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Made by mpmath: `python tests/reference/student_t.py`.
    const TABLE: &str = include_str!("../../tests/reference/student_t.csv");

    #[test]
    fn tails_keep_twelve_digits_down_to_1e_300() {
        let mut deepest: f64 = 1.0;
        for line in TABLE.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |i: usize| fields[i].parse::<f64>().unwrap();
            let (x, df, expected) = (number(1), number(2), number(3));
            let got = if fields[0] == "r" { correlation_tail(x, df) } else { tail_of(x, df) };
            assert!((got / expected - 1.0).abs() < 1e-12, "{line}: {got:e}");
            deepest = deepest.min(expected);
        }
        assert!(deepest < 1e-250);
    }

    #[test]
    fn the_ends() {
        assert_eq!(correlation_tail(1.0, 5.0), 0.0);
        assert_eq!(correlation_tail(-1.0, 5.0), 0.0);
        assert_eq!(correlation_tail(0.0, 5.0), 1.0);
        assert_eq!(tail_of(0.0, 5.0), 1.0);
        assert_eq!(tail_of(f64::NEG_INFINITY, 5.0), 0.0);
        assert!(correlation_tail(0.5, 0.0).is_nan() && correlation_tail(f64::NAN, 5.0).is_nan());
        assert_eq!(critical(0.0, 5.0), f64::INFINITY);
        assert_eq!(critical(1.0, 5.0), 0.0);
        assert!(critical(-0.1, 5.0).is_nan());
    }

    #[test]
    fn known_critical_values() {
        // Closed forms: the Cauchy distribution and two degrees of freedom.
        assert!((critical(0.05, 1.0) / (PI * 0.475).tan() - 1.0).abs() < 1e-12);
        assert!((critical(0.05, 2.0) / (2.0 * 0.95 * 0.95 / (1.0 - 0.95 * 0.95_f64)).sqrt() - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn critical_inverts_the_tail(exponent in -250.0_f64..-0.01, df in 1_u32..100_000) {
            let level = 10_f64.powf(exponent);
            let t = critical(level, f64::from(df));
            prop_assert!((tail_of(t, f64::from(df)) / level - 1.0).abs() < 1e-10 * (1.0 + f64::from(df).min(1000.0) / 100.0));
        }

        #[test]
        fn both_tails_agree(r in -0.999_f64..0.999, df in 1_u32..1000) {
            let df = f64::from(df);
            let (p, q) = (correlation_tail(r, df), tail_of(r * (df / (1.0 - r * r)).sqrt(), df));
            prop_assert!((p / q - 1.0).abs() < 1e-10 || p < 1e-290);
        }
    }
}
