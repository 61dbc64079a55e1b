//! A whole run: a network for every target that has candidates.

use rayon::prelude::*;

use super::columns::{Column, Samples, columns_of};
use super::fit::{Fit, Problem, Training};
use super::kernel::{LANES, ROWS, best};
use super::network::Network;
use super::penalty::{Groups, Penalty};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::pcmci::Links;
use crate::series::Series;

/// What can be chosen.
#[derive(Debug, Clone)]
pub struct Options {
    pub penalty: Penalty,
    /// Hidden units.
    pub hidden: usize,
    pub training: Training,
    pub seed: u64,
    /// Bytes that the inputs and weights of one target may take.
    pub memory_budget: usize,
}

/// What became of a target.
#[derive(Debug, Clone)]
pub struct TargetFit {
    pub columns: Vec<Column>,
    pub fit: Fit,
}

/// Results: of every target, `None` where it has no candidates or the run was stopped before its end.
#[derive(Debug)]
pub struct Output {
    pub targets: Vec<Option<TargetFit>>,
    pub n_rows: usize,
}

/// Fit the network of every target. `keys` stand for the names of the series: initial weights and the order of sums
/// follow them. A run that `monitor` stops hands back the targets that were finished.
pub fn run(series: &Series, links: &Links, keys: &[u64], options: &Options, monitor: &Monitor) -> Result<Output> {
    check(series, links, keys, options)?;
    let samples = Samples::new(series, links.tau_max())?;
    let fit = |target: usize| {
        let columns = columns_of(links, target, keys);
        let fit =
            if columns.is_empty() { None } else { fit_target(&samples, target, columns, keys, options, monitor).ok() };
        monitor.step();
        fit
    };
    let targets = (0..series.n_series()).into_par_iter().map(fit).collect();
    Ok(Output { targets, n_rows: samples.n_rows() })
}

/// The only error is that the run was stopped.
fn fit_target(
    samples: &Samples,
    target: usize,
    columns: Vec<Column>,
    keys: &[u64],
    options: &Options,
    monitor: &Monitor,
) -> Result<TargetFit> {
    let names: Vec<(u64, usize)> = columns.iter().map(|c| (keys[c.source], c.lag)).collect();
    let required: Vec<usize> = (0..columns.len()).filter(|&k| columns[k].required).collect();
    let problem = Problem {
        z: &samples.inputs(&columns),
        y: &samples.target(target),
        n_rows: samples.n_rows(),
        groups: &Groups::new(options.penalty, &columns),
        required: &required,
        training: options.training,
        kernel: best(),
    };
    let fit = problem.solve(Network::random(options.seed, keys[target], &names, options.hidden), monitor)?;
    Ok(TargetFit { columns, fit })
}

fn check(series: &Series, links: &Links, keys: &[u64], options: &Options) -> Result<()> {
    let n = series.n_series();
    if links.n_series() != n || keys.len() != n {
        return Err(CoreError::invalid("links and keys must be of the N series"));
    }
    if (0..n).any(|j| links.into_target(j).any(|c| c.lag == 0)) {
        return Err(CoreError::invalid("a link at lag 0: a target may only be explained by the past"));
    }
    if options.hidden == 0 {
        return Err(CoreError::invalid("hidden is 0: expected at least 1"));
    }
    let Training { lam, ridge, lr, tol, .. } = options.training;
    if ![lam, ridge, lr, tol].iter().all(|&x| x > 0.0 && x.is_finite()) {
        return Err(CoreError::invalid("lam, ridge, lr and tol must be positive numbers"));
    }
    let most = (0..n).map(|j| links.into_target(j).count()).max().unwrap_or(0);
    // Weights, their gradient, and those of the last look.
    let networks = 3 * options.hidden.next_multiple_of(LANES);
    let bytes = most * (series.n_samples().next_multiple_of(ROWS) + networks) * size_of::<f32>();
    if bytes > options.memory_budget {
        return Err(CoreError::Memory(format!(
            "the network of one target with {most} candidates takes {bytes} bytes, more than {}",
            options.memory_budget
        )));
    }
    Ok(())
}
