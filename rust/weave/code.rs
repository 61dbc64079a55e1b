//! Codes: what the bits of a sample say.

use super::prepare::{MIN_SAMPLES, autocorrelation, prepare};
use super::ranking::Ranking;
use crate::bits::{Layout, Planes};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::series::Series;

/// What is coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Two bits: whether x rises from t to t + 1, and from t + 1 to t + 2 (strictly).
    Trend,
    /// Equal-probability levels of x by mid-ranks; any float series, residuals too.
    Level,
    /// Levels of the AR(1) innovations of the prepared series.
    Innovation,
    /// Levels of the clipped distance from the median.
    Even,
}

/// Weights of the planes of a level code: rounded from (0.798, 0.473, 0.271), the mean of a standard normal variable
/// times plane a (as a sign).
const LEVEL_WEIGHTS: [u32; 3] = [3, 2, 1];
/// Both steps of a trend code count the same.
const TREND_WEIGHTS: [u32; 2] = [1, 1];

/// Code every series with `bits` bits, for lags up to `tau_max` (that many invalid bits lie between data sets).
///
/// A series without variance gets codes without variance, which no association counts.
pub fn encode(series: &Series, code: Code, bits: usize, tau_max: usize, monitor: &Monitor) -> Result<Planes> {
    if !(1..=LEVEL_WEIGHTS.len()).contains(&bits) || code == Code::Trend && bits != TREND_WEIGHTS.len() {
        return Err(CoreError::invalid(format!("{code:?} codes cannot have {bits} bits")));
    }
    let columns = match code {
        Code::Trend | Code::Level => None,
        Code::Innovation | Code::Even => Some(prepare(series, code == Code::Even, monitor)?),
    };
    let column = |i: usize| columns.as_ref().map_or_else(|| series.series(i), |columns| columns.column(i));
    let n = series.n_series();
    let code_one = |i: usize, codes: &mut [u8]| match code {
        Code::Trend => trend(series, i, codes),
        Code::Level => levels(&Ranking::new(column(i), series.samples(i)), bits, codes),
        Code::Innovation => levels(&innovations(series, i, column(i)), bits, codes),
        Code::Even => levels(&Ranking::new(column(n + i), series.samples(i)), bits, codes),
    };
    let weights = if code == Code::Trend { &TREND_WEIGHTS } else { &LEVEL_WEIGHTS[..bits] };
    Planes::pack(Layout::new(series.segments(), tau_max), weights, (n, series.n_samples()), monitor, code_one)
}

/// Strict rises over the two steps that follow a sample; all three samples must be usable.
fn trend(series: &Series, i: usize, codes: &mut [u8]) {
    let x = series.series(i);
    for t in series.runs(i, 2) {
        codes[t - 2] = u8::from(x[t - 1] > x[t - 2]) << 1 | u8::from(x[t] > x[t - 1]);
    }
}

/// Ranks of y(t) - phi y(t - 1), phi the lag-1 autocorrelation, where both samples are usable.
fn innovations(series: &Series, i: usize, y: &[f64]) -> Ranking {
    let phi = autocorrelation(series, i, y);
    let mut values = vec![0.0; y.len()];
    series.runs(i, 1).for_each(|t| values[t] = y[t] - phi * y[t - 1]);
    Ranking::new(&values, series.runs(i, 1))
}

/// Levels 0 to 2^bits - 1 of the ranked samples.
///
/// With more than 2^bits distinct values the level of a sample with mid-rank r is floor(2^bits (r - 1/2) / n); with
/// q <= 2^bits the k-th smallest value has level round(k (2^bits - 1) / (q - 1)), so that few values spread over all
/// levels. Too few samples all get level 0.
fn levels(ranking: &Ranking, bits: usize, codes: &mut [u8]) {
    let (n, distinct, top) = (ranking.len(), ranking.ties().count(), (1 << bits) - 1);
    for (k, tie) in ranking.ties().enumerate() {
        let level = if n < MIN_SAMPLES || distinct == 1 {
            0
        } else if distinct <= top + 1 {
            (2 * k * top + distinct - 1) / (2 * (distinct - 1))
        } else {
            ((tie.twice_mid_rank() - 1) << bits) / (2 * n)
        };
        tie.samples.iter().for_each(|&t| codes[t as usize] = level as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of one series as levels, invalid samples `None`.
    fn codes(series: &Series, code: Code, bits: usize) -> Vec<Option<u8>> {
        let planes = encode(series, code, bits, 3, &Monitor::default()).unwrap();
        planes.codes(series.n_samples()).into_iter().map(|code| u8::try_from(code).ok()).collect()
    }

    fn one<'a>(x: &'a [f64], valid: Option<&'a [bool]>) -> Series<'a> {
        Series::new(x, valid, 1, x.len(), vec![]).unwrap()
    }

    #[test]
    fn trend_is_strict_and_needs_three_samples() {
        let x = [1.0, 2.0, 2.0, 1.0, 3.0, 4.0, 9.0];
        let valid = [true, true, true, true, true, true, false];
        let expected = [Some(0b10), Some(0b00), Some(0b01), Some(0b11), None, None, None];
        assert_eq!(codes(&one(&x, Some(&valid)), Code::Trend, 2), expected);
        let split = Series::new(&x, None, 1, 7, vec![0..3, 3..7]).unwrap();
        let expected = [Some(0b10), None, None, Some(0b11), Some(0b11), None, None];
        assert_eq!(codes(&split, Code::Trend, 2), expected);
        assert!(encode(&split, Code::Trend, 1, 3, &Monitor::default()).is_err());
    }

    #[test]
    fn levels_are_equally_probable() {
        let x: Vec<f64> = (0..64).map(|t| f64::from(t * 37 % 64)).collect();
        for bits in 1..=3 {
            let found = codes(&one(&x, None), Code::Level, bits);
            for level in 0..1 << bits {
                assert_eq!(found.iter().filter(|&&c| c == Some(level)).count(), 64 >> bits);
            }
        }
    }

    #[test]
    fn few_values_spread_over_all_levels() {
        let binary: Vec<f64> = (0..20).map(|t| f64::from(u8::from(t % 7 == 0))).collect();
        let found = codes(&one(&binary, None), Code::Level, 3);
        assert!(found.iter().zip(&binary).all(|(&c, &x)| c == Some(if x > 0.0 { 7 } else { 0 })));
        let three: Vec<f64> = (0..21).map(|t| f64::from(t % 3)).collect();
        assert_eq!(codes(&one(&three, None), Code::Level, 2)[..3], [Some(0), Some(2), Some(3)]);
    }

    #[test]
    fn even_codes_see_the_distance_from_the_median() {
        let x: Vec<f64> = (0..41).map(|t| f64::from(t - 20)).collect();
        let found = codes(&one(&x, None), Code::Even, 1);
        assert!((0..41).all(|t| found[t] == found[40 - t]));
        assert_eq!((found[0], found[20]), (Some(1), Some(0)));
    }

    #[test]
    fn an_innovation_needs_its_predecessor() {
        let x: Vec<f64> = (0..30).map(|t| f64::from(t * t % 17)).collect();
        let valid: Vec<bool> = (0..30).map(|t| t != 12).collect();
        let found = codes(&one(&x, Some(&valid)), Code::Innovation, 2);
        let missing: Vec<usize> = (0..30).filter(|&t| found[t].is_none()).collect();
        assert_eq!(missing, [0, 12, 13]);
    }

    #[test]
    fn a_constant_series_has_a_constant_code() {
        for code in [Code::Level, Code::Innovation, Code::Even] {
            let found = codes(&one(&[4.0; 12], None), code, 2);
            assert!(found.iter().all(|&c| c == Some(0) || c.is_none()));
        }
    }
}
