//! The Python boundary: check, borrow, detach from the interpreter, map errors. No arithmetic here.
#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]

mod run;
mod screen;

use pyo3::prelude::*;

/// The compiled core of `arrow_cd`; use the typed wrappers in `arrow_cd` instead.
#[pymodule(gil_used = false)]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_function(wrap_pyfunction!(screen::screen, m)?)?;
    Ok(())
}
