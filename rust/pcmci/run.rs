//! A whole run: matrix, PC1, MCI, p-values.

use std::time::Instant;

use rayon::prelude::*;

use super::links::{Links, Node};
use super::mci;
use super::pc1::{self, Selection};
use super::test::{Level, Status, Tests};
use crate::cov::Window;
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::series::Series;

/// What can be chosen. `None` means no limit.
#[derive(Debug, Clone)]
pub struct Options {
    /// Level at which PC1 keeps a parent.
    pub pc_alpha: f64,
    pub max_conds_dim: Option<usize>,
    pub max_combinations: usize,
    pub max_conds_py: Option<usize>,
    pub max_conds_px: Option<usize>,
    /// Bytes that the lagged correlation matrix may take; without it tests read the rows.
    pub memory_budget: usize,
}

/// Seconds spent in each phase.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timings {
    pub matrix: f64,
    pub pc1: f64,
    pub mci: f64,
    pub p_values: f64,
}

/// Results; arrays are indexed by [`Links::index`].
#[derive(Debug, Clone)]
pub struct Output {
    pub val: Vec<f64>,
    pub p: Vec<f64>,
    pub status: Vec<u8>,
    /// Parents used as conditions, a list per target.
    pub parents: Vec<Vec<Node>>,
    /// What PC1 found, a selection per target; empty if the parents were given.
    pub selections: Vec<Selection>,
    pub n_rows: usize,
    pub pc1_tests: usize,
    pub mci_tests: usize,
    pub has_matrix: bool,
    pub timings: Timings,
}

/// PC1 (unless `parents` are given) and MCI on rows t in [2 `tau_max`, T) of every data set.
pub fn run(
    series: &Series,
    links: &Links,
    parents: Option<Vec<Vec<Node>>>,
    options: &Options,
    monitor: &Monitor,
) -> Result<Output> {
    check(series, links, parents.as_deref(), options)?;
    let mut timings = Timings::default();
    let longest = |p: &Vec<Vec<Node>>| p.iter().flatten().map(|n| n.lag).max().unwrap_or(0);
    let reach = links.largest_lag() + parents.as_ref().map_or(links.largest_lag(), longest);
    let window = Window::new(series, reach, 2 * links.tau_max())?;
    let tests = timed(&mut timings.matrix, || Tests::new(&window, options.memory_budget, monitor))?;
    let (parents, selections) = if let Some(parents) = parents {
        (parents, Vec::new())
    } else {
        let limits = pc1::Limits {
            max_conds_dim: options.max_conds_dim.unwrap_or(usize::MAX),
            max_combinations: options.max_combinations,
        };
        let selections = timed(&mut timings.pc1, || select_all(links, &tests, options.pc_alpha, limits, monitor))?;
        (selections.iter().map(|s| s.parents.clone()).collect(), selections)
    };
    let found = timed(&mut timings.mci, || test_all(links, &parents, &tests, options, monitor))?;
    let p: Vec<Vec<f64>> = timed(&mut timings.p_values, || {
        found.par_iter().map(|f| f.tests.iter().map(|(_, test)| test.p()).collect()).collect()
    });
    let size = links.n_series() * links.n_series() * (links.tau_max() + 1);
    let mut output = Output {
        val: vec![0.0; size],
        p: vec![1.0; size],
        status: vec![Status::NotAsked as u8; size],
        pc1_tests: selections.iter().map(|s| s.tests).sum(),
        parents,
        selections,
        n_rows: tests.n_rows(),
        mci_tests: found.iter().map(|f| f.count).sum(),
        has_matrix: tests.has_matrix(),
        timings,
    };
    for (target, (found, p)) in found.iter().zip(&p).enumerate() {
        for ((x, test), p) in found.tests.iter().zip(p) {
            let at = links.index(x.series, target, x.lag);
            (output.val[at], output.p[at], output.status[at]) = (test.val, *p, test.status as u8);
        }
    }
    symmetrise(links, &mut output);
    Ok(output)
}

fn check(series: &Series, links: &Links, parents: Option<&[Vec<Node>]>, options: &Options) -> Result<()> {
    let n = series.n_series();
    if links.n_series() != n {
        return Err(CoreError::invalid(format!("links are for {} series, the data have {n}", links.n_series())));
    }
    if !(0.0..=1.0).contains(&options.pc_alpha) {
        return Err(CoreError::invalid(format!("pc_alpha is {}: expected a number in [0, 1]", options.pc_alpha)));
    }
    if options.max_combinations == 0 {
        return Err(CoreError::invalid("max_combinations is 0: expected at least 1"));
    }
    let known = |p: &Node| p.series < n && p.lag <= links.tau_max();
    if parents.is_some_and(|p| p.len() != n || !p.iter().flatten().all(known)) {
        return Err(CoreError::invalid("parents must be a list per target of known series with lags up to tau_max"));
    }
    Ok(())
}

/// PC1 of every target at the level `pc_alpha`.
pub fn select_all(
    links: &Links,
    tests: &Tests,
    pc_alpha: f64,
    limits: pc1::Limits,
    monitor: &Monitor,
) -> Result<Vec<Selection>> {
    let new_level = || Level::new(pc_alpha, tests.n_rows());
    let select = |level: &mut Level, target| {
        monitor.check()?;
        let selection = pc1::select(links, target, &mut tests.of_target(target), level, limits);
        monitor.step();
        Ok(selection)
    };
    (0..links.n_series()).into_par_iter().map_init(new_level, select).collect()
}

/// Tests of every target's links.
fn test_all(
    links: &Links,
    parents: &[Vec<Node>],
    tests: &Tests,
    options: &Options,
    monitor: &Monitor,
) -> Result<Vec<mci::Found>> {
    let limits = mci::Limits {
        max_conds_py: options.max_conds_py.unwrap_or(usize::MAX),
        max_conds_px: options.max_conds_px.unwrap_or(usize::MAX),
    };
    let test = |target| {
        monitor.check()?;
        let mut tester = tests.of_target(target);
        let found = mci::test_links(links, target, parents, &mut tester, limits);
        monitor.step();
        Ok(found)
    };
    (0..links.n_series()).into_par_iter().map(test).collect()
}

/// Give both directions of an undirected contemporaneous pair the numbers of the larger p-value.
///
/// The two tests condition on the same parents unless their number is limited.
fn symmetrise(links: &Links, output: &mut Output) {
    for i in 0..links.n_series() {
        for j in 0..links.n_series() {
            let (there, back) = (links.index(i, j, 0), links.index(j, i, 0));
            if links.assumes(i, j, 0) && links.assumes(j, i, 0) && output.p[there] >= output.p[back] {
                output.val[back] = output.val[there];
                output.p[back] = output.p[there];
                output.status[back] = output.status[there];
            }
        }
    }
}

fn timed<R>(seconds: &mut f64, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *seconds = start.elapsed().as_secs_f64();
    result
}
