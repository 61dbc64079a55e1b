//! Exact correlations of lagged columns on the analysis window, formed when asked for.

use std::ops::Range;

use crate::cov::Window as Rows;
use crate::dot::dot;
use crate::error::Result;
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
    rows: Rows<'a>,
    /// Mean and reciprocal standard deviation (0: no variance) of column (s, a) at `s * (tau_max + 1) + a`.
    moments: Vec<(f64, f64)>,
}

impl<'a> Window<'a> {
    /// Rows `t >= start of its data set + first_row`; columns at lags `0..=tau_max`.
    ///
    /// `series` are of order one (normal scores or clipped and standardised), so running sums lose no digits.
    pub fn new(series: &'a Series<'a>, tau_max: usize, first_row: usize) -> Result<Self> {
        let rows = Rows::new(series, tau_max, first_row)?;
        let moments = (0..series.n_series()).flat_map(|s| moments_of(&rows, s)).collect();
        Ok(Self { rows, moments })
    }

    /// Number of rows n.
    pub fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    /// The rows as ranges of sample indices, one for each data set that is long enough.
    pub fn rows(&self) -> &[Range<usize>] {
        self.rows.rows()
    }

    /// Whether the column varies on the window.
    pub fn varies(&self, column: Column) -> bool {
        self.moment(column).1 > 0.0
    }

    /// Correlation of two columns, 0 where one of them does not vary.
    pub fn correlation(&self, a: Column, b: Column) -> f64 {
        let ((mean_a, scale_a), (mean_b, scale_b)) = (self.moment(a), self.moment(b));
        let product: f64 = self.pieces(a).zip(self.pieces(b)).map(|(x, y)| dot(x, y)).sum();
        (product / self.n_rows() as f64 - mean_a * mean_b) * scale_a * scale_b
    }

    /// Add `factor` times the column, centred and scaled on the window, to `out`.
    pub fn add(&self, factor: f64, column: Column, out: &mut [f64]) {
        let (mean, scale) = self.moment(column);
        let mut rest = out;
        for piece in self.pieces(column) {
            let (here, later) = rest.split_at_mut(piece.len());
            for (sum, x) in here.iter_mut().zip(piece) {
                *sum += factor * scale * (x - mean);
            }
            rest = later;
        }
    }

    fn moment(&self, column: Column) -> (f64, f64) {
        self.moments[column.series * (self.rows.max_lag() + 1) + column.lag]
    }

    /// The column's values, one slice for each data set.
    fn pieces(&self, column: Column) -> impl Iterator<Item = &'a [f64]> + '_ {
        self.rows.column(column.series, column.lag)
    }
}

/// Mean and reciprocal deviation of series `s` at every lag, from running sums.
fn moments_of(rows: &Rows, s: usize) -> Vec<(f64, f64)> {
    let values = rows.series().series(s);
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
        rows.rows().iter().map(|r| prefix[r.end - lag] - prefix[r.start - lag]).sum::<f64>() / rows.n_rows() as f64
    };
    (0..=rows.max_lag())
        .map(|lag| {
            let mean = over(&sums, lag);
            let variance = over(&squares, lag) - mean * mean;
            (mean, if variance > NO_VARIANCE { variance.sqrt().recip() } else { 0.0 })
        })
        .collect()
}
