//! Structural coefficients once the order is known: each series on its lagged links and on allowed predecessors.

use rayon::prelude::*;

use super::autoregression::{factor_of, shared_factors};
use super::columns::Columns;
use super::factor::{Factor, Regression};
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
    support.check(series)?;
    required.check(series)?;
    let columns = Columns::new(series, support.max_lag(), true, budget, monitor)?;
    let lists: Vec<_> = order.iter().map(|&j| support.lagged(j, &left_out)).collect();
    let factors = shared_factors(&columns, &lists, monitor)?;
    let equations: Vec<Equation> = (0..order.len())
        .into_par_iter()
        .map(|place| {
            monitor.check()?;
            let problem = Problem { columns: &columns, support, required, target: order[place] };
            let equation = problem.solve(factor_of(&factors, &lists[place]), &order[..place], shrinkage)?;
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
    fn solve(&self, lagged: &Factor<Columns>, before: &[usize], shrinkage: Shrinkage) -> Result<Equation> {
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
        let coefficients = self.coefficients(&factor, shrinkage)?;
        Ok(Equation { predecessors, columns: factor.columns().to_vec(), coefficients })
    }

    /// Coefficients of the columns of the factor.
    fn coefficients(&self, factor: &Factor<Columns>, shrinkage: Shrinkage) -> Result<Vec<f64>> {
        let squares = factor.regress(self.columns.present(self.target));
        let Shrinkage::Lasso { price, refit } = shrinkage else { return Ok(squares.coefficients) };
        let places = 0..factor.columns().len();
        let (fixed, free): (Vec<_>, Vec<_>) = places.partition(|&m| self.is_required(factor.columns()[m]));
        if !refit && !fixed.is_empty() {
            return Err(CoreError::invalid("required links are never shrunk: select and refit"));
        }
        let selected = self.select(factor, &squares, &fixed, &free, price, refit);
        let mut out = vec![0.0; factor.columns().len()];
        if refit {
            let mut kept: Vec<_> = free.into_iter().zip(selected).filter(|(_, b)| *b != 0.0).map(|(m, _)| m).collect();
            kept.extend(fixed);
            kept.sort_unstable();
            let again = self.factor_at(factor, &kept).regress(self.columns.present(self.target));
            kept.iter().zip(again.coefficients).for_each(|(&m, b)| out[m] = b);
        } else {
            free.iter().zip(selected).for_each(|(&m, b)| out[m] = b);
        }
        Ok(out)
    }

    /// What the adaptive lasso makes of the columns at `free` places, those at `fixed` ones being in every model.
    fn select(
        &self,
        factor: &Factor<Columns>,
        squares: &Regression,
        fixed: &[usize],
        free: &[usize],
        price: f64,
        refit: bool,
    ) -> Vec<f64> {
        let weights: Vec<_> = free.iter().map(|&m| squares.coefficients[m].abs()).collect();
        let columns: Vec<_> = free.iter().map(|&m| factor.columns()[m]).collect();
        let fixed = self.factor_at(factor, fixed);
        let weighted = Weighted::new(self.columns, &fixed, &columns, &weights, self.columns.present(self.target));
        // Rounding can leave nothing of a perfect fit.
        let least = squares.rest.max(f64::EPSILON);
        let df = self.columns.n_rows() - factor.columns().len() - 1;
        let selected = weighted.best_on_path(refit, least, least / df as f64, price);
        selected.iter().zip(weights).map(|(b, weight)| b * weight).collect()
    }

    /// A factor of some columns of another.
    fn factor_at<'a>(&'a self, factor: &Factor<Columns>, places: &[usize]) -> Factor<'a, Columns> {
        Factor::of(self.columns, &places.iter().map(|&m| factor.columns()[m]).collect::<Vec<_>>())
    }

    fn is_required(&self, column: usize) -> bool {
        let n_lags = self.support.max_lag() + 1;
        self.required.has(column / n_lags, self.target, column % n_lags)
    }
}
