//! `_core.pcmci`.

use numpy::{PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{PySeries, run_until_interrupt};
use super::search::{NodeLists, PyRows, form_name, links_of, marginals, nodes, pc1_arrays, rows_of, set_cube};
use crate::pcmci::{Links, Node, Options, Output, run as run_pcmci};

/// PC1 and MCI with linear partial correlation; see `arrow_cd.backends.pcmci`.
#[pyfunction]
#[pyo3(signature = (values, valid, segments, *, rows, links, required, order, parents, pc_alpha, max_conds_dim, max_combinations, max_conds_py, max_conds_px, mci, normal_scores,
                    memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn pcmci<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    valid: Option<PyReadonlyArray2<'py, bool>>,
    segments: Vec<(usize, usize)>,
    rows: PyRows<'py>,
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
    normal_scores: bool,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PySeries { values, valid, segments };
    let series = data.view()?;
    let rows = rows_of(&rows)?;
    let assumed = links_of(&links, required.as_ref(), order)?;
    let options = Options {
        marginals: marginals(normal_scores),
        pc_alpha,
        max_conds_dim,
        max_combinations,
        max_conds_py,
        max_conds_px,
        mci,
        memory_budget,
    };
    let parents = parents.map(nodes);
    let (output, interrupted) = run_until_interrupt(py, n_jobs, progress, |monitor| {
        run_pcmci(&series, &rows, &assumed, parents, &options, monitor)
    })?;
    let result = to_dict(py, &assumed, output)?;
    result.set_item("interrupted", interrupted)?;
    Ok(result)
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
    result.set_item("correlations", form_name(output.form))?;
    let timings = output.timings;
    result.set_item("seconds", (timings.matrix, timings.pc1, timings.mci, timings.p_values))?;
    Ok(result)
}
