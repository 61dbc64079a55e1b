//! Sums of products of lagged columns, once per lag difference plus terms at the ends; see `lagged` for the formulas.
//!
//! They hold what the whole matrix holds in about 1 / (L+1) of its memory: `by_difference` reads single entries.

use std::ops::Range;

use rayon::prelude::*;

use super::gemm::{View, multiply_add};
use super::moments::{Moments, moments};
use super::window::Window;
use crate::error::Result;
use crate::parallel::Monitor;

/// Everything the correlation of any two columns is made from.
///
/// A data set with fewer rows than lags has no shared core; such short sets are multiplied directly.
#[derive(Debug, Clone)]
pub struct Sums {
    pub(super) n_series: usize,
    pub(super) n_lags: usize,
    /// `core[(i * S + j) * (L+1) + d]`: products of `x_i(t - d)` with `x_j(t)` common to all shifts of the pair.
    pub(super) core: Vec<f64>,
    pub(super) ends: Vec<Ends>,
    /// Rows in long data sets.
    n_long: f64,
    moments: Vec<Moments>,
    /// Centred columns on the rows of short data sets, `short[column * n_short + row]`.
    pub(super) short: Vec<f64>,
    pub(super) n_short: usize,
}

/// First and last samples of one long data set: `x_i(t0 - a)` and `x_i(T - 1 - a)` at `i * (L+1) + a`.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub(super) head: Vec<f64>,
    pub(super) tail: Vec<f64>,
}

impl Sums {
    /// Sum over the rows of `window`, whose samples are `values` (already centred near 0 and scaled).
    pub fn new(window: &Window, values: &[f64], monitor: &Monitor) -> Result<Self> {
        let (n_series, n_lags) = (window.series().n_series(), window.max_lag() + 1);
        let (long, short): (Vec<_>, Vec<_>) = window.rows().iter().cloned().partition(|r| r.len() >= n_lags);
        let mut sums = Self {
            n_series,
            n_lags,
            core: vec![0.0; n_series * n_series * n_lags],
            ends: Vec::new(),
            n_long: long.iter().map(Range::len).sum::<usize>() as f64,
            moments: Vec::new(),
            short: Vec::new(),
            n_short: short.iter().map(Range::len).sum(),
        };
        sums.moments = moments(window, values, &long);
        sums.short = sums.gather_short(values, window.series().n_samples(), &short);
        sums.ends = long.iter().map(|r| sums.ends_of(values, window.series().n_samples(), r)).collect();
        sums.add_core(values, window.series().n_samples(), &long, monitor)?;
        Ok(sums)
    }

    fn gather_short(&self, values: &[f64], n_samples: usize, short: &[Range<usize>]) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.moments.len() * self.n_short);
        for (column, moments) in self.moments.iter().enumerate() {
            let (i, a) = (column / self.n_lags, column % self.n_lags);
            for r in short {
                let samples = &values[i * n_samples..][r.start - a..r.end - a];
                out.extend(samples.iter().map(|v| v - moments.mean));
            }
        }
        out
    }

    fn ends_of(&self, values: &[f64], n_samples: usize, rows: &Range<usize>) -> Ends {
        let lagged = |t: usize| {
            let at = move |i: usize| (0..self.n_lags).map(move |a| values[i * n_samples + t - a]);
            (0..self.n_series).flat_map(at).collect()
        };
        Ends { head: lagged(rows.start), tail: lagged(rows.end - 1) }
    }

    /// Moments of every column.
    pub fn moments(&self) -> &[Moments] {
        &self.moments
    }

    /// The correlation of two columns whose products sum to `sum`: raw ones over long data sets, centred ones elsewhere.
    pub(super) fn correlation(&self, c: usize, d: usize, sum: f64) -> f64 {
        self.moments[c].correlation(&self.moments[d], sum, self.n_long)
    }

    /// One product per lagged series i: all `x_j(t)` with all `x_i(t - d)`, the tail zeroed in `x_i`.
    fn add_core(&mut self, values: &[f64], n_samples: usize, long: &[Range<usize>], monitor: &Monitor) -> Result<()> {
        let (s, n_lags) = (self.n_series, self.n_lags);
        self.core.par_chunks_mut((s * n_lags).max(1)).enumerate().try_for_each(|(i, core)| {
            monitor.check()?;
            let mut lagged = values[i * n_samples..][..n_samples].to_vec();
            for r in long {
                let tail = r.end - (n_lags - 1)..r.end;
                lagged[tail.clone()].fill(0.0);
                let rows = View { data: values, start: r.start, row_stride: n_samples as isize, col_stride: 1 };
                let lags = View { data: &lagged, start: r.start, row_stride: 1, col_stride: -1 };
                multiply_add([s, r.len(), n_lags], rows, lags, core, n_lags);
                // Runs of rows may overlap in bootstrap draws.
                lagged[tail.clone()].copy_from_slice(&values[i * n_samples..][tail]);
            }
            Ok(())
        })
    }

    /// Write the correlations of columns (i, 0..=L) with every column; `rows` is zero and (L+1) by S(L+1).
    pub fn write_rows(&self, i: usize, rows: &mut [f64]) {
        let (n_lags, n_columns) = (self.n_lags, self.moments.len());
        if self.n_short > 0 {
            let stride = self.n_short as isize;
            let mine = View { data: &self.short, start: i * n_lags * self.n_short, row_stride: stride, col_stride: 1 };
            let all = View { data: &self.short, start: 0, row_stride: 1, col_stride: stride };
            multiply_add([n_lags, self.n_short, n_columns], mine, all, rows, n_columns);
        }
        let mut core = vec![0.0; 2 * n_lags - 1];
        let mut ends = vec![0.0; n_lags * n_lags];
        let mut line = vec![0.0; n_lags + 1];
        for j in 0..self.n_series {
            self.core_by_difference(i, j, &mut core);
            self.sum_ends(i, j, &mut ends, &mut line);
            for a in 0..n_lags {
                let out = &mut rows[a * n_columns + j * n_lags..][..n_lags];
                let sums = core[n_lags - 1 - a..].iter().zip(&ends[a * n_lags..]);
                let own = self.moments[i * n_lags + a];
                for ((out, (core, ends)), other) in out.iter_mut().zip(sums).zip(&self.moments[j * n_lags..]) {
                    *out = own.correlation(other, *out + (core + ends), self.n_long);
                }
            }
        }
        for (a, own) in self.moments[i * n_lags..][..n_lags].iter().enumerate() {
            rows[a * n_columns + i * n_lags + a] = f64::from(u8::from(own.varies()));
        }
    }

    /// Core sums of (i, a) with (j, b) at position L + b - a. At b = a both orders read the same number.
    fn core_by_difference(&self, i: usize, j: usize, out: &mut [f64]) {
        let largest = self.n_lags - 1;
        let of = |i: usize, j: usize| &self.core[(i * self.n_series + j) * self.n_lags..][..self.n_lags];
        for (d, value) in of(i, j).iter().enumerate() {
            out[largest - d] = *value;
        }
        out[largest + 1..].copy_from_slice(&of(j, i)[1..]);
        out[largest] = of(i.min(j), i.max(j))[0];
    }

    /// Terms at the two ends, summed over the long data sets, for every (a, b) of the pair (i, j).
    fn sum_ends(&self, i: usize, j: usize, out: &mut [f64], line: &mut [f64]) {
        let n_lags = self.n_lags;
        out.fill(0.0);
        for ends in &self.ends {
            let of = |x: &'_ [f64], i: usize| x[i * n_lags..][..n_lags].to_owned();
            let (mine, theirs) = (of(&ends.head, i), of(&ends.head, j));
            line.fill(0.0);
            for a in 1..n_lags {
                for b in (1..n_lags).rev() {
                    line[b] = line[b - 1] + mine[a] * theirs[b];
                }
                add(&mut out[a * n_lags..][..n_lags], line);
            }
            let (mine, theirs) = (of(&ends.tail, i), of(&ends.tail, j));
            line.fill(0.0);
            for a in (0..n_lags - 1).rev() {
                for b in 0..n_lags - 1 {
                    line[b] = line[b + 1] + mine[a] * theirs[b];
                }
                add(&mut out[a * n_lags..][..n_lags], line);
            }
        }
    }
}

fn add(out: &mut [f64], terms: &[f64]) {
    for (o, t) in out.iter_mut().zip(terms) {
        *o += t;
    }
}
