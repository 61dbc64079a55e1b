//! Structural coefficients once the order is known: each series on its lagged links and on allowed predecessors.

use rayon::prelude::*;

use super::autoregression::{factor_of, shared_factors};
use super::columns::Columns;
use super::factor::Factor;
use super::lasso::{Shrinkage, Weighted};
use super::support::Support;
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::series::Series;

/// Coefficients of all links, indexed [source, target, tau].
pub struct Structure {
    /// In units of the target a unit of the source; exactly 0 where a link is not allowed or was pruned.
    pub coefficients: Vec<f64>,
    /// Allowed links whose column is a linear combination of others of its target.
    pub dependent: Vec<bool>,
}

/// Fit the links that `support` allows and `order` does not contradict.
///
/// Series that are not in `order` are neither sources nor targets. `required` links are never pruned.
pub fn fit_structure(
    series: &Series,
    support: &Support,
    required: &Support,
    order: &[usize],
    shrinkage: Shrinkage,
    price: f64,
    budget: usize,
    monitor: &Monitor,
) -> Result<Structure> {
    let n = support.n_series();
    let mut left_out = vec![true; n];
    for &j in order {
        if j >= n || !left_out[j] {
            return Err(CoreError::invalid("an order names series, each once at most"));
        }
        left_out[j] = false;
    }
    let columns = Columns::new(series, support.max_lag(), true, budget, monitor)?;
    let lists: Vec<_> = order.iter().map(|&j| support.lagged(j, &left_out)).collect();
    let factors = shared_factors(&columns, &lists, monitor)?;
    let equations: Vec<Equation> = (0..order.len())
        .into_par_iter()
        .map(|place| {
            monitor.check()?;
            let problem = Problem { columns: &columns, support, required, target: order[place] };
            let equation = problem.solve(factor_of(&factors, &lists[place]), &order[..place], shrinkage, price)?;
            monitor.step();
            Ok(equation)
        })
        .collect::<Result<_>>()?;
    let mut found = Structure { coefficients: vec![0.0; n * n * (support.max_lag() + 1)], dependent: Vec::new() };
    found.dependent = vec![false; found.coefficients.len()];
    let n_lags = support.max_lag() + 1;
    for ((&target, equation), lagged) in order.iter().zip(equations).zip(lists) {
        let link = |column: usize| support.index(column / n_lags, target, column % n_lags);
        for &column in lagged.iter().chain(&equation.predecessors) {
            found.dependent[link(column)] = !equation.columns.contains(&column);
        }
        for (&column, coefficient) in equation.columns.iter().zip(&equation.coefficients) {
            found.coefficients[link(column)] = coefficient * columns.unit(column, columns.present(target));
        }
    }
    Ok(found)
}

/// One target's regression.
struct Problem<'a> {
    columns: &'a Columns,
    support: &'a Support<'a>,
    required: &'a Support<'a>,
    target: usize,
}

struct Equation {
    /// Columns at lag 0 that were offered.
    predecessors: Vec<usize>,
    /// Independent columns, those with a coefficient of 0 included.
    columns: Vec<usize>,
    /// Of columns of unit size.
    coefficients: Vec<f64>,
}

impl Problem<'_> {
    fn solve(&self, lagged: &Factor<Columns>, before: &[usize], shrinkage: Shrinkage, price: f64) -> Result<Equation> {
        let mut factor = lagged.clone();
        let allowed = before.iter().filter(|&&i| self.support.has(i, self.target, 0));
        let predecessors: Vec<_> = allowed.map(|&i| self.columns.present(i)).collect();
        for &column in &predecessors {
            factor.push(column);
        }
        let (k, n) = (factor.columns().len(), self.columns.n_rows());
        if k + 1 >= n {
            return Err(CoreError::invalid(format!("{k} coefficients can't be told from {n} rows")));
        }
        let coefficients = self.coefficients(&factor, shrinkage, price)?;
        Ok(Equation { predecessors, columns: factor.columns().to_vec(), coefficients })
    }

    /// Coefficients of the columns of the factor.
    fn coefficients(&self, factor: &Factor<Columns>, shrinkage: Shrinkage, price: f64) -> Result<Vec<f64>> {
        let target = self.columns.present(self.target);
        let squares = factor.regress(target);
        if shrinkage == Shrinkage::None || factor.columns().is_empty() {
            return Ok(squares.coefficients);
        }
        let n_lags = self.support.max_lag() + 1;
        let is_fixed = |column: usize| self.required.has(column / n_lags, self.target, column % n_lags);
        let (fixed, free): (Vec<usize>, Vec<usize>) =
            (0..factor.columns().len()).partition(|&m| is_fixed(factor.columns()[m]));
        if shrinkage == Shrinkage::Lasso && !fixed.is_empty() {
            return Err(CoreError::invalid("required links are never shrunk: select and refit"));
        }
        let column = |m: &usize| factor.columns()[*m];
        let fixed_factor = Factor::of(self.columns, &fixed.iter().map(column).collect::<Vec<_>>());
        let weights: Vec<_> = free.iter().map(|&m| squares.coefficients[m].abs()).collect();
        let free_columns: Vec<_> = free.iter().map(column).collect();
        let weighted = Weighted::new(self.columns, &fixed_factor, &free_columns, &weights, target);
        let n = self.columns.n_rows() as f64;
        let variance = squares.rest / (n - factor.columns().len() as f64 - 1.0);
        let selected = weighted.best_on_path(shrinkage, variance, price);
        let mut out = vec![0.0; factor.columns().len()];
        if shrinkage == Shrinkage::Lasso {
            free.iter().zip(selected.iter().zip(&weights)).for_each(|(&m, (b, weight))| out[m] = b * weight);
            return Ok(out);
        }
        let kept: Vec<_> = free.iter().zip(&selected).filter(|(_, b)| **b != 0.0).map(|(&m, _)| m).collect();
        let mut places = [fixed, kept].concat();
        places.sort_unstable();
        let refit = Factor::of(self.columns, &places.iter().map(column).collect::<Vec<_>>()).regress(target);
        places.iter().zip(refit.coefficients).for_each(|(&m, b)| out[m] = b);
        Ok(out)
    }
}
