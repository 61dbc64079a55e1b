//! Lag search for Python.

use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use super::run::run;
use super::weave::Planes;
use crate::error::CoreError;
use crate::lags::{Measure, search, top_k};

/// Targets, sources and lags of the strongest pairs, and their z; grouped by target, strongest first.
type Strongest<'py> =
    (Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<f64>>);

#[pyfunction]
#[pyo3(signature = (planes, *, measure, tau_min, tau_max, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments, reason = "one keyword each, checked and named in Python")]
pub fn lag_search<'py>(
    py: Python<'py>,
    planes: &Planes,
    measure: &str,
    tau_min: usize,
    tau_max: usize,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let (planes, n) = (&planes.planes, planes.planes.n_series());
    let measure = match measure {
        "z" => Measure::Z,
        "agreement" => Measure::Agreement,
        "joint_agreement" => Measure::JointAgreement,
        "mutual_information" => Measure::MutualInformation,
        other => return Err(CoreError::invalid(format!("no measure is called {other}")).into()),
    };
    let entries = n.saturating_mul(n).saturating_mul(tau_max.saturating_add(1));
    let needed = entries.saturating_mul(size_of::<f64>());
    if needed > memory_budget {
        let message = format!("lag search over {n} series and {} lags takes {needed} bytes", tau_max + 1);
        return Err(CoreError::Memory(message).into());
    }
    let found = run(py, n_jobs, progress.as_ref(), |monitor| search(planes, tau_min..=tau_max, measure, monitor))?;
    found.into_pyarray(py).reshape([n, tau_max + 1, n])
}

#[pyfunction]
#[pyo3(signature = (planes, *, tau_min, tau_max, k, n_jobs=1, progress=None))]
pub fn lag_search_top<'py>(
    py: Python<'py>,
    planes: &Planes,
    tau_min: usize,
    tau_max: usize,
    k: usize,
    n_jobs: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Strongest<'py>> {
    let planes = &planes.planes;
    let found =
        run(py, n_jobs, progress.as_ref(), |monitor| top_k(planes, planes, tau_min..=tau_max, k, None, monitor))?;
    let picks: Vec<_> = found.iter().enumerate().flat_map(|(target, p)| p.iter().map(move |p| (target, p))).collect();
    Ok((
        picks.iter().map(|(target, _)| *target).collect::<Vec<_>>().into_pyarray(py),
        picks.iter().map(|(_, pick)| pick.source).collect::<Vec<_>>().into_pyarray(py),
        picks.iter().map(|(_, pick)| pick.lag).collect::<Vec<_>>().into_pyarray(py),
        picks.iter().map(|(_, pick)| pick.z).collect::<Vec<_>>().into_pyarray(py),
    ))
}
