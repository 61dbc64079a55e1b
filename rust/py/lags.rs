//! Lag search for Python.

use numpy::{IntoPyArray, PyArray1, PyReadwriteArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::run::run;
use super::weave::Planes;
use crate::bits;
use crate::error::CoreError;
use crate::lags::{Measure, search_into, top_k};

/// Targets, sources and lags of the strongest pairs, and their z; grouped by target, strongest first.
type Strongest<'py> =
    (Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<f64>>);

/// Pairs of words below which starting threads takes longer than it saves: the work of one or two milliseconds.
const WORTH_THREADS: usize = 8 << 20;

/// `n_jobs`, or 1 where the search is over before threads have started.
fn worth(n_jobs: usize, planes: &bits::Planes, n_lags: usize) -> usize {
    let pairs = (planes.n_series() * planes.bits()).pow(2) * n_lags;
    if pairs * planes.words() < WORTH_THREADS { 1 } else { n_jobs }
}

/// Fill `found`, shape (targets, lags, sources) with lags from 0 to `tau_max`; numpy's empty arrays need not be filled
/// twice.
#[pyfunction]
#[pyo3(signature = (planes, found, *, measure, tau_min, n_jobs=1, progress=None))]
pub fn lag_search<'py>(
    py: Python<'py>,
    planes: &Planes,
    mut found: PyReadwriteArray3<'py, f64>,
    measure: &str,
    tau_min: usize,
    n_jobs: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<()> {
    let measure = match measure {
        "z" => Measure::Z,
        "agreement" => Measure::Agreement,
        "joint_agreement" => Measure::JointAgreement,
        "mutual_information" => Measure::MutualInformation,
        other => return Err(CoreError::invalid(format!("no measure is called {other}")).into()),
    };
    let lags = tau_min..=found.shape()[1].saturating_sub(1);
    let n_jobs = worth(n_jobs, &planes.planes, found.shape()[1]);
    let found = found.as_slice_mut().map_err(|_| CoreError::invalid("the array of results must be C-contiguous"))?;
    run(py, n_jobs, progress.as_ref(), |monitor| {
        search_into(&planes.planes, &planes.margins, lags, measure, found, monitor)
    })
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
    let n_jobs = worth(n_jobs, planes, tau_max + 1);
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
