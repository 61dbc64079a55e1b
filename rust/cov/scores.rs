//! The lagged correlation matrix of normal scores: ranks in place of values, mapped to quantiles of the normal
//! distribution.
//!
//! Every lagged column is ranked on the rows by itself, as a test of its own rows would: columns of one series differ
//! by more than a shift, so all products are formed.
//!
//! Liu, H., Lafferty, J., Wasserman, L. (2009). The nonparanormal: semiparametric estimation of high dimensional
//! undirected graphs. Journal of Machine Learning Research 10, 2295-2328.

use rayon::prelude::*;

use super::gemm::{View, multiply_add};
use super::lagged::LaggedCorrelation;
use super::ranks::{Ranking, Scorer};
use super::window::Window;
use crate::error::Result;
use crate::parallel::Monitor;

/// Correlations of the normal scores of all lagged columns on the rows of a window.
///
/// A score is the normal quantile of the share of samples not above it; equal samples get equal scores.
pub fn normal_score_correlation(window: &Window, ranking: &Ranking, monitor: &Monitor) -> Result<LaggedCorrelation> {
    let n_lags = window.max_lag() + 1;
    let (n_rows, n_columns) = (window.n_rows(), window.series().n_series() * n_lags);
    let columns = score_columns(window, ranking, monitor)?;
    let mut matrix = vec![0.0; n_columns * n_columns];
    matrix.par_chunks_mut((n_lags * n_columns).max(1)).enumerate().try_for_each(|(i, rows)| {
        monitor.check()?;
        let first = i * n_lags;
        let stride = n_rows as isize;
        let mine = View { data: &columns, start: first * n_rows, row_stride: stride, col_stride: 1 };
        let from_first_on = View { data: &columns, start: first * n_rows, row_stride: 1, col_stride: stride };
        multiply_add([n_lags, n_rows, n_columns - first], mine, from_first_on, &mut rows[first..], n_columns);
        Ok(())
    })?;
    complete(&mut matrix, n_columns);
    Ok(LaggedCorrelation::from_matrix(matrix, n_lags, n_rows))
}

/// Normal scores of every lagged column with mean 0 and norm 1, one after the other; 0 where a column is constant.
pub fn score_columns(window: &Window, ranking: &Ranking, monitor: &Monitor) -> Result<Vec<f64>> {
    let n_lags = window.max_lag() + 1;
    let (n_rows, n_columns) = (window.n_rows(), window.series().n_series() * n_lags);
    let mut columns = vec![0.0; n_columns * n_rows];
    columns.par_chunks_mut(n_rows.max(1)).enumerate().try_for_each_init(Scorer::default, |scorer, (c, column)| {
        monitor.check()?;
        let (i, lag) = (c / n_lags, c % n_lags);
        if !window.is_constant(i, lag) {
            let ranks = window.rows().iter().cloned().flatten().map(|t| ranking.of(i)[t - lag]);
            column.iter_mut().zip(scorer.scores(ranks, ranking.n_ranks(i))).for_each(|(v, score)| *v = score);
            standardise(column);
        }
        Ok(())
    })?;
    Ok(columns)
}

/// Take off the mean, scale to norm 1.
fn standardise(column: &mut [f64]) {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    for v in column.iter_mut() {
        *v -= mean;
    }
    let norm = column.iter().map(|v| v * v).sum::<f64>().sqrt();
    for v in column {
        *v /= norm;
    }
}

/// Mirror the upper triangle; the diagonal is 1 where a column varies, else 0.
fn complete(matrix: &mut [f64], n: usize) {
    for r in 0..n {
        matrix[r * n + r] = if matrix[r * n + r] > 0.5 { 1.0 } else { 0.0 };
        for c in 0..r {
            matrix[r * n + c] = matrix[c * n + r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Series;

    fn build(x: &[f64], n: usize, max_lag: usize) -> LaggedCorrelation {
        let series = Series::new(x, None, n, x.len() / n, vec![]).unwrap();
        let window = Window::new(&series, max_lag, max_lag).unwrap();
        normal_score_correlation(&window, &Ranking::new(&window), &Monitor::default()).unwrap()
    }

    #[test]
    fn only_the_order_of_samples_matters() {
        let x: Vec<f64> = (0..60).map(|t| f64::from(t * 37 % 61) - 30.0).collect();
        let bent: Vec<f64> = x.iter().map(|v| (v / 10.0).exp()).collect();
        let (plain, bent) = (build(&x, 2, 3), build(&bent, 2, 3));
        for c in 0..plain.n_columns() {
            assert_eq!(plain.row_at(c), bent.row_at(c));
            assert_eq!(plain.row_at(c)[c], 1.0);
        }
    }

    #[test]
    fn a_constant_column_has_zeros() {
        let mut x = vec![0.1; 40];
        x[20..].copy_from_slice(&(0..20).map(|t| f64::from(t * 7 % 20)).collect::<Vec<_>>());
        let matrix = build(&x, 2, 1);
        assert!(!matrix.varies(0, 0) && !matrix.varies(0, 1) && matrix.varies(1, 0));
        assert!(matrix.row(0, 1).iter().all(|&r| r == 0.0));
    }
}
