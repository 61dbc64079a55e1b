//! The columns that the screens calculate with: y stands for the series itself, e for its distance from the median.

use std::ops::Range;

use rayon::prelude::*;

use super::ranking::Ranking;
use crate::error::Result;
use crate::parallel::Monitor;
use crate::series::Series;
use crate::stats::normal;

/// Fewer valid samples than this say nothing about a series: its columns stay zero.
pub(super) const MIN_SAMPLES: usize = 4;
/// Values farther from the median than this many robust standard deviations are clipped.
const CLIP: f64 = 5.0;
/// Median absolute deviation to standard deviation, for a normal distribution.
const MAD_TO_SD: f64 = 1.4826;
/// From this lag-1 autocorrelation on, ranks lose the levels that clipped values keep.
const RANK_LIMIT: f64 = 0.8;

/// Standardised columns, contiguous like a [`Series`]: y of all series, then, if asked for, e of all series. Missing
/// samples, samples outside every data set and series without variance are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    values: Vec<f64>,
    n_samples: usize,
}

impl Prepared {
    /// Column `i`: y of series `i`, from N on the even companions.
    pub fn column(&self, i: usize) -> &[f64] {
        &self.values[i * self.n_samples..(i + 1) * self.n_samples]
    }

    /// The even companions with the validity of the series they come from.
    pub fn companions<'a>(&'a self, series: &Series<'a>) -> Result<Series<'a>> {
        series.with_values(&self.values[series.n_series() * self.n_samples..])
    }

    /// All columns as 2N (without even companions N) complete series.
    pub fn as_series(&self, segments: &[Range<usize>]) -> Result<Series<'_>> {
        let n_columns = self.values.len().checked_div(self.n_samples).unwrap_or(0);
        Series::new(&self.values, None, n_columns, self.n_samples, segments.to_vec())
    }
}

/// Prepare every series, in parallel; one sort a series.
///
/// With m the median, s = 1.4826 median|x - m| (or the standard deviation sd where s <= sd / 1000) and
/// w = clip(x, m - 5s, m + 5s): y is the normal scores of the mid-ranks of x if |lag-1 autocorrelation of w| < 0.8,
/// else w; e, the even companion and a source only, is the normal scores of the mid-ranks of |w - m|. Means and
/// variances are over the valid samples.
pub fn prepare(series: &Series, even: bool, monitor: &Monitor) -> Result<Prepared> {
    let (n, t) = (series.n_series(), series.n_samples());
    let mut values = vec![0.0; if even { 2 * n * t } else { n * t }];
    let (y, e) = values.split_at_mut(n * t);
    let y = y.par_chunks_mut(t.max(1)).enumerate();
    let one = |(i, y): (usize, &mut [f64]), e: Option<&mut [f64]>| {
        monitor.check()?;
        prepare_one(series, i, y, e);
        Ok(())
    };
    if even {
        y.zip(e.par_chunks_mut(t.max(1))).try_for_each(|(y, e)| one(y, Some(e)))?;
    } else {
        y.try_for_each(|y| one(y, None))?;
    }
    Ok(Prepared { values, n_samples: t })
}

/// Fill the zero columns y and e of series `i`.
fn prepare_one(series: &Series, i: usize, y: &mut [f64], e: Option<&mut [f64]>) {
    let ranking = Ranking::new(series.series(i), series.samples(i));
    if ranking.len() < MIN_SAMPLES || ranking.values()[0] == ranking.values()[ranking.len() - 1] {
        return;
    }
    let m = ranking.median();
    let limit = CLIP * scale(&ranking, m);
    for (&t, &x) in ranking.order().iter().zip(ranking.values()) {
        y[t as usize] = x.clamp(m - limit, m + limit);
    }
    if autocorrelation(series, i, y).abs() < RANK_LIMIT {
        normal_scores(&ranking, y);
    }
    standardise(ranking.order(), y);
    if let Some(e) = e {
        let folded = ranking.folded(m, limit);
        normal_scores(&folded, e);
        standardise(folded.order(), e);
    }
}

/// Robust standard deviation about the median `m`.
fn scale(ranking: &Ranking, m: f64) -> f64 {
    let robust = MAD_TO_SD * ranking.folded(m, f64::INFINITY).median();
    let (_, sd) = moments(ranking.values().iter().copied());
    if robust <= 1e-3 * sd { sd } else { robust }
}

/// Mean and standard deviation; safe against overflow of the squares.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count() as f64;
    let mean = values.clone().map(|x| x / n).sum::<f64>();
    let largest = values.clone().fold(0.0, |top: f64, x| top.max((x - mean).abs()));
    if largest == 0.0 {
        return (mean, 0.0);
    }
    let square = values.map(|x| ((x - mean) / largest).powi(2)).sum::<f64>();
    (mean, largest * (square / n).sqrt())
}

/// Pearson correlation of neighbouring samples of `values`, over the pairs in which both are valid; 0 without variance.
pub(super) fn autocorrelation(series: &Series, i: usize, values: &[f64]) -> f64 {
    let pairs = series.runs(i, 1);
    let (mean_x, sd_x) = moments(pairs.clone().map(|t| values[t - 1]));
    let (mean_y, sd_y) = moments(pairs.clone().map(|t| values[t]));
    if !(sd_x > 0.0 && sd_y > 0.0) {
        return 0.0;
    }
    let n = pairs.clone().count() as f64;
    pairs.map(|t| (values[t - 1] - mean_x) / sd_x * ((values[t] - mean_y) / sd_y)).sum::<f64>() / n
}

/// Write the standard normal quantile of (mid-rank - 1/2) / n at every ranked sample.
fn normal_scores(ranking: &Ranking, column: &mut [f64]) {
    let n = ranking.len() as f64;
    for tie in ranking.ties() {
        let score = normal::quantile((tie.twice_mid_rank() as f64 - 1.0) / (2.0 * n));
        tie.samples.iter().for_each(|&t| column[t as usize] = score);
    }
}

/// Mean 0 and standard deviation 1 over `samples`; all 0 where there is no variance.
fn standardise(samples: &[u32], column: &mut [f64]) {
    let (mean, sd) = moments(samples.iter().map(|&t| column[t as usize]));
    for &t in samples {
        let x = &mut column[t as usize];
        *x = if sd > 0.0 { (*x - mean) / sd } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(n: usize) -> Vec<f64> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        (0..n).map(|_| next()).collect()
    }

    /// Columns y and e of one series.
    fn run(values: &[f64], valid: Option<&[bool]>) -> [Vec<f64>; 2] {
        let series = Series::new(values, valid, 1, values.len(), vec![]).unwrap();
        let prepared = prepare(&series, true, &Monitor::default()).unwrap();
        let columns = prepared.as_series(&[]).unwrap();
        [0, 1].map(|c| columns.series(c).to_vec())
    }

    #[test]
    fn columns_are_standardised_and_missing_is_zero() {
        let x = noise(200);
        let valid: Vec<bool> = (0..200).map(|t| t % 7 != 3).collect();
        for column in run(&x, Some(&valid)) {
            let usable: Vec<f64> = (0..200).filter(|&t| valid[t]).map(|t| column[t]).collect();
            let (mean, sd) = moments(usable.iter().copied());
            assert!(mean.abs() < 1e-12 && (sd - 1.0).abs() < 1e-12);
            assert!((0..200).all(|t| valid[t] || column[t] == 0.0));
        }
    }

    #[test]
    fn ranks_below_the_limit_and_clipped_values_above() {
        let x = noise(300);
        let cubed: Vec<f64> = x.iter().map(|x| x.powi(3)).collect();
        assert_eq!(run(&x, None)[0], run(&cubed, None)[0]);
        let mut walk = x.clone();
        (1..300).for_each(|t| walk[t] += 0.97 * walk[t - 1]);
        let [y, _] = run(&walk, None);
        let ratio = (y[1] - y[0]) / (walk[1] - walk[0]);
        assert!((2..300).all(|t| ((y[t] - y[t - 1]) - ratio * (walk[t] - walk[t - 1])).abs() < 1e-9));
    }

    #[test]
    fn nothing_to_say_gives_zero_columns() {
        assert_eq!(run(&[2.0; 50], None), [vec![0.0; 50], vec![0.0; 50]]);
        let x = noise(50);
        let few: Vec<bool> = (0..50).map(|t| t % 20 == 0).collect();
        assert_eq!(run(&x, Some(&few)), [vec![0.0; 50], vec![0.0; 50]]);
        // Two values have a sign but no distance from the median.
        let binary: Vec<f64> = (0..50).map(|t| f64::from(t % 2)).collect();
        let [y, e] = run(&binary, None);
        assert!(y.iter().all(|&y| y.abs() > 0.5) && e.iter().all(|&e| e == 0.0));
    }

    #[test]
    fn a_huge_spike_stays_finite() {
        let mut x = noise(100);
        x[40] = 1e300;
        assert!(run(&x, None).iter().flatten().all(|v| v.is_finite() && v.abs() < 10.0));
    }
}
