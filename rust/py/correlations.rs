//! `_core.Correlations`.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use super::run::{PySeries, run};
use crate::cov::{LaggedCorrelation, Window, normal_score_correlation};
use crate::error::CoreError;
use crate::pcmci::{Node, test_pair};

/// A variable as tigramite writes it: series and minus its lag.
type Lagged = (i64, i64);

/// Lagged correlations on one set of rows, ready for any number of single tests.
#[pyclass(frozen, module = "arrow_cd._core")]
pub struct Correlations {
    matrix: LaggedCorrelation,
}

#[pymethods]
impl Correlations {
    /// Correlate all columns up to `max_lag` on rows t in [`max_lag`, T) of every segment, or on those of them in `rows`.
    #[new]
    #[pyo3(signature = (values, segments, *, rows, max_lag, normal_scores))]
    fn new(
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        segments: Vec<(usize, usize)>,
        rows: Option<PyReadonlyArray1<'_, u64>>,
        max_lag: usize,
        normal_scores: bool,
    ) -> PyResult<Self> {
        let data = PySeries { values, valid: None, segments };
        let series = data.view()?;
        let rows: Option<Vec<usize>> = rows.map(|r| r.as_array().iter().map(|&t| t as usize).collect());
        let window = match rows {
            Some(rows) => Window::of_samples(&series, max_lag, max_lag, &rows)?,
            None => Window::new(&series, max_lag, max_lag)?,
        };
        if window.n_rows() == 0 {
            return Err(CoreError::invalid(format!("no row has {max_lag} samples before it")).into());
        }
        let correlate = if normal_scores { normal_score_correlation } else { LaggedCorrelation::on };
        Ok(Self { matrix: run(py, 1, None, |monitor| correlate(&window, monitor))? })
    }

    /// Bytes that the correlations of so many series and lags take while they are made.
    #[staticmethod]
    fn bytes(n_series: usize, max_lag: usize) -> usize {
        LaggedCorrelation::bytes(n_series, max_lag)
    }

    /// Number of rows behind every correlation.
    #[getter]
    fn n_rows(&self) -> usize {
        self.matrix.n_rows()
    }

    /// Partial correlation of x and y given z, and its p; `None` where rows have to be read.
    fn test(&self, x: Lagged, y: Lagged, z: Vec<Lagged>) -> Option<(f64, f64)> {
        let z: Vec<Node> = z.into_iter().map(node).collect::<Option<_>>()?;
        let test = test_pair(&self.matrix, node(x)?, node(y)?, &z)?;
        Some((test.val, test.p()))
    }
}

fn node((series, minus_lag): Lagged) -> Option<Node> {
    Some(Node { series: usize::try_from(series).ok()?, lag: usize::try_from(minus_lag.checked_neg()?).ok()? })
}
