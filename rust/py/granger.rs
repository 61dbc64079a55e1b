//! `_core.granger`.

use numpy::ndarray::Array2;
use numpy::{Element, IntoPyArray, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{PySeries, run_until_interrupt};
use super::search::{links_of, set_cube};
use crate::error::CoreError;
use crate::granger::{Form, Lags, LinkTest, Output, PairTest, run as run_granger};
use crate::pcmci::Links;

/// Linear Granger causality of every link and source; see `arrow_cd.backends.granger`.
#[pyfunction]
#[pyo3(signature = (values, segments, *, links, required, form, tau_min, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments, reason = "one keyword each, checked and named in Python")]
pub fn granger<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    segments: Vec<(usize, usize)>,
    links: PyReadonlyArray3<'py, bool>,
    required: Option<PyReadonlyArray3<'py, bool>>,
    form: &str,
    tau_min: usize,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let form = match form {
        "conditional" => Form::Conditional,
        "block" => Form::Bivariate(Lags::Block { tau_min }),
        "mask" => Form::Bivariate(Lags::Links),
        _ => return Err(CoreError::invalid(format!("unknown form {form:?}")).into()),
    };
    let data = PySeries { values, valid: None, segments };
    let series = data.view()?;
    let links = links_of(&links, required.as_ref(), None)?;
    let (output, interrupted) = run_until_interrupt(py, n_jobs, progress, |monitor| {
        run_granger(&series, &links, form, memory_budget, monitor)
    })?;
    let result = to_dict(py, &links, &output)?;
    result.set_item("interrupted", interrupted)?;
    Ok(result)
}

fn to_dict<'py>(py: Python<'py>, links: &Links, output: &Output) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let of_links = |get: fn(&LinkTest) -> f64| output.links.iter().map(get).collect();
    set_cube(&result, "val", links, of_links(|t| t.val))?;
    set_cube(&result, "p", links, of_links(|t| t.p))?;
    set_cube(&result, "status", links, output.links.iter().map(|t| t.status as u8).collect())?;
    set_pairs(&result, "pair_val", output, |t| t.val)?;
    set_pairs(&result, "pair_p", output, |t| t.p)?;
    set_pairs(&result, "pair_status", output, |t| t.status as u8)?;
    set_pairs(&result, "f", output, |t| t.f)?;
    set_pairs(&result, "df_num", output, |t| t.df_num as u64)?;
    set_pairs(&result, "df_denom", output, |t| t.df_denom as u64)?;
    result.set_item("n_rows", output.n_rows)?;
    result.set_item("seconds", (output.seconds[0], output.seconds[1]))?;
    Ok(result)
}

fn set_pairs<T: Element>(
    result: &Bound<'_, PyDict>,
    key: &str,
    output: &Output,
    get: fn(&PairTest) -> T,
) -> PyResult<()> {
    let n = output.pairs.len().isqrt();
    let values = output.pairs.iter().map(get).collect();
    let square = Array2::from_shape_vec((n, n), values).map_err(|e| CoreError::invalid(e.to_string()))?;
    result.set_item(key, square.into_pyarray(result.py()))
}
