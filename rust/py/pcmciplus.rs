//! `_core.pcmciplus`.

use numpy::{PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{PySeries, run_until_interrupt};
use super::search::{NodeLists, PyRows, form_name, links_of, marginals, pc1_arrays, rows_of, set_cube};
use crate::error::{CoreError, Result};
use crate::pcmci::{Links, Selection};
use crate::pcmciplus::{ColliderRule, Options, Output, run as run_pcmciplus};

/// PCMCI+ with linear partial correlation; see `arrow_cd.backends.native_plus`.
#[pyfunction]
#[pyo3(signature = (values, valid, segments, *, rows, links, required, order, pc_alpha, collider_rule, mark_conflicts, reset_lagged_links, max_conds_dim, max_combinations,
                    max_conds_py, max_conds_px, max_conds_px_lagged, normal_scores, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn pcmciplus<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    valid: Option<PyReadonlyArray2<'py, bool>>,
    segments: Vec<(usize, usize)>,
    rows: PyRows<'py>,
    links: PyReadonlyArray3<'py, bool>,
    required: Option<PyReadonlyArray3<'py, bool>>,
    order: Option<NodeLists>,
    pc_alpha: Vec<f64>,
    collider_rule: &str,
    mark_conflicts: bool,
    reset_lagged_links: bool,
    max_conds_dim: Option<usize>,
    max_combinations: usize,
    max_conds_py: Option<usize>,
    max_conds_px: Option<usize>,
    max_conds_px_lagged: Option<usize>,
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
        collider_rule: parse_rule(collider_rule)?,
        mark_conflicts,
        reset_lagged_links,
        max_conds_dim,
        max_combinations,
        max_conds_py,
        max_conds_px,
        max_conds_px_lagged,
        memory_budget,
    };
    let (output, interrupted) = run_until_interrupt(py, n_jobs, progress, |monitor| {
        run_pcmciplus(&series, &rows, &assumed, &options, monitor)
    })?;
    let result = to_dict(py, &assumed, output)?;
    result.set_item("interrupted", interrupted)?;
    Ok(result)
}

fn parse_rule(name: &str) -> Result<ColliderRule> {
    match name {
        "majority" => Ok(ColliderRule::Majority),
        "conservative" => Ok(ColliderRule::Conservative),
        "none" => Ok(ColliderRule::Separator),
        other => {
            Err(CoreError::invalid(format!("collider rule {other:?}: expected 'majority', 'conservative' or 'none'")))
        }
    }
}

fn to_dict<'py>(py: Python<'py>, links: &Links, output: Output) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let (pc_val, pc_p_max, pc_val_min) = pc1_arrays(links, output.selections.iter().map(Option::as_ref));
    let numbers = output.numbers;
    for (key, values) in
        [("val", numbers.val), ("p", numbers.p), ("pc_val", pc_val), ("pc_p_max", pc_p_max), ("pc_val_min", pc_val_min)]
    {
        set_cube(&result, key, links, values)?;
    }
    set_cube(&result, "status", links, numbers.status)?;
    set_cube(&result, "graph", links, output.graph.marks().iter().map(|&mark| mark as u8).collect())?;
    let list = |s: &Selection| s.parents.iter().map(|p| (p.series, p.lag)).collect();
    let parents: Vec<Option<Vec<(usize, usize)>>> = output.selections.iter().map(|s| s.as_ref().map(list)).collect();
    result.set_item("parents", parents)?;
    let separators: Vec<_> = output.separators.into_iter().map(|(p, set)| (p.source, p.lag, p.target, set)).collect();
    result.set_item("separators", separators)?;
    let ambiguous: Vec<_> = output.ambiguous.iter().map(|t| (t.i.series, t.i.lag, t.k, t.j)).collect();
    result.set_item("ambiguous", ambiguous)?;
    result.set_item("pc_alpha", output.pc_alpha)?;
    result.set_item("n_rows", output.n_rows)?;
    result.set_item("tests", (output.tests.pc1, output.tests.skeleton, output.tests.colliders))?;
    result.set_item("correlations", form_name(output.form))?;
    let timings = output.timings;
    result.set_item("seconds", (timings.matrix, timings.pc1, timings.skeleton, timings.orientation))?;
    Ok(result)
}
