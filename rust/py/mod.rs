//! The Python boundary: check, borrow, detach from the interpreter, map errors. No arithmetic here.

mod run;

use pyo3::prelude::*;

/// The compiled core of `arrow_cd`; use the typed wrappers in `arrow_cd` instead.
#[pymodule(gil_used = false)]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
