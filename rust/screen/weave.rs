//! `weave`: an active set. XOR scans of coded residuals propose, `forward` decides inside each target's pool.
//!
//! Scanning what is still unexplained in the source against what is still unexplained in the target is what survives
//! autocorrelation; level codes and even companions bring in what the residuals hide.

use rayon::prelude::*;

use super::selection::{Columns, Entry, StoppingRule, select};
use super::{Column, Config, Problem, TargetCandidates, Window};
use crate::bits::Planes;
use crate::error::Result;
use crate::lags::top_k;
use crate::parallel::Monitor;
use crate::series::Series;
use crate::weave::{Prepared, level_planes, prepare};

/// The model of one target: the columns that may enter it and those that did.
#[derive(Debug, Clone, Default)]
struct Model {
    pool: Vec<Column>,
    own: Vec<Column>,
    chosen: Vec<(Column, f64)>,
}

pub fn run(problem: &Problem, config: &Config, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    let prepared = prepare(problem.series, config.even, monitor)?;
    let series = prepared.as_series(problem.series.segments())?;
    let window = Window::new(&series, problem.tau_max, problem.first_row);
    let rule =
        StoppingRule::new(window.n_rows(), problem.scored(config), config.kappa, config.max_add, config.own_lags);
    let n = problem.series.n_series();
    let mut models: Vec<Model> = (0..n).map(|target| Model::new(problem.own(target, config))).collect();
    models.par_iter_mut().enumerate().for_each(|(target, m)| m.decide(&window, target, &rule));

    let level = level_planes(problem.series, &prepared.values, config.bits, problem.tau_max, monitor)?;
    let even = 
}
