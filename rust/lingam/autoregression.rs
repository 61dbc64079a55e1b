//! The autoregression, its residuals, and the series that these residuals can't tell apart.

use rayon::prelude::*;

use super::columns::Columns;
use super::factor::{DEPENDENT, Factor, Products};
use super::support::Support;
use crate::cov::Window;
use crate::dot::dot;
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::series::Series;

/// Reduced-form coefficients and what they leave.
pub struct Autoregression {
    /// `[target, source, tau]`, the lag running fastest and lag 0 left 0; units of the target a unit of the source.
    pub coefficients: Vec<f64>,
    /// (N, n) in the units of the series; rows in order, all data sets together.
    pub residuals: Vec<f64>,
    /// Series that the past, or other series at the same time, determine. They were left out as sources.
    pub dependent: Vec<bool>,
    pub n_rows: usize,
}

/// Regress every series on the lagged columns that `support` gives its reduced form.
///
/// `centred` puts a constant into every equation. Series whose residuals are linear combinations of others' (the later
/// one of a pair), or nothing, are found first and left out of the second and final fit.
pub fn autoregress(
    series: &Series,
    support: &Support,
    centred: bool,
    budget: usize,
    monitor: &Monitor,
) -> Result<Autoregression> {
    support.check(series)?;
    let columns = Columns::new(series, support.max_lag(), centred, budget, monitor)?;
    let window = Window::new(series, support.max_lag(), support.max_lag())?;
    let n = support.n_series();
    let first = fit(&columns, &window, support, &vec![false; n], monitor)?;
    let dependent = dependent_series(&columns, &first);
    let fits = if dependent.contains(&true) { fit(&columns, &window, support, &dependent, monitor)? } else { first };
    let mut found = Autoregression {
        coefficients: vec![0.0; n * n * (support.max_lag() + 1)],
        residuals: Vec::with_capacity(n * columns.n_rows()),
        dependent,
        n_rows: columns.n_rows(),
    };
    for (j, fit) in fits.into_iter().enumerate() {
        let own = &mut found.coefficients[j * n * (support.max_lag() + 1)..];
        for (&column, coefficient) in fit.columns.iter().zip(&fit.coefficients) {
            own[column] = coefficient * columns.unit(column, columns.present(j));
        }
        found.residuals.extend(fit.residual);
    }
    Ok(found)
}

/// One target's equation.
struct Fit {
    columns: Vec<usize>,
    coefficients: Vec<f64>,
    rest: f64,
    residual: Vec<f64>,
}

/// Every target's equation; targets with the same columns share their factor.
fn fit(
    columns: &Columns,
    window: &Window,
    support: &Support,
    left_out: &[bool],
    monitor: &Monitor,
) -> Result<Vec<Fit>> {
    let supports: Vec<_> = (0..support.n_series()).map(|j| support.reduced_form(j, left_out)).collect();
    let factors = shared_factors(columns, &supports, monitor)?;
    (0..support.n_series())
        .into_par_iter()
        .map(|j| {
            monitor.check()?;
            let factor = factor_of(&factors, &supports[j]);
            let regression = factor.regress(columns.present(j));
            let residual = columns.residual(window, j, factor.columns(), &regression.coefficients);
            let (columns, coefficients) = (factor.columns().to_vec(), regression.coefficients);
            Ok(Fit { columns, coefficients, rest: regression.rest, residual })
        })
        .collect()
}

/// A factor for each different list of columns.
pub fn shared_factors<'a>(
    columns: &'a Columns,
    lists: &[Vec<usize>],
    monitor: &Monitor,
) -> Result<Vec<(Vec<usize>, Factor<'a, Columns>)>> {
    let mut different: Vec<_> = lists.to_vec();
    different.sort_unstable();
    different.dedup();
    if let Some(longest) = different.iter().map(Vec::len).max().filter(|&k| k + 1 >= columns.n_rows()) {
        let n_rows = columns.n_rows();
        return Err(CoreError::invalid(format!("{longest} coefficients can't be told from {n_rows} rows")));
    }
    let factor = |list: Vec<usize>| {
        monitor.check()?;
        let factor = Factor::of(columns, &list);
        Ok((list, factor))
    };
    different.into_par_iter().map(factor).collect()
}

/// The factor of one of these lists.
pub fn factor_of<'f, 'a>(factors: &'f [(Vec<usize>, Factor<'a, Columns>)], list: &[usize]) -> &'f Factor<'a, Columns> {
    let at = factors.binary_search_by(|(known, _)| known.as_slice().cmp(list));
    &factors[at.expect("every list has a factor")].1
}

/// Series without a residual of their own, by a Cholesky factor of the residuals' correlations in the order of series.
fn dependent_series(columns: &Columns, fits: &[Fit]) -> Vec<bool> {
    let mut dependent = vec![false; fits.len()];
    let mut factor: Vec<(usize, Vec<f64>)> = Vec::new();
    let norm = |fit: &Fit| dot(&fit.residual, &fit.residual).sqrt();
    let unexplained =
        |j: usize| fits[j].rest > DEPENDENT && columns.product(columns.present(j), columns.present(j)) > 0.0;
    for j in 0..fits.len() {
        if !unexplained(j) {
            dependent[j] = true;
            continue;
        }
        let mut row: Vec<f64> = Vec::with_capacity(factor.len() + 1);
        for (m, (k, other)) in factor.iter().enumerate() {
            let r = dot(&fits[j].residual, &fits[*k].residual) / (norm(&fits[j]) * norm(&fits[*k]));
            row.push((r - dot(&row, &other[..m])) / other[m]);
        }
        let pivot = 1.0 - dot(&row, &row);
        dependent[j] = pivot <= DEPENDENT;
        if !dependent[j] {
            row.push(pivot.sqrt());
            factor.push((j, row));
        }
    }
    dependent
}
