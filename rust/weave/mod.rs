//! From values to codes: robust ranks, the prepared columns of the screens, and the bit planes of the lag search.

mod code;
mod prepare;
mod ranking;

pub use code::{Code, encode};
pub use prepare::{Prepared, prepare};
pub(crate) use ranking::Ranking;
