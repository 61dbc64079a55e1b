//! The numerical core of `arrow_cd`: bit codes, lag search, screens and exact causal discovery engines.
//!
//! Everything here works on plain slices and needs no Python; `py` (behind the feature `python`) is the only boundary.

pub mod bits;
pub mod cov;
mod dot;
pub mod error;
mod fused;
pub mod granger;
pub mod lags;
pub mod lingam;
pub mod ngc;
pub mod parallel;
pub mod pc;
pub mod pcmci;
pub mod pcmciplus;
pub mod screen;
pub mod series;
pub mod stats;
pub mod surd;
pub mod weave;

#[cfg(feature = "python")]
mod py;
