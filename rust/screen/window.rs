//! Exact correlations of lagged columns on the analysis window, formed when asked for.

use std::ops::Range;

use crate::series::Series;

/// A candidate column: series `series` shifted by `lag` samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Column {
    pub series: usize,
    pub lag: usize,
}

/// Window variance, relative to a series' unit variance, below which a column does not vary.
const NO_VARIANCE: f64 = 1e-12;

/// Standardised series and the rows `t` on which every column is compared.
pub struct Window<'a> {
    series: &'a Series<'a>,
    rows: Vec<Range<usize>>,
    n_rows: usize,
    n_lags: usize,
    /// Mean and reciprocal standard deviation (0: no variance) of column (s, a) at `s * n_lags + a`.
    moments: Vec<(f64, f64)>,
}

impl<'a> Window<'a> {
    /// Rows `t >= start of its data set + first_row`; columns at lags `0..=tau_max`.
    ///
    /// `series` are of order one (normal scores or clipped and standardised), so running sums lose no digits.
    pub fn new(series: &'a Series<'a>, tau_max: usize, first_row: usize) -> Self {
        let rows: Vec<_> = window_rows(series.segments(), first_row);
        let n_rows = rows.iter().map(ExactSizeIterator::len).sum();
        let mut window = Self { series, rows, n_rows, n_lags: tau_max + 1, moments: Vec::new() };
        window.moments = (0..series.n_series()).flat_map(|s| window.moments_of(s)).collect();
        window
    }

    /// Number of rows n.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The rows as ranges of sample indices, one for each data set that is long enough.
    pub fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// Whether the column varies on the window.
    pub fn varies(&self, column: Column) -> bool {
        self.moment(column).1 > 0.0
    }

    /// Correlation of two columns, 0 where one of them does not vary.
    pub fn correlation(&self, a: Column, b: Column) -> f64 {
        let ((mean_a, scale_a), (mean_b, scale_b)) = (self.moment(a), self.moment(b));
        let product: f64 = self.rows.iter().map(|r| dot(self.slice(a, r), self.slice(b, r))).sum();
        (product / self.n_rows as f64 - mean_a * mean_b) * scale_a * scale_b
    }

    /// Add `factor` times the column, centred and scaled on the window, to `out`.
    pub fn add(&self, factor: f64, column: Column, out: &mut [f64]) {
        let (mean, scale) = self.moment(column);
        let mut rest = out;
        for rows in &self.rows {
            let (here, later) = rest.split_at_mut(rows.len());
            for (sum, x) in here.iter_mut().zip(self.slice(column, rows)) {
                *sum += factor * scale * (x - mean);
            }
            rest = later;
        }
    }

    fn moment(&self, column: Column) -> (f64, f64) {
        self.moments[column.series * self.n_lags + column.lag]
    }

    fn slice(&self, column: Column, rows: &Range<usize>) -> &'a [f64] {
        &self.series.series(column.series)[rows.start - column.lag..rows.end - column.lag]
    }

    /// Mean and reciprocal deviation at every lag from running sums.
    fn moments_of(&self, s: usize) -> Vec<(f64, f64)> {
        let values = self.series.series(s);
        let running = |f: fn(f64) -> f64| -> Vec<f64> {
            let mut sum = 0.0;
            std::iter::once(0.0)
                .chain(values.iter().map(|&x| {
                    sum += f(x);
                    sum
                }))
                .collect()
        };
        let (sums, squares) = (running(|x| x), running(|x| x * x));
        let over = |prefix: &[f64], lag: usize| -> f64 {
            self.rows.iter().map(|r| prefix[r.end - lag] - prefix[r.start - lag]).sum::<f64>() / self.n_rows as f64
        };
        (0..self.n_lags)
            .map(|lag| {
                let mean = over(&sums, lag);
                let variance = over(&squares, lag) - mean * mean;
                (mean, if variance > NO_VARIANCE { variance.sqrt().recip() } else { 0.0 })
            })
            .collect()
    }
}

/// Rows of each data set that have `first_row` samples before them.
pub fn window_rows(segments: &[Range<usize>], first_row: usize) -> Vec<Range<usize>> {
    segments.iter().filter(|s| s.len() > first_row).map(|s| s.start + first_row..s.end).collect()
}

/// Inner product with eight running sums: fast on plain SSE2 and the same on every machine.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (blocks_a, rest_a) = a.as_chunks::<8>();
    let (blocks_b, rest_b) = b.as_chunks::<8>();
    for (x, y) in blocks_a.iter().zip(blocks_b) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest_a.iter().zip(rest_b).map(|(x, y)| x * y).sum::<f64>()
}
