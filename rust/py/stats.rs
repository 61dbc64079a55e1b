//! Student-t and F tails and critical values for arrays.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::error::CoreError;
use crate::stats::{f, student_t};

/// Two-sided p-values of partial correlations `r` with `df` degrees of freedom, element by element.
#[pyfunction]
pub fn correlation_pvalues<'py>(
    py: Python<'py>,
    r: PyReadonlyArray1<'py, f64>,
    df: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    by_element(py, &r, &df, student_t::correlation_tail)
}

/// Two-sided p-values of Student's `t` with `df` degrees of freedom, element by element.
#[pyfunction]
pub fn student_t_pvalues<'py>(
    py: Python<'py>,
    t: PyReadonlyArray1<'py, f64>,
    df: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    by_element(py, &t, &df, student_t::tail_of)
}

/// Upper tails of `f` with `df1` and `df2` degrees of freedom, element by element.
#[pyfunction]
pub fn f_pvalues<'py>(
    py: Python<'py>,
    f: PyReadonlyArray1<'py, f64>,
    df1: PyReadonlyArray1<'py, u64>,
    df2: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (f, df1, df2) = (f.as_array(), df1.as_array(), df2.as_array());
    if f.len() != df1.len() || f.len() != df2.len() {
        return Err(CoreError::invalid("statistics and degrees of freedom differ in number").into());
    }
    let p: Vec<f64> = f.iter().zip(df1).zip(df2).map(|((&f, &df1), &df2)| f::tail(f, df1 as usize, df2)).collect();
    Ok(p.into_pyarray(py))
}

/// The t whose two-sided p-value with `df` degrees of freedom is `level`.
#[pyfunction]
pub fn student_t_critical(level: f64, df: f64) -> f64 {
    student_t::critical(level, df)
}

fn by_element<'py>(
    py: Python<'py>,
    x: &PyReadonlyArray1<'py, f64>,
    df: &PyReadonlyArray1<'py, f64>,
    tail: fn(f64, f64) -> f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (x, df) = (x.as_array(), df.as_array());
    if x.len() != df.len() {
        return Err(CoreError::invalid(format!("{} statistics but {} degrees of freedom", x.len(), df.len())).into());
    }
    let p: Vec<f64> = x.iter().zip(df).map(|(&x, &df)| tail(x, df)).collect();
    Ok(p.into_pyarray(py))
}
