//! The sums behind an entropy, over every sample of a residual: a plain body, compiled once per instruction set, chosen
//! at run time. `unsafe` is calling a function compiled for instructions that the machine has been checked to have.

use std::f64::consts::{LN_2, LOG2_E};
use std::sync::OnceLock;

use crate::fused::multiply_add;

/// Numbers handled at once: four AVX2 registers, for a step of an exponential waits for the one before it.
const LANES: usize = 16;
/// Factors in [1, 2] that a product may take before its logarithm is due.
const FACTORS: usize = 256;

/// Sums over the samples of `u = a x + b y`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sums {
    /// ln cosh u.
    pub log_cosh: f64,
    /// u exp(-u^2 / 2).
    pub odd: f64,
}

/// The body of one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    sums: unsafe fn(x: &[f64], y: &[f64], a: f64, b: f64) -> Sums,
}

impl Kernel {
    /// The sums over `a x + b y`; `x` and `y` have the same length.
    pub fn sums(self, x: &[f64], y: &[f64], a: f64, b: f64) -> Sums {
        #[allow(unsafe_code)]
        // SAFETY: a `Kernel` is only made by `available`, which has checked that the machine can run it.
        unsafe {
            (self.sums)(x, y, a, b)
        }
    }
}

/// Every kernel that this machine can run, the fastest last.
pub fn available() -> Vec<Kernel> {
    let mut kernels = vec![Kernel { sums: scalar }];
    #[cfg(target_arch = "x86_64")]
    if crate::fused::is_available() {
        kernels.push(Kernel { sums: avx2 });
        if is_x86_feature_detected!("avx512f") {
            kernels.push(Kernel { sums: avx512 });
        }
    }
    kernels
}

/// The fastest kernel, looked for once.
pub fn best() -> Kernel {
    static BEST: OnceLock<Kernel> = OnceLock::new();
    *BEST.get_or_init(|| available().pop().expect("there is always the scalar one"))
}

fn scalar(x: &[f64], y: &[f64], a: f64, b: f64) -> Sums {
    sum_all::<false>(x, y, a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(x: &[f64], y: &[f64], a: f64, b: f64) -> Sums {
    sum_all::<true>(x, y, a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn avx512(x: &[f64], y: &[f64], a: f64, b: f64) -> Sums {
    sum_all::<true>(x, y, a, b)
}

/// Running sums, a lane each: of |u|, of u exp(-u^2 / 2), and the product of 1 + exp(-2 |u|).
struct Lanes {
    absolute: [f64; LANES],
    odd: [f64; LANES],
    product: [f64; LANES],
}

/// ln cosh u = |u| + ln(1 + exp(-2 |u|)) - ln 2: no overflow, and one logarithm for a whole product.
#[allow(clippy::inline_always)]
#[inline(always)]
fn sum_all<const FUSED: bool>(x: &[f64], y: &[f64], a: f64, b: f64) -> Sums {
    let mut sums = Sums { log_cosh: 0.0, odd: 0.0 };
    for (x, y) in x.chunks(LANES * FACTORS).zip(y.chunks(LANES * FACTORS)) {
        let mut lanes = Lanes { absolute: [0.0; LANES], odd: [0.0; LANES], product: [1.0; LANES] };
        let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
        for (x, y) in x.iter().zip(y) {
            add::<FUSED>(&mut lanes, x, y, a, b);
        }
        let mut n = x.len() * LANES;
        if !x_rest.is_empty() {
            // Padding is u = 0, which adds ln 2 - ln 2 to one sum and nothing to the other.
            let (mut x, mut y) = ([0.0; LANES], [0.0; LANES]);
            x[..x_rest.len()].copy_from_slice(x_rest);
            y[..y_rest.len()].copy_from_slice(y_rest);
            add::<FUSED>(&mut lanes, &x, &y, a, b);
            n += LANES;
        }
        let logarithms: f64 = lanes.product.iter().map(|p| p.ln()).sum();
        sums.log_cosh += lanes.absolute.iter().sum::<f64>() + logarithms - n as f64 * LN_2;
        sums.odd += lanes.odd.iter().sum::<f64>();
    }
    sums
}

#[allow(clippy::inline_always)]
#[inline(always)]
fn add<const FUSED: bool>(lanes: &mut Lanes, x: &[f64; LANES], y: &[f64; LANES], a: f64, b: f64) {
    let (mut u, mut decay, mut bell) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for k in 0..LANES {
        u[k] = multiply_add::<FUSED>(a, x[k], b * y[k]);
        decay[k] = -2.0 * u[k].abs();
        bell[k] = -0.5 * u[k] * u[k];
    }
    exponentiate::<FUSED>(&mut decay);
    exponentiate::<FUSED>(&mut bell);
    for k in 0..LANES {
        lanes.absolute[k] += u[k].abs();
        lanes.product[k] *= 1.0 + decay[k];
        lanes.odd[k] = multiply_add::<FUSED>(u[k], bell[k], lanes.odd[k]);
    }
}

/// exp(x) for x <= 0, to about 1e-15 relative; smaller than exp(-700) counts as that.
///
/// x = k ln 2 + r with |r| <= ln 2 / 2; exp(r) is a polynomial, and 2^k is put into the exponent's bits.
#[allow(clippy::inline_always)]
#[inline(always)]
fn exponentiate<const FUSED: bool>(x: &mut [f64; LANES]) {
    /// Adding it leaves the nearest whole number in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// ln 2 in two parts, the first short enough for its products with k to be exact.
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let (mut shifted, mut r, mut series) = ([0.0; LANES], [0.0; LANES], [EXPONENTIAL[0]; LANES]);
    for i in 0..LANES {
        let bounded = if x[i] < -700.0 { -700.0 } else { x[i] };
        shifted[i] = multiply_add::<FUSED>(bounded, LOG2_E, ROUND);
        let k = shifted[i] - ROUND;
        r[i] = multiply_add::<FUSED>(k, -LN_2_LOW, multiply_add::<FUSED>(k, -LN_2_HIGH, bounded));
    }
    for coefficient in &EXPONENTIAL[1..] {
        for i in 0..LANES {
            series[i] = multiply_add::<FUSED>(series[i], r[i], *coefficient);
        }
    }
    for i in 0..LANES {
        x[i] = series[i] * f64::from_bits((shifted[i].to_bits() << 52).wrapping_add(1023 << 52));
    }
}

/// Coefficients of exp(r), the highest power first: interpolated at Chebyshev points of |r| <= 1.001 ln 2 / 2 (mpmath's
/// `chebyfit` of 11 terms), off by at most 2.3e-16 before rounding. A Taylor series needs three more for that.
const EXPONENTIAL: [f64; 11] = [
    2.762_649_554_643_219_6e-7,
    2.764_034_682_613_85e-6,
    2.480_150_401_442_690_6e-5,
    1.984_116_987_120_273_4e-4,
    1.388_888_893_275_1e-3,
    8.333_333_385_982_784e-3,
    4.166_666_666_657_239e-2,
    1.666_666_666_655_350_3e-1,
    5.000_000_000_000_006e-1,
    1.000_000_000_000_006_9,
    1.0,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn exponentials_are_good_to_the_last_digits() {
        for step in 0..7000 {
            let x = -0.1 * f64::from(step);
            let mut got = [x; LANES];
            exponentiate::<false>(&mut got);
            assert!((got[0] / x.exp() - 1.0).abs() < 1e-15, "exp({x}) came out as {}", got[0]);
        }
        let mut tiny = [-1e308; LANES];
        exponentiate::<false>(&mut tiny);
        assert!(tiny[0] < 1e-300);
    }

    proptest! {
        #[test]
        fn every_kernel_sums_as_the_definition_does(
            x in prop::collection::vec(-30.0..30.0_f64, 0..40),
            a in -2.0..2.0_f64,
            b in -2.0..2.0_f64,
        ) {
            let y: Vec<f64> = x.iter().rev().copied().collect();
            let u: Vec<f64> = x.iter().zip(&y).map(|(x, y)| a * x + b * y).collect();
            let log_cosh: f64 = u.iter().map(|u| u.cosh().ln()).sum();
            let odd: f64 = u.iter().map(|u| u * (-0.5 * u * u).exp()).sum();
            for kernel in available() {
                let sums = kernel.sums(&x, &y, a, b);
                prop_assert!((sums.log_cosh - log_cosh).abs() < 1e-12 * (1.0 + log_cosh.abs()), "{kernel:?}");
                prop_assert!((sums.odd - odd).abs() < 1e-12, "{kernel:?}");
            }
        }
    }

    #[test]
    fn long_columns_and_huge_values_stay_finite() {
        let x = vec![1e-3; 3 * LANES * FACTORS + 5];
        let expected = x.len() as f64 * 1e-3_f64.cosh().ln();
        for kernel in available() {
            assert!((kernel.sums(&x, &x, 1.0, 0.0).log_cosh - expected).abs() < 1e-10);
            let huge = kernel.sums(&[1e200, -1e200], &[0.0; 2], 1.0, 1.0);
            assert!(huge.log_cosh.is_finite() && huge.odd.abs() < 1e-90);
        }
    }
}
