//! `_core.pcmci`.

use numpy::ndarray::Array3;
use numpy::{Element, IntoPyArray, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{PySeries, run_until_interrupt};
use crate::cov::Roles;
use crate::error::{CoreError, Result};
use crate::pcmci::{Links, Node, Options, Output, Rows, Selection, run as run_pcmci};

pub type NodeLists = Vec<Vec<(usize, usize)>>;

/// PC1 and MCI with linear partial correlation; see `arrow_cd.backends.pcmci`.
#[pyfunction]
#[pyo3(signature = (values, valid, segments, *, reference, mask, mask_type, lose_after_missing, links, required, order,
                    parents, pc_alpha, max_conds_dim, max_combinations, max_conds_py, max_conds_px, mci, memory_budget,
                    n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn pcmci<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    valid: Option<PyReadonlyArray2<'py, bool>>,
    segments: Vec<(usize, usize)>,
    reference: Option<PyReadonlyArray1<'py, u64>>,
    mask: Option<PyReadonlyArray2<'py, bool>>,
    mask_type: &str,
    lose_after_missing: bool,
    links: PyReadonlyArray3<'py, bool>,
    required: Option<PyReadonlyArray3<'py, bool>>,
    order: Option<NodeLists>,
    parents: Option<NodeLists>,
    pc_alpha: Vec<f64>,
    max_conds_dim: Option<usize>,
    max_combinations: usize,
    max_conds_py: Option<usize>,
    max_conds_px: Option<usize>,
    mci: bool,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PySeries { values, valid, segments };
    let series = data.view()?;
    let rows = rows_of(reference.as_ref(), mask.as_ref(), mask_type, lose_after_missing)?;
    let assumed = links_of(&links, required.as_ref(), order)?;
    let options = Options { pc_alpha, max_conds_dim, max_combinations, max_conds_py, max_conds_px, mci, memory_budget };
    let parents = parents.map(nodes);
    let work = |monitor: &_| run_pcmci(&series, &rows, &assumed, parents, &options, monitor);
    let (output, interrupted) = run_until_interrupt(py, n_jobs, progress, work)?;
    let result = to_dict(py, &assumed, output)?;
    result.set_item("interrupted", interrupted)?;
    Ok(result)
}

/// The rows that `RowSpec` in `rows.py` asks for.
pub fn rows_of<'a>(
    reference: Option<&PyReadonlyArray1<'_, u64>>,
    mask: Option<&'a PyReadonlyArray2<'_, bool>>,
    mask_type: &str,
    lose_after_missing: bool,
) -> Result<Rows<'a>> {
    let masked = mask.map(|m| m.as_slice().map_err(|_| CoreError::invalid("the mask must be C-contiguous")));
    let roles = Roles { x: mask_type.contains('x'), y: mask_type.contains('y'), z: mask_type.contains('z') };
    Ok(Rows {
        samples: reference.map(|r| r.as_array().iter().map(|&t| t as usize).collect()),
        mask: masked.transpose()?.map(|m| (m, roles)),
        lose_after_missing,
    })
}

/// The assumed links, in the order given or by series, then lag.
pub fn links_of<'a>(
    links: &'a PyReadonlyArray3<'_, bool>,
    required: Option<&'a PyReadonlyArray3<'_, bool>>,
    order: Option<NodeLists>,
) -> Result<Links<'a>> {
    let shape = links.shape();
    if shape[0] != shape[1] || shape[2] == 0 || required.is_some_and(|r| r.shape() != shape) {
        return Err(CoreError::invalid("links and required must have shape (N, N, tau_max + 1)"));
    }
    let assumed = Links::new(flags(links)?, required.map(flags).transpose()?, shape[0], shape[2] - 1)?;
    match order {
        Some(order) => assumed.in_order(nodes(order)),
        None => Ok(assumed),
    }
}

fn nodes(lists: NodeLists) -> Vec<Vec<Node>> {
    let node = |(series, lag)| Node { series, lag };
    lists.into_iter().map(|list| list.into_iter().map(node).collect()).collect()
}

fn flags<'a>(array: &'a PyReadonlyArray3<'_, bool>) -> Result<&'a [bool]> {
    array.as_slice().map_err(|_| CoreError::invalid("links must be C-contiguous"))
}

fn to_dict<'py>(py: Python<'py>, links: &Links, output: Output) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let (pc_val, pc_p_max, pc_val_min) = pc1_arrays(links, output.selections.iter().map(Option::as_ref));
    for (key, values) in
        [("val", output.val), ("p", output.p), ("pc_val", pc_val), ("pc_p_max", pc_p_max), ("pc_val_min", pc_val_min)]
    {
        set_cube(&result, key, links, values)?;
    }
    set_cube(&result, "status", links, output.status)?;
    set_cube(&result, "df", links, output.df)?;
    let list = |parents: Vec<Node>| parents.into_iter().map(|p| (p.series, p.lag)).collect();
    let lists: Vec<Option<Vec<(usize, usize)>>> = output.parents.into_iter().map(|p| p.map(list)).collect();
    result.set_item("parents", lists)?;
    let levels: Vec<Option<f64>> = output.selections.iter().map(|s| s.as_ref().map(|s| s.level)).collect();
    result.set_item("pc_alpha", levels)?;
    result.set_item("n_rows", output.n_rows)?;
    result.set_item("tests", (output.pc1_tests, output.mci_tests))?;
    result.set_item("has_matrix", output.has_matrix)?;
    let timings = output.timings;
    result.set_item("seconds", (timings.matrix, timings.pc1, timings.mci, timings.p_values))?;
    Ok(result)
}

/// Put an array of a run into the result, in the shape of the links.
pub fn set_cube<T: Element>(result: &Bound<'_, PyDict>, key: &str, links: &Links, values: Vec<T>) -> PyResult<()> {
    let shape = (links.n_series(), links.n_series(), links.tau_max() + 1);
    let cube = Array3::from_shape_vec(shape, values).map_err(|e| CoreError::invalid(e.to_string()))?;
    result.set_item(key, cube.into_pyarray(result.py()))
}

/// Of every link PC1 tested: val and p of its least significant test, and its smallest |val|; 0, 1, 0 elsewhere.
pub fn pc1_arrays<'a>(
    links: &Links,
    selections: impl Iterator<Item = Option<&'a Selection>>,
) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let size = links.n_series() * links.n_series() * (links.tau_max() + 1);
    let (mut val, mut p, mut val_min) = (vec![0.0; size], vec![1.0; size], vec![0.0; size]);
    for (target, selection) in selections.enumerate() {
        for candidate in selection.into_iter().flat_map(|s| &s.candidates) {
            let at = links.index(candidate.node.series, target, candidate.node.lag);
            (val[at], p[at], val_min[at]) = (candidate.weakest.val, candidate.weakest.p(), candidate.val_min);
        }
    }
    (val, p, val_min)
}
