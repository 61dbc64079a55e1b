//! `_core.autoregression`, `_core.causal_order` and `_core.structural_fit`: the three steps of `VARLiNGAM`.

use numpy::ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::run::{PySeries, run};
use crate::error::{CoreError, Result};
use crate::lingam::{self, Denominator, Shrinkage, Support};

type Cube<'py, T> = Bound<'py, PyArray3<T>>;

/// Coefficients [target, source, tau], residuals (N, n) and which series depend on others.
type Autoregression<'py> = (Cube<'py, f64>, Bound<'py, PyArray2<f64>>, Vec<bool>);

/// The autoregression on links (N, N, `max_lag` + 1), the links at lag 0 widening it.
#[pyfunction]
#[pyo3(signature = (values, segments, links, *, centred, memory_budget, n_jobs=1))]
pub fn autoregression<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    segments: Vec<(usize, usize)>,
    links: PyReadonlyArray3<'py, bool>,
    centred: bool,
    memory_budget: usize,
    n_jobs: usize,
) -> PyResult<Autoregression<'py>> {
    let data = PySeries { values, valid: None, segments };
    let series = data.view()?;
    let support = support_of(&links)?;
    let (n, n_lags) = (support.n_series(), support.max_lag() + 1);
    let found =
        run(py, n_jobs, None, |monitor| lingam::autoregress(&series, &support, centred, memory_budget, monitor))?;
    let residuals = Array2::from_shape_vec((n, found.n_rows), found.residuals).map_err(shape)?;
    Ok((cube(py, (n, n, n_lags), found.coefficients)?, residuals.into_pyarray(py), found.dependent))
}

/// The causal order of columns (N, n), how much each in it looks like an effect of those after it, and pairs compared.
#[pyfunction]
#[pyo3(signature = (columns, *, rows_less_one, before, n_jobs=1, progress=None))]
pub fn causal_order<'py>(
    py: Python<'py>,
    columns: PyReadonlyArray2<'py, f64>,
    rows_less_one: bool,
    before: Vec<(usize, usize)>,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Vec<usize>, Bound<'py, PyArray1<f64>>, usize)> {
    let n = columns.shape()[0];
    let columns = columns.as_slice().map_err(contiguous)?;
    let denominator = if rows_less_one { Denominator::RowsLessOne } else { Denominator::Rows };
    let found = run(py, n_jobs, progress, |monitor| lingam::causal_order(columns, n, denominator, &before, monitor))?;
    Ok((found.order, found.scores.into_pyarray(py), found.n_pairs))
}

/// Structural coefficients [source, target, tau] on links that the order allows, and links that depend on others; all
/// of least squares without a price of coefficients, else those that the adaptive lasso selects.
#[pyfunction]
#[pyo3(signature = (values, segments, links, *, required, order, price, refit, memory_budget, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments, reason = "one keyword each, checked and named in Python")]
pub fn structural_fit<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    segments: Vec<(usize, usize)>,
    links: PyReadonlyArray3<'py, bool>,
    required: PyReadonlyArray3<'py, bool>,
    order: Vec<usize>,
    price: Option<f64>,
    refit: bool,
    memory_budget: usize,
    n_jobs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Cube<'py, f64>, Cube<'py, bool>)> {
    let data = PySeries { values, valid: None, segments };
    let series = data.view()?;
    let (support, required) = (support_of(&links)?, support_of(&required)?);
    let shrinkage = price.map_or(Shrinkage::None, |price| Shrinkage::Lasso { price, refit });
    let found = run(py, n_jobs, progress, |monitor| {
        lingam::fit_structure(&series, &support, &required, &order, shrinkage, memory_budget, monitor)
    })?;
    let shape = (support.n_series(), support.n_series(), support.max_lag() + 1);
    Ok((cube(py, shape, found.coefficients)?, cube(py, shape, found.dependent)?))
}

fn support_of<'a>(links: &'a PyReadonlyArray3<'_, bool>) -> Result<Support<'a>> {
    let &[n, targets, n_lags] = links.shape() else { return Err(CoreError::invalid("links must have three axes")) };
    if n != targets || n_lags == 0 {
        return Err(CoreError::invalid("links must have shape (N, N, max_lag + 1)"));
    }
    Support::new(links.as_slice().map_err(contiguous)?, n, n_lags - 1)
}

fn cube<T: numpy::Element>(py: Python<'_>, dims: (usize, usize, usize), values: Vec<T>) -> Result<Cube<'_, T>> {
    Ok(Array3::from_shape_vec(dims, values).map_err(shape)?.into_pyarray(py))
}

fn shape(error: numpy::ndarray::ShapeError) -> CoreError {
    CoreError::Bug(error.to_string())
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn contiguous(_: impl std::error::Error) -> CoreError {
    CoreError::invalid("arrays must be C-contiguous")
}
