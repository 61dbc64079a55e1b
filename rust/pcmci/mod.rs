//! PCMCI with linear partial correlation: PC1 selects lagged parents, MCI tests every link given both ends' parents.
//!
//! Runge, J. et al. (2019). Detecting and quantifying causal associations in large nonlinear time series datasets.
//! Science Advances 5, eaau4996. Conventions (rows, order of links and conditions, ties) are tigramite's, so that its
//! results can be compared number by number.

mod block;
mod cholesky;
mod combinations;
mod from_rows;
mod given_own;
mod gram;
mod kernel;
mod leave_one_out;
mod level;
mod links;
mod mci;
mod output;
mod pair;
mod pc1;
mod reads;
mod rows;
mod run;
mod table;
mod test;

pub(crate) use combinations::Combinations;
pub use level::Law;
pub(crate) use level::Level;
pub use links::{Links, Node};
pub(crate) use mci::{Limits as MciLimits, set_conditions as set_mci_conditions};
pub use output::{Output, Timings};
pub use pair::{test_pair, test_pair_on_rows};
pub use pc1::{End, Selection};
pub(crate) use pc1::{Limits as PcLimits, Search, aic};
pub(crate) use reads::expected_reads;
pub use rows::Rows;
pub use run::{Options, run};
pub(crate) use run::{check_search, select_all};
pub use test::{Status, Test};
pub(crate) use test::{Tester, Tests};
