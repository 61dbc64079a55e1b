//! `_core.pc`.

use numpy::{PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{PySeries, run_until_interrupt};
use super::search::{links_of, marginals, set_cube};
use crate::pc::{Options, Output, run as run_pc};
use crate::pcmci::{End, Law, Links, Node};

/// PC on lagged links with linear partial correlation; see `arrow_cd.backends.native_pc`.
#[pyfunction]
#[pyo3(signature = (values, valid, segments, *, links, required, pc_alpha, max_conds_dim, max_tests, normal_scores, fisher_z, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn pc<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    valid: Option<PyReadonlyArray2<'py, bool>>,
    segments: Vec<(usize, usize)>,
    links: PyReadonlyArray3<'py, bool>,
    required: Option<PyReadonlyArray3<'py, bool>>,
    pc_alpha: f64,
    max_conds_dim: Option<usize>,
    max_tests: Option<usize>,
    normal_scores: bool,
    fisher_z: bool,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PySeries { values, valid, segments };
    let series = data.view()?;
    let assumed = links_of(&links, required.as_ref(), None)?;
    let law = if fisher_z { Law::FisherZ } else { Law::StudentT };
    let options =
        Options { marginals: marginals(normal_scores), law, pc_alpha, max_conds_dim, max_tests, memory_budget };
    let (output, interrupted) =
        run_until_interrupt(py, n_jobs, progress, |monitor| run_pc(&series, &assumed, &options, monitor))?;
    let result = to_dict(py, &assumed, output)?;
    result.set_item("interrupted", interrupted)?;
    Ok(result)
}

fn to_dict<'py>(py: Python<'py>, links: &Links, output: Output) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    set_cube(&result, "val", links, output.val)?;
    set_cube(&result, "p", links, output.p)?;
    set_cube(&result, "status", links, output.status)?;
    let pair = |x: Node| (x.series, x.lag);
    let list = |nodes: Vec<Node>| nodes.into_iter().map(pair).collect::<Vec<_>>();
    result.set_item("parents", output.parents.into_iter().map(list).collect::<Vec<_>>())?;
    result.set_item("ends", output.ends.into_iter().map(word).collect::<Vec<_>>())?;
    let separators = output.separators.into_iter().map(|(target, x, given)| (pair(x), target, list(given)));
    result.set_item("separators", separators.collect::<Vec<_>>())?;
    result.set_item("tests", output.tests)?;
    result.set_item("n_rows", output.n_rows)?;
    result.set_item("has_matrix", output.has_matrix)?;
    result.set_item("seconds", (output.seconds[0], output.seconds[1]))?;
    Ok(result)
}

fn word(end: End) -> &'static str {
    match end {
        End::Exhausted => "exhausted",
        End::MaxConds => "max_conds_dim",
        End::MaxTests => "max_tests",
        End::Stopped => "stopped",
    }
}
