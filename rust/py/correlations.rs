//! `_core.Correlations` and `_core.partial_correlation`: single tests.

use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use super::run::{PySeries, run};
use super::search::{PyRows, marginals, rows_of};
use crate::cov::{Correlations as Matrix, LaggedCorrelation};
use crate::error::CoreError;
use crate::pcmci::{Node, Test, test_pair, test_pair_on_rows};

/// A variable as tigramite writes it: series and minus its lag.
type Lagged = (i64, i64);

/// Partial correlation, p, degrees of freedom.
type Answer = (f64, f64, usize);

/// Lagged correlations on one set of rows, ready for any number of single tests.
#[pyclass(frozen, module = "arrow_cd._core")]
pub struct Correlations {
    matrix: Matrix<'static>,
}

#[pymethods]
impl Correlations {
    /// Correlate all columns up to `max_lag` on rows t in [`max_lag`, T) of every segment, or on those of them in `rows`.
    #[new]
    #[pyo3(signature = (values, segments, rows, *, max_lag, normal_scores))]
    fn new(
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        segments: Vec<(usize, usize)>,
        rows: PyRows<'_>,
        max_lag: usize,
        normal_scores: bool,
    ) -> PyResult<Self> {
        let data = PySeries { values, valid: None, segments };
        let series = data.view()?;
        let window = rows_of(&rows)?.window(&series, max_lag, max_lag)?;
        if window.n_rows() == 0 || !window.is_shared() {
            return Err(CoreError::invalid("correlations need rows, the same for all tests").into());
        }
        let ranking = marginals(normal_scores).rank(&window);
        Ok(Self { matrix: run(py, 1, None, |monitor| Matrix::in_matrix(&window, ranking.as_ref(), monitor))? })
    }

    /// Bytes that the correlations of so many series and lags take while they are made.
    #[staticmethod]
    fn bytes(n_series: usize, max_lag: usize) -> usize {
        LaggedCorrelation::bytes(n_series, max_lag)
    }

    /// Partial correlation of x and y given z; `None` where the correlations don't tell.
    fn test(&self, x: Lagged, y: Lagged, z: Vec<Lagged>) -> Option<Answer> {
        test_pair(&self.matrix, node(x)?, node(y)?, &nodes(z)?).map(answer)
    }
}

/// Partial correlation of x and y given z on the rows t >= `t0` where no sample of these is missing or masked; `None`
/// where these rows don't tell either.
#[pyfunction]
#[pyo3(signature = (values, valid, segments, rows, *, t0, normal_scores, x, y, z))]
#[allow(clippy::too_many_arguments, reason = "one keyword each, checked and named in Python")]
pub fn partial_correlation(
    values: PyReadonlyArray2<'_, f64>,
    valid: Option<PyReadonlyArray2<'_, bool>>,
    segments: Vec<(usize, usize)>,
    rows: PyRows<'_>,
    t0: usize,
    normal_scores: bool,
    x: Lagged,
    y: Lagged,
    z: Vec<Lagged>,
) -> PyResult<Option<Answer>> {
    let data = PySeries { values, valid, segments };
    let series = data.view()?;
    let window = rows_of(&rows)?.window(&series, t0, t0)?;
    let (Some(x), Some(y), Some(z)) = (node(x), node(y), nodes(z)) else { return Ok(None) };
    Ok(test_pair_on_rows(&window, marginals(normal_scores), x, y, &z).map(answer))
}

fn answer(test: Test) -> Answer {
    (test.val, test.p(), test.df)
}

fn nodes(lagged: Vec<Lagged>) -> Option<Vec<Node>> {
    lagged.into_iter().map(node).collect()
}

fn node((series, minus_lag): Lagged) -> Option<Node> {
    Some(Node { series: usize::try_from(series).ok()?, lag: usize::try_from(minus_lag.checked_neg()?).ok()? })
}
