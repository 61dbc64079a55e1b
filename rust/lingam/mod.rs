//! `VARLiNGAM`: an autoregression, the causal order of its residuals (`DirectLiNGAM`), and the structural coefficients
//! that the order allows.
//!
//! ```text
//! x(t) = M_1 x(t-1) + ... + M_L x(t-L) + r(t)         autoregression
//! r(t) = B_0 r(t) + e(t), e independent, not Gaussian  order
//! x(t) = B_0 x(t) + B_1 x(t-1) + ... + e(t)            structure
//! ```
//!
//! Everything but the order follows from the correlations of lagged columns. The order needs the residuals themselves.

mod autoregression;
mod columns;
mod entropy;
mod factor;
mod kernel;
mod lasso;
mod order;
mod round;
mod structure;
mod support;

pub use autoregression::{Autoregression, autoregress};
pub use lasso::Shrinkage;
pub use order::{Denominator, Ordering, causal_order};
pub use structure::{Structure, fit_structure};
pub use support::Support;
