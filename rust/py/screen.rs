//! `screen` for Python.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;

use super::run::{PySeries, run};
use crate::error::CoreError;
use crate::screen::{Config, Problem, forward, marginal, paper, weave};

/// Targets, sources, lags and scores, one entry a kept link, grouped by target in order of entry.
type Kept<'py> =
    (Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<f64>>);

#[pyfunction]
#[pyo3(signature = (values, valid, segments, *, strategy, tau_min, tau_max, first_row, allowed, bits, pool, kappa,
    own_lags, even, keep_marginal, max_add, max_scans, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments, reason = "one keyword each, checked and named in Python")]
pub fn screen<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    valid: Option<PyReadonlyArray2<'py, bool>>,
    segments: Vec<(usize, usize)>,
    strategy: &str,
    tau_min: usize,
    tau_max: usize,
    first_row: usize,
    allowed: Option<PyReadonlyArray3<'py, bool>>,
    bits: usize,
    pool: usize,
    kappa: f64,
    own_lags: usize,
    even: bool,
    keep_marginal: usize,
    max_add: usize,
    max_scans: usize,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Kept<'py>> {
    let data = PySeries { values, valid, segments };
    let series = data.view()?;
    let allowed = match &allowed {
        Some(mask) => Some(mask.as_slice().map_err(|_| CoreError::invalid("the mask must be C-contiguous"))?),
        None => None,
    };
    let config = Config { bits, pool, kappa, own_lags, even, keep_marginal, max_add, max_scans, memory_budget };
    let problem = Problem { series: &series, tau_min, tau_max, first_row, allowed };
    let found = run(py, n_jobs, progress.as_ref(), |monitor| match strategy {
        "weave" => weave(&problem, &config, monitor),
        "forward" => forward(&problem, &config, monitor),
        "marginal" => marginal(&problem, monitor),
        "paper" => paper(&problem, monitor),
        other => Err(CoreError::invalid(format!("no screen is called {other}"))),
    })?;
    let links: Vec<_> =
        found.iter().enumerate().flat_map(|(target, c)| c.links.iter().map(move |l| (target, l))).collect();
    let pick =
        |f: fn(&(usize, &crate::screen::Link)) -> usize| links.iter().map(f).collect::<Vec<_>>().into_pyarray(py);
    Ok((
        pick(|(target, _)| *target),
        pick(|(_, link)| link.source),
        pick(|(_, link)| link.lag),
        links.iter().map(|(_, link)| link.score).collect::<Vec<_>>().into_pyarray(py),
    ))
}
