//! PCMCI+: lagged and contemporaneous links with linear partial correlation.
//!
//! PC1 finds lagged parents; the skeleton phase tests every remaining link given subsets of the target's contemporaneous
//! neighbours and the lagged parents of both ends; colliders and then Meek's rules orient what lag 0 leaves open.
//!
//! Runge, J. (2020). Discovering contemporaneous and lagged causal relations in autocorrelated nonlinear time series
//! datasets. UAI 124. Conventions (order of links and conditions, ties, which of two numbers of a pair is reported) are
//! tigramite's, so that its results can be compared number by number.

mod choice;
mod colliders;
mod graph;
mod mci;
mod orientation;
mod output;
mod rules;
mod run;
mod skeleton;

pub use colliders::{ColliderRule, Triple};
pub use graph::{Graph, Mark};
pub use output::{Counts, Numbers, Output, Timings};
pub use run::{Options, run};
pub use skeleton::{Pair, Separators};
