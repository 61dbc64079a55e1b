//! SURD: what a target's past agents say about it, split into redundant, unique and synergistic information.
//!
//! Martínez-Sánchez, Á., Arranz, G., Lozano-Durán, A. (2024). Decomposing causality into its synergistic, unique, and
//! redundant components. Nature Communications 15, 9296.
//!
//! All information is counted in whole units of 2^-50 bit ([`logs`]), so that sums don't depend on their order, equal
//! information is equal in every digit, and the parts add up to the whole exactly.

mod bins;
mod counts;
mod lattice;
mod logs;
mod run;
mod significance;
mod terms;

pub use bins::{Binning, Bins};
pub use run::{Found, Options, Output, Shifts, run};
pub use terms::{Kind, Term};
