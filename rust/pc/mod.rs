//! The PC algorithm on lagged variables: which links into the present no set of other sources explains away.
//!
//! Per target: for d = 0, 1, ... every link left is tested given every d of the others, the strongest first, until a test
//! is not significant; such links leave after the sweep ("stable"). Time orders every pair and links are the same at
//! all times, so that nothing else is tested or oriented. Without hidden causes the target's own neighbours are enough
//! to choose conditions from: its parents separate it from the rest of the past.
//!
//! Spirtes, P., Glymour, C., Scheines, R. (2000). Causation, Prediction, and Search, 2nd ed. MIT Press.
//! Colombo, D., Maathuis, M. H. (2014). Order-independent constraint-based causal structure learning. Journal of Machine
//! Learning Research 15, 3921-3962.

mod copies;
mod output;
mod run;

#[cfg(test)]
mod tests;

pub use output::Output;
pub use run::{Options, run};
