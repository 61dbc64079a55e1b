//! Lagged correlation on the analysis window: everything that a partial correlation test can ask for, computed once.

mod by_difference;
mod choice;
mod gemm;
mod lagged;
mod marginals;
mod moments;
mod pairwise;
mod ranks;
mod scores;
mod source;
mod sums;
mod triangle;
mod window;

pub use choice::Demand;
pub(crate) use gemm::{View, multiply_add};
pub use lagged::LaggedCorrelation;
pub use marginals::Marginals;
pub use ranks::{Ranking, Scorer};
pub use source::{Correlations, Form, Line};
pub use triangle::Triangle;
pub use window::{CONSTANT, Roles, Window, is_constant, scale_for};
