//! Neural Granger causality: per target one small network whose inputs are its candidates, with a penalty that
//! switches whole inputs off.
//!
//! Tank et al. (2022), Neural Granger causality, IEEE TPAMI 44, 4267-4279: the component-wise perceptron, its three
//! penalties and proximal gradient steps. The network is `offset + outgoing' relu(weights' z + bias)`.

mod columns;
mod fit;
mod kernel;
mod network;
mod penalty;
mod run;
mod stream;

pub use columns::Column;
pub use fit::{End, Fit, Training};
pub use penalty::Penalty;
pub use run::{Options, Output, TargetFit, run};
