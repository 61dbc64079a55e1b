//! Codes for Python.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

use super::run::{PySeries, run};
use crate::bits;
use crate::error::{CoreError, Result};
use crate::lags::KeptMargins;
use crate::weave::{Code, encode as encode_series};

/// Coded series, ready to be searched.
#[pyclass(frozen, module = "arrow_cd._core")]
pub struct Planes {
    pub planes: bits::Planes,
    /// What the last search of them has counted.
    pub margins: KeptMargins,
    n_samples: usize,
}

#[pymethods]
impl Planes {
    /// Bytes that the packed rows take.
    #[getter]
    fn nbytes(&self) -> usize {
        size_of_val(self.planes.all_rows())
    }

    /// Codes of every sample, shape (N, T); -1 where a sample has none.
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        self.planes.codes(self.n_samples).into_pyarray(py).reshape([self.planes.n_series(), self.n_samples])
    }
}

#[pyfunction]
#[pyo3(signature = (values, valid, segments, *, code, bits, tau_max, n_jobs=1, progress=None))]
#[allow(clippy::too_many_arguments, reason = "one keyword each, checked and named in Python")]
pub fn encode<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    valid: Option<PyReadonlyArray2<'py, bool>>,
    segments: Vec<(usize, usize)>,
    code: &str,
    bits: usize,
    tau_max: usize,
    n_jobs: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Planes> {
    let data = PySeries { values, valid, segments };
    let series = data.view()?;
    let code = parse(code)?;
    let planes = run(py, n_jobs, progress.as_ref(), |monitor| encode_series(&series, code, bits, tau_max, monitor))?;
    Ok(Planes { planes, margins: KeptMargins::default(), n_samples: series.n_samples() })
}

fn parse(code: &str) -> Result<Code> {
    match code {
        "trend" => Ok(Code::Trend),
        "level" => Ok(Code::Level),
        "innovation" => Ok(Code::Innovation),
        "even" => Ok(Code::Even),
        other => Err(CoreError::invalid(format!("no code is called {other}"))),
    }
}
