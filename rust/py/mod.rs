//! The Python boundary: check, borrow, detach from the interpreter, map errors. No arithmetic here.
#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]

mod correlations;
mod cpu;
mod granger;
mod lags;
mod lingam;
mod ngc;
mod pc;
mod pcmci;
mod pcmciplus;
mod run;
mod screen;
mod search;
mod stats;
mod surd;
mod weave;

use pyo3::prelude::*;

/// The compiled core of `arrow_cd`; use the typed wrappers in `arrow_cd` instead.
#[pymodule(gil_used = false)]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<correlations::Correlations>()?;
    m.add_class::<weave::Planes>()?;
    m.add_function(wrap_pyfunction!(correlations::partial_correlation, m)?)?;
    m.add_function(wrap_pyfunction!(cpu::kernels, m)?)?;
    m.add_function(wrap_pyfunction!(granger::granger, m)?)?;
    m.add_function(wrap_pyfunction!(lags::lag_search, m)?)?;
    m.add_function(wrap_pyfunction!(lags::lag_search_top, m)?)?;
    m.add_function(wrap_pyfunction!(lingam::autoregression, m)?)?;
    m.add_function(wrap_pyfunction!(lingam::causal_order, m)?)?;
    m.add_function(wrap_pyfunction!(lingam::structural_fit, m)?)?;
    m.add_function(wrap_pyfunction!(pc::pc, m)?)?;
    m.add_function(wrap_pyfunction!(ngc::ngc, m)?)?;
    m.add_function(wrap_pyfunction!(pcmci::pcmci, m)?)?;
    m.add_function(wrap_pyfunction!(pcmciplus::pcmciplus, m)?)?;
    m.add_function(wrap_pyfunction!(screen::screen, m)?)?;
    m.add_function(wrap_pyfunction!(stats::correlation_pvalues, m)?)?;
    m.add_function(wrap_pyfunction!(stats::f_pvalues, m)?)?;
    m.add_function(wrap_pyfunction!(stats::student_t_critical, m)?)?;
    m.add_function(wrap_pyfunction!(stats::student_t_pvalues, m)?)?;
    m.add_function(wrap_pyfunction!(surd::surd, m)?)?;
    m.add_function(wrap_pyfunction!(weave::encode, m)?)?;
    Ok(())
}
