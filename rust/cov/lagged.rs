//! The lagged correlation matrix: exact correlations of `x_i(t - a)` with `x_j(t - b)` on one common set of rows.
//!
//! Moving both lags by one changes a sum of products by what enters and leaves at the two ends of the window only. So
//! the products are summed once per lag difference d = a - b, over the samples that every shift has in common, and each
//! entry adds its own terms at the ends:
//!
//! ```text
//! sum_t x_i(t-a) x_j(t-b) = core(i, j, a-b) + head(a, b) + tail(a, b)
//! head(a, b) = head(a-1, b-1) + x_i(t0-a) x_j(t0-b)         head(0, .) = head(., 0) = 0
//! tail(a, b) = tail(a+1, b+1) + x_i(T-1-a) x_j(T-1-b)       tail(L, .) = tail(., L) = 0
//! ```
//!
//! Terms are only ever added: adding and subtracting along the window would lose the digits of everything after a spike.
//! Series are centred by their median and scaled first, so that the window's means can be taken off the sums safely.

use rayon::prelude::*;

use super::sums::Sums;
use super::window::{Window, scale_for};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::series::Series;

/// Correlations of all lagged columns (i, a), a = 0..=`max_lag`; column (i, a) has index `i * (max_lag + 1) + a`.
///
/// The matrix is stored whole (both triangles, bitwise symmetric, row-major). A column without variance has zeros in
/// its row, its column and on the diagonal; every other diagonal entry is exactly 1.
#[derive(Debug, Clone)]
pub struct LaggedCorrelation {
    n_lags: usize,
    n_columns: usize,
    n_rows: usize,
    matrix: Vec<f64>,
    varies: Vec<bool>,
}

impl LaggedCorrelation {
    /// Bytes that [`LaggedCorrelation::new`] needs at its peak beyond a copy or two of the data:
    /// `8 (S (L+1))^2 + 8 S^2 (L+1)` for S series and L = `max_lag`.
    pub fn bytes(n_series: usize, max_lag: usize) -> usize {
        let columns = n_series.saturating_mul(max_lag + 1);
        columns.saturating_mul(columns).saturating_add(columns.saturating_mul(n_series)).saturating_mul(8)
    }

    /// Correlations on rows t in [t0, end) of every segment, t0 >= `max_lag` counted from the segment's start.
    ///
    /// Validity flags are not looked at: with missing values, pass standardised series that hold 0 there.
    pub fn new(series: &Series, max_lag: usize, t0: usize, budget_bytes: usize, monitor: &Monitor) -> Result<Self> {
        let bytes = Self::bytes(series.n_series(), max_lag);
        if bytes > budget_bytes {
            return Err(CoreError::Memory(format!(
                "the lagged correlation matrix of {} series and {max_lag} lags needs {bytes} bytes; the budget is {budget_bytes}",
                series.n_series()
            )));
        }
        Self::on(&Window::new(series, max_lag, t0)?, monitor)
    }

    /// Correlations on the rows of a window, whatever memory they need.
    pub fn on(window: &Window, monitor: &Monitor) -> Result<Self> {
        if window.n_rows() == 0 {
            return Err(CoreError::invalid("every data set is too short to have any rows"));
        }
        let n_lags = window.max_lag() + 1;
        let n_columns = window.series().n_series() * n_lags;
        let sums = Sums::new(window, &centred(window), monitor)?;
        let mut matrix = vec![0.0; n_columns * n_columns];
        matrix.par_chunks_mut((n_lags * n_columns).max(1)).enumerate().try_for_each(|(i, rows)| {
            monitor.check()?;
            sums.write_rows(i, rows);
            Ok(())
        })?;
        Ok(Self::from_matrix(matrix, n_lags, window.n_rows()))
    }

    /// Correlations computed elsewhere, laid out and with a diagonal as said above.
    pub(super) fn from_matrix(matrix: Vec<f64>, n_lags: usize, n_rows: usize) -> Self {
        let n_columns = matrix.len().isqrt();
        let varies = (0..n_columns).map(|c| matrix[c * (n_columns + 1)] != 0.0).collect();
        Self { n_lags, n_columns, n_rows, matrix, varies }
    }

    /// Number of rows behind every correlation.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns S (L+1).
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Whether there is a column (i, a).
    pub fn has(&self, i: usize, a: usize) -> bool {
        a < self.n_lags && i < self.n_columns / self.n_lags
    }

    /// Index of column (i, a).
    pub fn index(&self, i: usize, a: usize) -> usize {
        debug_assert!(a < self.n_lags);
        i * self.n_lags + a
    }

    /// Correlation of `x_i(t - a)` with `x_j(t - b)`.
    pub fn get(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        self.matrix[self.index(i, a) * self.n_columns + self.index(j, b)]
    }

    /// Correlations of column (i, a) with every column, in the order of [`LaggedCorrelation::index`].
    pub fn row(&self, i: usize, a: usize) -> &[f64] {
        self.row_at(self.index(i, a))
    }

    /// Correlations of the column at `index` with every column.
    pub fn row_at(&self, index: usize) -> &[f64] {
        &self.matrix[index * self.n_columns..][..self.n_columns]
    }

    /// Whether `x_i(t - a)` varies on the rows.
    pub fn varies(&self, i: usize, a: usize) -> bool {
        self.varies_at(self.index(i, a))
    }

    /// Whether the column at `index` varies on the rows.
    pub fn varies_at(&self, index: usize) -> bool {
        self.varies[index]
    }
}

/// Every series minus its median, scaled so that the largest deviation is near 1; samples that no row reads are 0.
pub(super) fn centred(window: &Window) -> Vec<f64> {
    let series = window.series();
    let read: Vec<_> = window.rows().iter().map(|r| r.start - window.max_lag()..r.end).collect();
    let mut out = vec![0.0; series.n_series() * series.n_samples()];
    out.par_chunks_mut(series.n_samples()).enumerate().for_each(|(i, out)| {
        let x = series.series(i);
        let largest = read.iter().flat_map(|r| &x[r.clone()]).fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = scale_for(largest);
        let mut samples: Vec<f64> = read.iter().flat_map(|r| &x[r.clone()]).map(|v| v * scale).collect();
        let middle = samples.len() / 2;
        let median = *samples.select_nth_unstable_by(middle, f64::total_cmp).1;
        let largest = samples.iter().fold(0.0, |m: f64, v| m.max((v - median).abs()));
        let scale_again = scale_for(largest);
        for r in &read {
            for (o, v) in out[r.clone()].iter_mut().zip(&x[r.clone()]) {
                *o = (v * scale - median) * scale_again;
            }
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::with_pool;
    use proptest::prelude::*;

    fn build(x: &[f64], n: usize, segments: &[std::ops::Range<usize>], max_lag: usize, t0: usize) -> LaggedCorrelation {
        let series = Series::new(x, None, n, x.len() / n, segments.to_vec()).unwrap();
        LaggedCorrelation::new(&series, max_lag, t0, usize::MAX, &Monitor::default()).unwrap()
    }

    /// The slow twin: gather both columns, take off their means, divide.
    fn naive(series: &Series, t0: usize, (i, a): (usize, usize), (j, b): (usize, usize)) -> f64 {
        let column = |i: usize, a: usize| {
            let pieces = series.segments().iter().filter(|s| s.len() > t0);
            let raw: Vec<f64> =
                pieces.flat_map(|s| (s.start + t0..s.end).map(move |t| t - a)).map(|t| series.series(i)[t]).collect();
            let first: f64 = raw.iter().sum::<f64>() / raw.len() as f64;
            let shifted: Vec<f64> = raw.iter().map(|v| v - first).collect();
            let mean = shifted.iter().sum::<f64>() / raw.len() as f64;
            shifted.into_iter().map(|v| v - mean).collect::<Vec<_>>()
        };
        let (x, y) = (column(i, a), column(j, b));
        let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(u, v)| u * v).sum::<f64>();
        dot(&x, &y) / (dot(&x, &x).sqrt() * dot(&y, &y).sqrt())
    }

    /// A repeatable, roughly normal series.
    fn noise(n: usize, seed: u64) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..n).map(|_| (0..6).map(|_| next()).sum::<f64>() - 3.0).collect()
    }

    fn largest_error(x: &[f64], n: usize, segments: &[std::ops::Range<usize>], max_lag: usize, t0: usize) -> f64 {
        let series = Series::new(x, None, n, x.len() / n, segments.to_vec()).unwrap();
        let matrix = build(x, n, segments, max_lag, t0);
        let columns: Vec<_> = (0..n).flat_map(|i| (0..=max_lag).map(move |a| (i, a))).collect();
        let mut worst: f64 = 0.0;
        for &p in &columns {
            for &q in &columns {
                let got = matrix.get(p.0, p.1, q.0, q.1);
                assert_eq!(got.to_bits(), matrix.get(q.0, q.1, p.0, p.1).to_bits(), "not symmetric at {p:?} {q:?}");
                worst = worst.max((got - naive(&series, t0, p, q)).abs());
            }
        }
        worst
    }

    #[test]
    fn offset_of_a_million_costs_no_digits() {
        let x: Vec<f64> = noise(4 * 300, 1).iter().map(|v| v + 1e6).collect();
        assert!(largest_error(&x, 4, &[], 6, 6) < 1e-12);
    }

    #[test]
    fn a_spike_costs_no_digits_of_the_columns_without_it() {
        for position in [3, 8, 20, 199] {
            let mut x = noise(2 * 200, 2);
            x[position] = 1e8;
            assert!(largest_error(&x, 2, &[], 8, 12) < 1e-12, "spike at {position}");
        }
    }

    #[test]
    fn huge_and_tiny_values_neither_overflow_nor_vanish() {
        for factor in [1e305, 1e-300] {
            let x: Vec<f64> = noise(2 * 100, 8).iter().map(|v| v * factor).collect();
            let plain = build(&noise(2 * 100, 8), 2, &[], 3, 3);
            let scaled = build(&x, 2, &[], 3, 3);
            assert!(plain.matrix.iter().zip(&scaled.matrix).all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }

    #[test]
    fn constant_columns_are_flagged_one_by_one() {
        // Series 0 moves only at its first sample, which column (0, 2) alone reads.
        let mut x = vec![0.1; 2 * 40];
        x[0] = 1.0;
        x[40..].copy_from_slice(&noise(40, 3));
        let matrix = build(&x, 2, &[], 2, 2);
        assert!(!matrix.varies(0, 0) && !matrix.varies(0, 1) && matrix.varies(0, 2));
        assert!(matrix.row(0, 0).iter().all(|&r| r == 0.0));
        assert!((matrix.get(0, 2, 0, 2) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_copy_correlates_exactly() {
        let x = noise(50, 4);
        let twice: Vec<f64> = x.iter().chain(&x).copied().collect();
        let matrix = build(&twice, 2, &[], 3, 3);
        assert!((matrix.get(0, 1, 1, 1) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_same_for_any_thread_count() {
        let x = noise(7 * 90, 5);
        let of = |threads| with_pool(threads, || build(&x, 7, &[], 5, 5).matrix).unwrap();
        let bits = |m: Vec<f64>| m.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(of(1)), bits(of(3)));
    }

    #[test]
    fn a_small_budget_is_refused_with_the_numbers() {
        let x = noise(3 * 20, 6);
        let series = Series::new(&x, None, 3, 20, vec![]).unwrap();
        let needed = LaggedCorrelation::bytes(3, 4);
        assert_eq!(needed, 8 * (15 * 15 + 9 * 5));
        let error = LaggedCorrelation::new(&series, 4, 4, needed - 1, &Monitor::default()).unwrap_err();
        assert!(matches!(error, CoreError::Memory(m) if m.contains(&needed.to_string())));
    }

    #[test]
    fn no_rows_is_an_error() {
        let x = noise(20, 7);
        let series = Series::new(&x, None, 1, 20, vec![0..10, 10..20]).unwrap();
        assert!(LaggedCorrelation::new(&series, 4, 10, usize::MAX, &Monitor::default()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn equals_the_naive_twin(
            seed in 1_u64..1000, n in 1_usize..4, max_lag in 0_usize..7, extra in 0_usize..5,
            lengths in prop::collection::vec(0_usize..40, 1..4),
        ) {
            let t0 = max_lag + extra;
            let mut segments = Vec::new();
            let mut start = 0;
            for length in lengths {
                segments.push(start..start + length);
                start += length;
            }
            let rows: usize = segments.iter().map(|s| s.len().saturating_sub(t0)).sum();
            prop_assume!(rows >= 3);
            let x = noise(n * start, seed);
            prop_assert!(largest_error(&x, n, &segments, max_lag, t0) < 1e-12);
        }
    }
}
