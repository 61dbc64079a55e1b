//! The standard normal distribution: quantiles and tails.

use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

/// P(|Z| > |z|) of a standard normal Z, with full relative precision however small: erfc(|z| / sqrt 2).
///
/// One minus the series of erf whose terms are all positive (DLMF 7.6.2) near the middle, else the continued fraction of
/// erfc (DLMF 7.9.1), evaluated from its far end.
pub fn two_sided_tail(z: f64) -> f64 {
    let x = z.abs() / SQRT_2;
    if x < 1.5 {
        let (mut sum, mut term, mut n) = (x, x, 0.0);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        return 1.0 - FRAC_2_SQRT_PI * exp_of_minus_square(x) * sum;
    }
    let v = 2.0 * x * x;
    let fraction = (1..=FRACTION_TERMS).rev().fold(1.0, |rest, k| 1.0 + f64::from(k) / (v * rest));
    exp_of_minus_square(x) * FRAC_2_SQRT_PI / (2.0 * x * fraction)
}

/// Terms of the fraction that give all digits from x = 1.5 on.
const FRACTION_TERMS: u32 = 80;

/// exp(-x^2). The square of a number of 24 bits is exact, and rounding x^2 would cost a deep tail its last digits.
fn exp_of_minus_square(x: f64) -> f64 {
    let head = f64::from(x as f32);
    if head.is_infinite() {
        return 0.0;
    }
    (-head * head).exp() * ((head - x) * (head + x)).exp()
}

/// Inverse of the standard normal distribution function, relative error about 1e-15; `p` must lie inside (0, 1).
///
/// Algorithm AS 241 (PPND16): Wichura, Applied Statistics 37 (1988) 477-484, rational approximations of degree 7 in
/// the centre, in the tails and in the far tails.
pub fn quantile(p: f64) -> f64 {
    debug_assert!(p > 0.0 && p < 1.0, "a probability strictly between 0 and 1");
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(&CENTRE, r);
    }
    let tail = (-p.min(1.0 - p).ln()).sqrt();
    let size = if tail <= 5.0 { ratio(&TAIL, tail - 1.6) } else { ratio(&FAR_TAIL, tail - 5.0) };
    size.copysign(q)
}

/// Numerator and denominator, coefficients of ascending powers.
type Rational = [[f64; 8]; 2];

fn ratio([numerator, denominator]: &Rational, x: f64) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, &c| sum * x + c);
    horner(numerator) / horner(denominator)
}

const CENTRE: Rational = [
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_4,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
];

const TAIL: Rational = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];

const FAR_TAIL: Rational = [
    [
        6.657_904_643_501_104,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::{quantile, two_sided_tail};

    /// Reference values: `mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1)` at 50 digits, p as given in binary.
    const REFERENCE: [(f64, f64); 19] = [
        (1e-300, -37.047_096_299_361_2),
        (1e-100, -21.273_453_560_965_326),
        (1e-20, -9.262_340_089_798_407),
        (1e-12, -7.034_483_825_301_132),
        (1e-8, -5.612_001_244_174_789),
        (1e-5, -4.264_890_793_922_825),
        (0.001, -3.090_232_306_167_813_6),
        (0.02, -2.053_748_910_631_823),
        (0.074, -1.446_632_067_158_978_5),
        (0.0751, -1.438_825_392_752_54),
        (0.1, -1.281_551_565_544_600_4),
        (0.3, -0.524_400_512_708_040_8),
        (0.4999, -0.000_250_662_830_088_007_47),
        (0.6, 0.253_347_103_135_799_7),
        (0.9, 1.281_551_565_544_600_6),
        (0.9249, 1.438_825_392_752_540_3),
        (0.9251, 1.440_238_267_527_964),
        (0.99, 2.326_347_874_040_840_8),
        (0.999_999, 4.753_424_308_817_087),
    ];

    #[test]
    fn agrees_with_high_precision() {
        for (p, expected) in REFERENCE {
            assert!((quantile(p) / expected - 1.0).abs() < 1e-14, "p = {p}: {} against {expected}", quantile(p));
        }
    }

    /// Reference values: `mpmath.erfc(mpmath.mpf(z) / mpmath.sqrt(2))` at 50 digits, z as given in binary.
    const TAILS: [(f64, f64); 15] = [
        (1e-09, 0.999_999_999_202_115_5),
        (0.1, 0.920_344_325_445_942),
        (0.5, 0.617_075_077_451_973_8),
        (1.0, 0.317_310_507_862_914_1),
        (1.96, 0.049_995_790_296_440_87),
        (2.12, 0.034_006_045_295_265_595),
        (2.121_3, 0.033_896_564_382_018_98),
        (2.13, 0.033_171_613_367_210_036),
        (3.0, 0.002_699_796_063_260_189),
        (5.0, 5.733_031_437_583_878e-07),
        (8.3, 1.041_113_948_978_050_8e-16),
        (13.7, 1.015_242_962_319_575_8e-42),
        (20.0, 5.507_248_237_212_467_5e-89),
        (30.01, 7.267_185_629_930_707e-198),
        (37.0, 1.145_114_244_504_915_4e-299),
    ];

    #[test]
    fn tails_agree_with_high_precision_down_to_1e_300() {
        for (z, expected) in TAILS {
            assert!((two_sided_tail(z) / expected - 1.0).abs() < 1e-13, "z = {z}: {}", two_sided_tail(z));
            assert_eq!(two_sided_tail(z), two_sided_tail(-z));
        }
        assert_eq!((two_sided_tail(0.0), two_sided_tail(f64::INFINITY)), (1.0, 0.0));
    }

    #[test]
    fn tail_and_quantile_are_inverse() {
        for (p, z) in REFERENCE.into_iter().filter(|(p, _)| *p < 0.4) {
            assert!((two_sided_tail(z) / (2.0 * p) - 1.0).abs() < 1e-12, "p = {p}");
        }
    }

    #[test]
    fn is_odd_about_the_median() {
        assert!(quantile(0.5).abs() < 1e-300);
        for p in [0.25, 0.125, 1.0 / 1024.0, 2f64.powi(-40)] {
            assert!((quantile(p) + quantile(1.0 - p)).abs() < 1e-14);
        }
    }
}
