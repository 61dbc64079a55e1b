//! Lagged correlation on the analysis window: everything that a partial correlation test can ask for, computed once.

mod gemm;
mod lagged;
mod marginals;
mod ranks;
mod scores;
mod sums;
mod triangle;
mod window;

pub(crate) use gemm::{View, multiply_add};
pub use lagged::LaggedCorrelation;
pub use marginals::{Marginals, correlate};
pub use ranks::{Ranking, Scorer};
pub use triangle::{Triangle, dot};
pub use window::{CONSTANT, Roles, Window, is_constant, scale_for};
