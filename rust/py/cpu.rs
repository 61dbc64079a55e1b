//! `_core.kernels`.

use pyo3::prelude::*;

use crate::bits::kernel;

/// Names of the XOR kernels that this processor can run; the last one is used.
#[pyfunction]
pub fn kernels() -> Vec<&'static str> {
    kernel::available().iter().map(kernel::Kernel::name).collect()
}
