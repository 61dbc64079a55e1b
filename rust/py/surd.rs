//! `_core.surd`.

use numpy::{IntoPyArray, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::{PySeries, run_until_interrupt};
use super::search::links_of;
use crate::error::CoreError;
use crate::surd::{Binning, Found, Kind, Options, Shifts, run as run_surd};

/// Synergistic, unique and redundant information; see `arrow_cd.backends.surd`.
#[pyfunction]
#[pyo3(signature = (values, segments, *, links, required, bins, binning, max_order, unbias, shifts, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn surd<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    segments: Vec<(usize, usize)>,
    links: PyReadonlyArray3<'py, bool>,
    required: Option<PyReadonlyArray3<'py, bool>>,
    bins: usize,
    binning: &str,
    max_order: Option<usize>,
    unbias: bool,
    shifts: PyReadonlyArray3<'py, u64>,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PySeries { values, valid: None, segments };
    let series = data.view()?;
    let assumed = links_of(&links, required.as_ref(), None)?;
    let binning = match binning {
        "quantile" => Binning::Quantile,
        "width" => Binning::Width,
        other => return Err(CoreError::invalid(format!("no binning is called {other}")).into()),
    };
    let by = shifts.as_slice().map_err(|_| CoreError::invalid("shifts must be C-contiguous"))?;
    let shifts = Shifts { by, count: shifts.shape()[1] };
    let options = Options { bins, binning, order: max_order, unbias, memory_budget, n_jobs };
    let (output, interrupted) =
        run_until_interrupt(py, n_jobs, progress, |monitor| run_surd(&series, &assumed, shifts, &options, monitor))?;
    let result = PyDict::new(py);
    result.set_item("n_rows", output.n_rows)?;
    result.set_item("order", output.order)?;
    result.set_item("n_sets", output.n_sets)?;
    result.set_item("interrupted", interrupted)?;
    let targets: PyResult<Vec<_>> = output.found.into_iter().map(|f| f.map(|f| to_dict(py, f)).transpose()).collect();
    result.set_item("targets", targets?)?;
    Ok(result)
}

fn to_dict(py: Python<'_>, found: Found) -> PyResult<Bound<'_, PyDict>> {
    let result = PyDict::new(py);
    let members = |set: u64| (0..found.agents.len()).filter(move |a| set >> a & 1 == 1).collect::<Vec<_>>();
    let letter = |kind, size| match kind {
        Kind::Synergistic => "S",
        Kind::Redundant if size == 1 => "U",
        Kind::Redundant => "R",
    };
    let term = |agents: Vec<usize>, kind, bits: f64| (letter(kind, agents.len()), agents, bits);
    let terms: Vec<_> = found.terms.iter().map(|&(t, bits)| term(members(t.agents), t.kind, bits)).collect();
    result.set_item("terms", terms)?;
    result.set_item("agents", found.agents.iter().map(|x| (x.series, x.lag)).collect::<Vec<_>>())?;
    result.set_item("varies", found.varies)?;
    result.set_item("entropy", found.entropy)?;
    result.set_item("information", found.information)?;
    result.set_item("credits", found.credits.into_pyarray(py))?;
    result.set_item("p", found.p.into_pyarray(py))?;
    Ok(result)
}
