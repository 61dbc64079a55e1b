//! A whole run: correlations, then one target after the other.

use std::time::Instant;

use rayon::prelude::*;

use super::bivariate::{self, Lags};
use super::columns::Columns;
use super::conditional::{Group, groups};
use super::output::{Found, Output};
use crate::cov::{LaggedCorrelation, Window};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::pcmci::Links;
use crate::series::Series;

/// What a source is tested given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All other columns of the target's links.
    Conditional,
    /// The target's own lags.
    Bivariate(Lags),
}

/// Test the links on rows t >= `tau_max` of every data set. A run that `monitor` stops hands back what it has.
pub fn run(series: &Series, links: &Links, form: Form, memory_budget: usize, monitor: &Monitor) -> Result<Output> {
    if links.n_series() != series.n_series() {
        let (n_linked, n) = (links.n_series(), series.n_series());
        return Err(CoreError::invalid(format!("links are for {n_linked} series, the data have {n}")));
    }
    if !series.is_complete() {
        return Err(CoreError::invalid("a sample is missing"));
    }
    let began = Instant::now();
    let reach = if form == Form::Conditional { links.largest_lag() } else { links.tau_max() };
    let window = Window::new(series, reach, links.tau_max())?;
    if window.n_rows() == 0 {
        return Err(CoreError::invalid("every data set is too short to have any rows"));
    }
    let mut output = Output::new(links, window.n_rows());
    let groups = if form == Form::Conditional { groups(links) } else { Vec::new() };
    let few = form == Form::Conditional && cost_on_rows(&groups, &window) < cost_of_matrix(&window);
    let needed = LaggedCorrelation::bytes(series.n_series(), reach);
    let columns = if few || needed > memory_budget {
        Columns::Rows(window)
    } else {
        match LaggedCorrelation::on(&window, monitor) {
            Err(CoreError::Interrupted) => return Ok(output),
            matrix => Columns::Matrix(matrix?),
        }
    };
    output.seconds[0] = began.elapsed().as_secs_f64();
    let found: Vec<(usize, Found)> = match form {
        Form::Conditional => groups.par_iter().flat_map_iter(|group| group.test(&columns, monitor)).collect(),
        Form::Bivariate(lags) => {
            let test = |target| {
                let found = bivariate::test_target(target, &columns, links, lags, monitor).ok()?;
                monitor.step();
                Some((target, found))
            };
            (0..links.n_series()).into_par_iter().filter_map(test).collect()
        }
    };
    for (target, found) in &found {
        output.enter(links, *target, found);
    }
    output.seconds[1] = began.elapsed().as_secs_f64() - output.seconds[0];
    Ok(output)
}

/// Multiplications for the correlations of every group's own columns.
fn cost_on_rows(groups: &[Group], window: &Window) -> f64 {
    groups.iter().map(|group| group.cost_on_rows(window.n_rows())).sum()
}

/// Multiplications and entries of the matrix of all lagged columns.
fn cost_of_matrix(window: &Window) -> f64 {
    let (n, n_lags) = (window.series().n_series() as f64, (window.max_lag() + 1) as f64);
    n * n * n_lags * (window.n_rows() as f64 + n_lags)
}
