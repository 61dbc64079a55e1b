//! Lagged columns on the rows of a window, and what a regression needs to know of them.

use super::factor::Products;
use crate::cov::{LaggedCorrelation, Window, scale_for};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::series::Series;

/// Columns (i, a), `x_i(t - a)` for a = 0..=`max_lag`, on rows t in [`max_lag`, end) of every data set.
///
/// Column (i, a) has index `i * (max_lag + 1) + a`. Regressions work on columns of unit size; `size` brings coefficients
/// back to the units of the series.
pub struct Columns {
    correlation: LaggedCorrelation,
    n_lags: usize,
    /// Whether columns are taken about their means (a regression with a constant) or about zero.
    centred: bool,
    /// Of every series: values times a power of two that brings them near 1, less their mean if centred.
    values: Vec<f64>,
    /// The powers of two.
    scales: Vec<f64>,
    /// Of every column, in the units of `values`: mean, standard deviation, and root mean square about mean or zero.
    moments: Vec<Moments>,
}

#[derive(Clone, Copy)]
struct Moments {
    mean: f64,
    deviation: f64,
    size: f64,
}

impl Columns {
    /// The columns of `series`, which must be complete.
    pub fn new(series: &Series, max_lag: usize, centred: bool, budget: usize, monitor: &Monitor) -> Result<Self> {
        if !series.is_complete() {
            return Err(CoreError::invalid("a sample is missing"));
        }
        let window = Window::new(series, max_lag, max_lag)?;
        let correlation = LaggedCorrelation::new(series, max_lag, max_lag, budget, monitor)?;
        let (values, scales) = prepare(series, centred);
        let n_samples = series.n_samples();
        let moments_of = |(i, a): (usize, usize)| {
            let pieces = || window.rows().iter().flat_map(|r| &values[i * n_samples..][r.start - a..r.end - a]);
            let n = window.n_rows() as f64;
            let mean = pieces().sum::<f64>() / n;
            let deviation = (pieces().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
            Moments { mean, deviation, size: if centred { deviation } else { deviation.hypot(mean) } }
        };
        let n_lags = max_lag + 1;
        let moments = (0..series.n_series() * n_lags).map(|c| moments_of((c / n_lags, c % n_lags))).collect();
        Ok(Self { correlation, n_lags, centred, values, scales, moments })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.correlation.n_rows()
    }

    /// Index of column (i, 0).
    pub fn present(&self, i: usize) -> usize {
        i * self.n_lags
    }

    /// What a coefficient between columns of unit size is worth in units of the target a unit of the source.
    pub fn unit(&self, source: usize, target: usize) -> f64 {
        self.size(target) / self.size(source)
    }

    /// Size of a column in the units of its series.
    pub fn size(&self, column: usize) -> f64 {
        self.moments[column].size / self.scales[column / self.n_lags]
    }

    /// What is left of series `target` at its rows when `coefficients` (of unit sizes) times `columns` are taken off;
    /// in the units of the series, about its mean if centred.
    pub fn residual(&self, window: &Window, target: usize, columns: &[usize], coefficients: &[f64]) -> Vec<f64> {
        let n_samples = window.series().n_samples();
        let of = |i: usize| &self.values[i * n_samples..][..n_samples];
        let mut out: Vec<f64> = window.rows().iter().flat_map(|r| &of(target)[r.clone()]).copied().collect();
        let own_size = self.moments[self.present(target)].size;
        for (&column, coefficient) in columns.iter().zip(coefficients) {
            let (x, lag) = (of(column / self.n_lags), column % self.n_lags);
            let weight = coefficient * own_size / self.moments[column].size;
            let mut start = 0;
            for r in window.rows() {
                let source = &x[r.start - lag..r.end - lag];
                out[start..][..r.len()].iter_mut().zip(source).for_each(|(o, v)| *o -= weight * v);
                start += r.len();
            }
        }
        let mean = if self.centred { out.iter().sum::<f64>() / out.len() as f64 } else { 0.0 };
        for v in &mut out {
            *v = (*v - mean) / self.scales[target];
        }
        out
    }
}

impl Products for Columns {
    /// Of columns of unit size.
    fn product(&self, p: usize, q: usize) -> f64 {
        let r = self.correlation.row_at(p)[q];
        if self.centred {
            return r;
        }
        let (p, q) = (self.moments[p], self.moments[q]);
        if p.size == 0.0 || q.size == 0.0 {
            return 0.0;
        }
        (r * p.deviation * q.deviation + p.mean * q.mean) / (p.size * q.size)
    }
}

/// Values near 1, less their mean if `centred`, and the factor that each series was multiplied by.
fn prepare(series: &Series, centred: bool) -> (Vec<f64>, Vec<f64>) {
    let n_samples = series.n_samples();
    let mut values = vec![0.0; series.n_series() * n_samples];
    let mut scales = Vec::with_capacity(series.n_series());
    for i in 0..series.n_series() {
        let x = series.series(i);
        let scale = scale_for(series.samples(i).fold(0.0, |largest: f64, t| largest.max(x[t].abs())));
        let n = series.samples(i).count() as f64;
        let mean = if centred { series.samples(i).map(|t| x[t] * scale).sum::<f64>() / n } else { 0.0 };
        for t in series.samples(i) {
            values[i * n_samples + t] = x[t] * scale - mean;
        }
        scales.push(scale);
    }
    (values, scales)
}
