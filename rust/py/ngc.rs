//! `_core.ngc`.

use numpy::{PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{PySeries, run_until_interrupt};
use super::search::links_of;
use crate::error::{CoreError, Result};
use crate::ngc::{End, Options, Penalty, TargetFit, Training, run as run_ngc};

/// Neural Granger causality; see `arrow_cd.backends.ngc`.
#[pyfunction]
#[pyo3(signature = (values, valid, segments, *, links, required, keys, penalty, hidden, lam, ridge, lr, tol, max_iter, seed, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn ngc<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    valid: Option<PyReadonlyArray2<'py, bool>>,
    segments: Vec<(usize, usize)>,
    links: PyReadonlyArray3<'py, bool>,
    required: PyReadonlyArray3<'py, bool>,
    keys: Vec<u64>,
    penalty: &str,
    hidden: usize,
    lam: f64,
    ridge: f64,
    lr: f64,
    tol: f64,
    max_iter: usize,
    seed: u64,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PySeries { values, valid, segments };
    let series = data.view()?;
    let links = links_of(&links, Some(&required), None)?;
    let training = Training { lam, ridge, lr, tol, max_iter };
    let options = Options { penalty: parse_penalty(penalty)?, hidden, training, seed, memory_budget };
    let (output, interrupted) =
        run_until_interrupt(py, n_jobs, progress, |monitor| run_ngc(&series, &links, &keys, &options, monitor))?;
    let result = PyDict::new(py);
    let targets = output.targets.into_iter().map(|t| t.map(|t| to_dict(py, &t)).transpose());
    result.set_item("targets", targets.collect::<PyResult<Vec<_>>>()?)?;
    result.set_item("n_rows", output.n_rows)?;
    result.set_item("interrupted", interrupted)?;
    Ok(result)
}

fn parse_penalty(name: &str) -> Result<Penalty> {
    match name {
        "gl" => Ok(Penalty::Group),
        "gsgl" => Ok(Penalty::SparseGroup),
        "h" => Ok(Penalty::Hierarchical),
        other => Err(CoreError::invalid(format!("penalty {other:?}: expected 'gl', 'gsgl' or 'h'"))),
    }
}

fn to_dict<'py>(py: Python<'py>, target: &TargetFit) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("columns", target.columns.iter().map(|c| (c.source, c.lag)).collect::<Vec<_>>())?;
    let fit = &target.fit;
    result.set_item("norms", &fit.norms)?;
    let end = match fit.end {
        End::Converged => "converged",
        End::NotConverged => "not converged",
        End::Numeric => "numeric",
    };
    result.set_item("end", end)?;
    result.set_item("iterations", fit.iterations)?;
    result.set_item("objective", <(f64, f64)>::from(fit.objective))?;
    result.set_item("r2", fit.r2)?;
    Ok(result)
}
