//! `forward`: forward orthogonal least squares over every lagged column, from one table of lagged correlations.

use rayon::prelude::*;

use super::selection::{Columns, StoppingRule, select};
use super::{Column, Config, Problem, TargetCandidates};
use crate::cov::LaggedCorrelation;
use crate::error::Result;
use crate::parallel::Monitor;
use crate::series::Series;
use crate::weave::prepare;

pub fn run(problem: &Problem, config: &Config, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    let prepared = prepare(problem.series, config.even, monitor)?;
    let series = prepared.as_series(problem.series.segments())?;
    let table = LaggedCorrelation::new(&series, problem.tau_max, problem.first_row, config.memory_budget, monitor)?;
    let rule = StoppingRule::new(
        table.n_rows(),
        problem.scored(config),
        config.kappa,
        config.max_add,
        problem.own_lags(config),
    );
    let columns = all_columns(problem, &series);
    (0..problem.series.n_series())
        .into_par_iter()
        .map(|target| {
            monitor.check()?;
            let found = screen_target(problem, config, &table, &columns, &rule, target);
            monitor.step();
            Ok(found)
        })
        .collect()
}

/// Every (series, lag) of values and even companions.
fn all_columns(problem: &Problem, series: &Series) -> Vec<Column> {
    let lags = problem.tau_min..=problem.tau_max;
    (0..series.n_series()).flat_map(|s| lags.clone().map(move |lag| Column { series: s, lag })).collect()
}

fn screen_target(
    problem: &Problem,
    config: &Config,
    table: &LaggedCorrelation,
    columns: &[Column],
    rule: &StoppingRule,
    target: usize,
) -> TargetCandidates {
    let n = problem.series.n_series();
    let allowed = |c: &&Column| problem.allows(c.series % n, target, c.lag);
    let competing: Vec<Column> = columns.iter().filter(allowed).copied().collect();
    let own: Vec<usize> =
        problem.own(target, config).iter().filter_map(|own| competing.iter().position(|c| c == own)).collect();
    let entries = select(&mut TableColumns { table, columns: &competing, target }, &own, rule);
    let chosen = entries.iter().map(|e| (competing[e.column], e.t));
    let picks = problem.marginal_picks(target, config.keep_marginal, |c| table.get(c.series, c.lag, target, 0));
    problem.links(chosen.chain(picks))
}

/// Columns of one target, looked up in the table.
struct TableColumns<'a> {
    table: &'a LaggedCorrelation,
    columns: &'a [Column],
    target: usize,
}

impl TableColumns<'_> {
    fn gather(&self, series: usize, lag: usize, out: &mut [f64]) {
        let row = self.table.row(series, lag);
        for (value, c) in out.iter_mut().zip(self.columns) {
            *value = row[self.table.index(c.series, c.lag)];
        }
    }
}

impl Columns for TableColumns<'_> {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn varies(&self, column: usize) -> bool {
        let c = self.columns[column];
        self.table.varies(c.series, c.lag)
    }

    fn correlations(&mut self, column: usize, out: &mut [f64]) {
        let c = self.columns[column];
        self.gather(c.series, c.lag, out);
    }

    fn target_correlations(&mut self, out: &mut [f64]) {
        self.gather(self.target, 0, out);
    }
}
