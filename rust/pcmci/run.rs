//! A whole run: correlations, PC1, MCI, p-values.

use std::time::Instant;

use rayon::prelude::*;

use super::level::Level;
use super::links::{Links, Node};
use super::mci;
use super::output::{Output, Timings};
use super::pc1::{self, Selection};
use super::reads::expected_reads;
use super::rows::Rows;
use super::test::Tests;
use crate::cov::{Demand, Marginals};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::series::Series;

/// What can be chosen. `None` means no limit.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether tests look at values or at their normal scores.
    pub marginals: Marginals,
    /// Levels at which PC1 keeps a parent; with several, each target gets the one with the smallest AIC.
    pub pc_alpha: Vec<f64>,
    pub max_conds_dim: Option<usize>,
    pub max_combinations: usize,
    pub max_conds_py: Option<usize>,
    pub max_conds_px: Option<usize>,
    /// Whether MCI follows PC1.
    pub mci: bool,
    /// Bytes that correlations may take; where no form of them fits, tests read the rows.
    pub memory_budget: usize,
}

impl Options {
    fn of_pc1(&self) -> pc1::Limits {
        let max_conds_dim = self.max_conds_dim.unwrap_or(usize::MAX);
        pc1::Limits { max_conds_dim, max_combinations: self.max_combinations, max_tests: usize::MAX }
    }

    fn of_mci(&self) -> mci::Limits {
        let [max_conds_py, max_conds_px] = [self.max_conds_py, self.max_conds_px].map(|m| m.unwrap_or(usize::MAX));
        mci::Limits { max_conds_py, max_conds_px }
    }
}

/// PC1 (unless `parents` are given) and MCI. A run that `monitor` stops hands back what it has.
pub fn run(
    series: &Series,
    rows: &Rows,
    links: &Links,
    parents: Option<Vec<Vec<Node>>>,
    options: &Options,
    monitor: &Monitor,
) -> Result<Output> {
    check(series, links, parents.as_deref(), options)?;
    let mut timings = Timings::default();
    let window = rows.window(series, reach(links, parents.as_deref(), options), 2 * links.tau_max())?;
    let reads = expected_reads(links, parents.as_deref(), options.of_mci().max_conds_px);
    let demand = Demand { reads, budget_bytes: options.memory_budget };
    let tests = timed(&mut timings.matrix, || Tests::new(&window, options.marginals, demand, monitor))?;
    let (parents, selections) = if let Some(parents) = parents {
        (parents.into_iter().map(Some).collect(), Vec::new())
    } else {
        let selections =
            timed(&mut timings.pc1, || select_all(links, &tests, &options.pc_alpha, options.of_pc1(), monitor));
        (selections.iter().map(|s| s.as_ref().map(|s| s.parents.clone())).collect(), selections)
    };
    let mut output = Output::new(links, parents, selections);
    (output.n_rows, output.form) = (tests.n_rows(), tests.form());
    let all_parents: Option<Vec<Vec<Node>>> = output.parents.iter().cloned().collect();
    if let Some(parents) = all_parents.filter(|_| options.mci) {
        let mut seconds = 0.0;
        let found = timed(&mut seconds, || test_all(links, &parents, &tests, options, monitor));
        timings.set_mci(seconds, &found);
        output.enter(links, &found);
    }
    output.timings = timings;
    Ok(output)
}

fn check(series: &Series, links: &Links, parents: Option<&[Vec<Node>]>, options: &Options) -> Result<()> {
    let n = series.n_series();
    check_search(n, links, &options.pc_alpha, options.max_combinations)?;
    if parents.is_some_and(|p| p.len() != n || p.iter().flatten().any(|p| p.series >= n)) {
        return Err(CoreError::invalid("parents must be a list per target of known series"));
    }
    Ok(())
}

/// An error for what makes no sense in any search that starts with PC1.
pub fn check_search(n_series: usize, links: &Links, levels: &[f64], max_combinations: usize) -> Result<()> {
    if links.n_series() != n_series {
        let n_linked = links.n_series();
        return Err(CoreError::invalid(format!("links are for {n_linked} series, the data have {n_series}")));
    }
    if levels.is_empty() {
        return Err(CoreError::invalid("pc_alpha is empty: expected at least one level"));
    }
    if let Some(level) = levels.iter().find(|level| !(0.0..=1.0).contains(*level)) {
        return Err(CoreError::invalid(format!("pc_alpha is {level}: expected a number in [0, 1]")));
    }
    if max_combinations == 0 {
        return Err(CoreError::invalid("max_combinations is 0: expected at least 1"));
    }
    Ok(())
}

/// The largest lag that any test of the run reads.
fn reach(links: &Links, parents: Option<&[Vec<Node>]>, options: &Options) -> usize {
    let limits = options.of_mci();
    let longest = |parents: &[Node], most: usize| parents.iter().take(most).map(|p| p.lag).max().unwrap_or(0);
    let of_target = |target: usize| match parents {
        None if limits.max_conds_px == 0 => links.largest_lag(),
        None => 2 * links.largest_lag(),
        Some(parents) => {
            let shifted = |x: Node| x.lag + longest(&parents[x.series], limits.max_conds_px);
            let given_source = links.into_target(target).map(shifted).max().unwrap_or(0);
            given_source.max(longest(&parents[target], limits.max_conds_py))
        }
    };
    (0..links.n_series()).map(of_target).max().unwrap_or(0)
}

/// PC1 of every target at the best of the levels; `None` for a target it did not finish before it was stopped.
pub fn select_all(
    links: &Links,
    tests: &Tests,
    levels: &[f64],
    limits: pc1::Limits,
    monitor: &Monitor,
) -> Vec<Option<Selection>> {
    let new_levels = || -> Vec<Level> { levels.iter().map(|&a| Level::new(a, tests.n_rows())).collect() };
    let select = |levels: &mut Vec<Level>, target| {
        let selection = pc1::select_best(links, target, &mut tests.of_target(target), levels, limits, monitor).ok()?;
        monitor.step();
        Some(selection)
    };
    (0..links.n_series()).into_par_iter().map_init(new_levels, select).collect()
}

/// Tests of every target's links.
fn test_all(
    links: &Links,
    parents: &[Vec<Node>],
    tests: &Tests,
    options: &Options,
    monitor: &Monitor,
) -> Vec<mci::Found> {
    let limits = options.of_mci();
    let blocks = tests.source_blocks(links, parents, limits.max_conds_px);
    let test = |target| {
        let mut tester = tests.of_target(target);
        let found = mci::test_links(links, target, parents, &mut tester, blocks.as_ref(), limits, monitor);
        monitor.step();
        found
    };
    (0..links.n_series()).into_par_iter().map(test).collect()
}

fn timed<R>(seconds: &mut f64, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *seconds = start.elapsed().as_secs_f64();
    result
}
