//! Sums of products of lagged columns, once per lag difference plus terms at the ends; see `lagged` for the formulas.

use std::ops::Range;

use rayon::prelude::*;

use super::gemm::{View, multiply_add};
use super::window::Window;
use crate::error::Result;
use crate::parallel::Monitor;

/// Everything the correlation of any two columns is made from.
///
/// A data set with fewer rows than lags has no shared core; such short sets are multiplied directly.
pub struct Sums {
    n_series: usize,
    n_lags: usize,
    /// `core[(i * S + j) * (L+1) + d]`: products of `x_i(t - d)` with `x_j(t)` common to all shifts of the pair.
    core: Vec<f64>,
    ends: Vec<Ends>,
    /// Rows in long data sets.
    n_long: f64,
    moments: Vec<Moments>,
    /// Centred columns on the rows of short data sets, `short[column * n_short + row]`.
    short: Vec<f64>,
    n_short: usize,
}

/// First and last samples of one long data set: `x_i(t0 - a)` and `x_i(T - 1 - a)` at `i * (L+1) + a`.
struct Ends {
    head: Vec<f64>,
    tail: Vec<f64>,
}

/// Of one column: its mean, its sum over long data sets, and 1 / norm once centred (0 if constant).
#[derive(Clone, Copy)]
struct Moments {
    mean: f64,
    long_sum: f64,
    inverse: f64,
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
        sums.moments = sums.moments_of(window, values, &long);
        sums.short = sums.gather_short(values, window.series().n_samples(), &short);
        sums.ends = long.iter().map(|r| sums.ends_of(values, window.series().n_samples(), r)).collect();
        sums.add_core(values, window.series().n_samples(), &long, monitor)?;
        Ok(sums)
    }

    fn moments_of(&self, window: &Window, values: &[f64], long: &[Range<usize>]) -> Vec<Moments> {
        let n_samples = window.series().n_samples();
        let of = |column: usize| {
            let (i, a) = (column / self.n_lags, column % self.n_lags);
            let x = &values[i * n_samples..][..n_samples];
            let total = |rows: &[Range<usize>], f: &dyn Fn(&[f64]) -> f64| {
                rows.iter().map(|r| f(&x[r.start - a..r.end - a])).sum::<f64>()
            };
            let mean = total(window.rows(), &|x| blocked_sum(x, |v| v)) / window.n_rows() as f64;
            let squares = total(window.rows(), &|x| blocked_sum(x, |v| (v - mean) * (v - mean)));
            let inverse = if squares <= 0.0 || window.is_constant(i, a) { 0.0 } else { 1.0 / squares.sqrt() };
            Moments { mean, long_sum: total(long, &|x| blocked_sum(x, |v| v)), inverse }
        };
        (0..self.n_series * self.n_lags).into_par_iter().map(of).collect()
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
                    let mean_terms =
                        (own.mean * other.long_sum + own.long_sum * other.mean) - self.n_long * (own.mean * other.mean);
                    *out = ((*out + (core + ends)) - mean_terms) * (own.inverse * other.inverse);
                }
            }
        }
        for (a, own) in self.moments[i * n_lags..][..n_lags].iter().enumerate() {
            rows[a * n_columns + i * n_lags + a] = if own.inverse > 0.0 { 1.0 } else { 0.0 };
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
