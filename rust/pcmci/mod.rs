//! PCMCI with linear partial correlation: PC1 selects lagged parents, MCI tests every link given both ends' parents.
//!
//! Runge, J. et al. (2019). Detecting and quantifying causal associations in large nonlinear time series datasets.
//! Science Advances 5, eaau4996. Conventions (rows, order of links and conditions, ties) are tigramite's, so that its
//! results can be compared number by number.

mod cholesky;
mod combinations;
mod from_rows;
mod links;
mod mci;
mod output;
mod pc1;
mod rows;
mod run;
mod test;

pub use links::{Links, Node};
pub use output::{Output, Timings};
pub use pc1::Selection;
pub use rows::Rows;
pub use run::{Options, run};
pub use test::{Status, Test};
