//! Lag search: shifted XOR and popcount over every (source, target, lag), and the associations that the counts carry.

mod above;
mod association;
mod block;
mod dense;
mod margin;
mod scan;
#[cfg(test)]
mod tests;
mod top;

pub use above::{above, autocorrelations};
pub use dense::{Measure, search, search_into};
pub use margin::KeptMargins;
pub use top::{Pick, top_k};
