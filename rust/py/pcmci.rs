//! `_core.pcmci`.

use numpy::ndarray::Array3;
use numpy::{IntoPyArray, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{PySeries, run};
use crate::error::{CoreError, Result};
use crate::pcmci::{Links, Node, Options, Output, run as run_pcmci};

type ParentLists = Vec<Vec<(usize, usize)>>;

/// PC1 and MCI with linear partial correlation; see `arrow_cd.backends.pcmci`.
#[pyfunction]
#[pyo3(signature = (values, valid, segments, *, links, required, parents, pc_alpha, max_conds_dim, max_combinations,
                    max_conds_py, max_conds_px, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn pcmci<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    valid: Option<PyReadonlyArray2<'py, bool>>,
    segments: Vec<(usize, usize)>,
    links: PyReadonlyArray3<'py, bool>,
    required: Option<PyReadonlyArray3<'py, bool>>,
    parents: Option<ParentLists>,
    pc_alpha: f64,
    max_conds_dim: Option<usize>,
    max_combinations: usize,
    max_conds_py: Option<usize>,
    max_conds_px: Option<usize>,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PySeries { values, valid, segments };
    let series = data.view()?;
    let shape = links.shape();
    if shape[0] != shape[1] || shape[2] == 0 || required.as_ref().is_some_and(|r| r.shape() != shape) {
        return Err(CoreError::invalid("links and required must have shape (N, N, tau_max + 1)").into());
    }
    let required = required.as_ref().map(flags).transpose()?;
    let assumed = Links::new(flags(&links)?, required, shape[0], shape[2] - 1)?;
    let options = Options { pc_alpha, max_conds_dim, max_combinations, max_conds_py, max_conds_px, memory_budget };
    let parents = parents.map(|p| p.into_iter().map(|list| list.into_iter().map(node).collect()).collect());
    let output = run(py, n_jobs, progress, |monitor| run_pcmci(&series, &assumed, parents, &options, monitor))?;
    to_dict(py, &assumed, output)
}

fn node((series, lag): (usize, usize)) -> Node {
    Node { series, lag }
}

fn flags<'a>(array: &'a PyReadonlyArray3<'_, bool>) -> Result<&'a [bool]> {
    array.as_slice().map_err(|_| CoreError::invalid("links must be C-contiguous"))
}

fn to_dict<'py>(py: Python<'py>, links: &Links, output: Output) -> PyResult<Bound<'py, PyDict>> {
    let n = links.n_series();
    let shape = (n, n, links.tau_max() + 1);
    let (pc_val, pc_p_max, pc_val_min) = pc1_arrays(links, &output);
    let cube =
        |values: Vec<f64>| Array3::from_shape_vec(shape, values).map(|a| a.into_pyarray(py)).map_err(|e| mismatch(&e));
    let result = PyDict::new(py);
    result
        .set_item("status", Array3::from_shape_vec(shape, output.status).map_err(|e| mismatch(&e))?.into_pyarray(py))?;
    for (key, values) in
        [("val", output.val), ("p", output.p), ("pc_val", pc_val), ("pc_p_max", pc_p_max), ("pc_val_min", pc_val_min)]
    {
        result.set_item(key, cube(values)?)?;
    }
    let lists: ParentLists =
        output.parents.iter().map(|list| list.iter().map(|p| (p.series, p.lag)).collect()).collect();
    result.set_item("parents", lists)?;
    result.set_item("n_rows", output.n_rows)?;
    result.set_item("tests", (output.pc1_tests, output.mci_tests))?;
    result.set_item("has_matrix", output.has_matrix)?;
    let timings = output.timings;
    result.set_item("seconds", (timings.matrix, timings.pc1, timings.mci, timings.p_values))?;
    Ok(result)
}

fn mismatch(error: &numpy::ndarray::ShapeError) -> PyErr {
    CoreError::invalid(error.to_string()).into()
}

/// Of every link PC1 tested: val and p of its least significant test, and its smallest |val|; 0, 1, 0 elsewhere.
fn pc1_arrays(links: &Links, output: &Output) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let size = output.val.len();
    let (mut val, mut p, mut val_min) = (vec![0.0; size], vec![1.0; size], vec![0.0; size]);
    for (target, selection) in output.selections.iter().enumerate() {
        for candidate in &selection.candidates {
            let at = links.index(candidate.node.series, target, candidate.node.lag);
            (val[at], p[at], val_min[at]) = (candidate.weakest.val, candidate.weakest.p(), candidate.val_min);
        }
    }
    (val, p, val_min)
}
