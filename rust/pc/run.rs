//! A whole run: matrix, then every target alone.

use std::time::Instant;

use rayon::prelude::*;

use super::copies::Copies;
use super::output::Output;
use crate::cov::{Demand, Marginals};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::pcmci::{Law, Level, Links, PcLimits, Rows, Search, Selection, Tests, check_search};
use crate::series::Series;

/// A target with more candidates than this, and no limit given, gets [`FEW_CONDITIONS`].
const MANY_CANDIDATES: usize = 40;
const FEW_CONDITIONS: usize = 3;

/// What can be chosen.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether tests look at values or at their normal scores.
    pub marginals: Marginals,
    pub law: Law,
    /// A link with a larger p-value in any of its tests is dropped.
    pub pc_alpha: f64,
    /// Most conditions of a test; without it none, or a few for targets with many candidates.
    pub max_conds_dim: Option<usize>,
    /// Most tests a target.
    pub max_tests: Option<usize>,
    /// Bytes that correlations may take; where no form of them fits, tests read the rows.
    pub memory_budget: usize,
}

/// Run PC on lagged links. A run that `monitor` stops hands back what it has.
pub fn run(series: &Series, links: &Links, options: &Options, monitor: &Monitor) -> Result<Output> {
    check_search(series.n_series(), links, &[options.pc_alpha], 1)?;
    let n = links.n_series();
    if (0..n).any(|target| links.into_target(target).any(|x| x.lag == 0)) {
        return Err(CoreError::invalid("PC finds lagged links only: a link at lag 0 has no place in it"));
    }
    let start = Instant::now();
    let window = Rows::default().window(series, links.largest_lag(), 2 * links.tau_max())?;
    // All sets of conditions are tried, so that every entry may be read often.
    let demand = Demand { reads: usize::MAX, budget_bytes: options.memory_budget };
    let tests = Tests::new(&window, options.marginals, demand, monitor)?;
    let copies = Copies::find(links, &tests, monitor)?;
    let matrix_seconds = start.elapsed().as_secs_f64();
    let new_level = || Level::of_law(options.pc_alpha, tests.n_rows(), options.law);
    let select = |level: &mut Level, target| select(links, target, &tests, &copies, level, options, monitor);
    let selections = (0..n).into_par_iter().map_init(new_level, select).collect();
    let mut output = Output::new(links, selections, options.law);
    output.seconds = [matrix_seconds, start.elapsed().as_secs_f64() - matrix_seconds];
    (output.n_rows, output.has_matrix) = (tests.n_rows(), tests.form().is_some());
    Ok(output)
}

/// The search for one target.
fn select(
    links: &Links,
    target: usize,
    tests: &Tests,
    copies: &Copies,
    level: &mut Level,
    options: &Options,
    monitor: &Monitor,
) -> Selection {
    let sources = copies.without(links, target);
    let no_limit = if sources.len() > MANY_CANDIDATES { FEW_CONDITIONS } else { usize::MAX };
    let limits = PcLimits {
        max_conds_dim: options.max_conds_dim.unwrap_or(no_limit),
        max_combinations: usize::MAX,
        max_tests: options.max_tests.unwrap_or(usize::MAX),
    };
    let tester = &mut tests.of_target(target);
    let selection = Search { links, target, tester, level, limits, spare: true, monitor }.select(sources.into_iter());
    monitor.step();
    selection
}
