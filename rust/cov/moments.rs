//! Means and norms of lagged columns.

use std::ops::Range;

use rayon::prelude::*;

use super::window::Window;

/// Of one column: its mean, its sum over long data sets, and 1 / norm once centred (0 if constant).
#[derive(Debug, Clone, Copy)]
pub struct Moments {
    pub mean: f64,
    long_sum: f64,
    inverse: f64,
}

impl Moments {
    /// Whether the column varies.
    pub fn varies(&self) -> bool {
        self.inverse > 0.0
    }

    /// The correlation with another column, of which `sum` are the products: raw ones on the `n_long` rows of long data
    /// sets, those of centred values elsewhere.
    pub fn correlation(&self, other: &Self, sum: f64, n_long: f64) -> f64 {
        let of_means = (self.mean * other.long_sum + self.long_sum * other.mean) - n_long * (self.mean * other.mean);
        (sum - of_means) * (self.inverse * other.inverse)
    }
}

/// Moments of every column (i, a), at `i * (L+1) + a`, on the rows of a window; `long` are its long runs of rows, and
/// `values` the samples, near 0 and scaled.
pub fn moments(window: &Window, values: &[f64], long: &[Range<usize>]) -> Vec<Moments> {
    let (n_samples, n_lags) = (window.series().n_samples(), window.max_lag() + 1);
    let of = |column: usize| {
        let (i, a) = (column / n_lags, column % n_lags);
        let x = &values[i * n_samples..][..n_samples];
        let total = |rows: &[Range<usize>], f: &dyn Fn(&[f64]) -> f64| {
            rows.iter().map(|r| f(&x[r.start - a..r.end - a])).sum::<f64>()
        };
        let mean = total(window.rows(), &|x| blocked_sum(x, |v| v)) / window.n_rows() as f64;
        let squares = total(window.rows(), &|x| blocked_sum(x, |v| (v - mean) * (v - mean)));
        let inverse = if squares <= 0.0 || window.is_constant(i, a) { 0.0 } else { 1.0 / squares.sqrt() };
        Moments { mean, long_sum: total(long, &|x| blocked_sum(x, |v| v)), inverse }
    };
    (0..window.series().n_series() * n_lags).into_par_iter().map(of).collect()
}

/// Sum of `f(v)` in eight interleaved partial sums: fast, and its rounding error grows with n / 8.
fn blocked_sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut partial = [0.0; 8];
    let blocks = values.chunks_exact(8);
    let rest: f64 = blocks.remainder().iter().map(|&v| f(v)).sum();
    for block in blocks {
        for (p, &v) in partial.iter_mut().zip(block) {
            *p += f(v);
        }
    }
    partial.iter().sum::<f64>() + rest
}
