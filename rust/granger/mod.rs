//! Linear Granger causality: does the past of a source improve the least-squares prediction of a target?
//!
//! Granger, C. W. J. (1969). Investigating causal relations by econometric models and cross-spectral methods.
//! Econometrica 37, 424-438. Geweke, J. (1982). Measurement of linear dependence and feedback between multiple time
//! series. J. Am. Stat. Assoc. 77, 304-313 (the measure `ln(RSS_r / RSS_f)`, and its conditional form in 79, 907-915).
//!
//! Rows are t in [`tau_max`, T) of every data set. A model has an intercept and lagged columns; a source's columns are
//! tested as one block by F, and each column alone by t. Everything is read from lagged correlations, in which the
//! target's total sum of squares is 1:
//!
//! ```text
//! A = correlations of the columns = L L^T,   g = their correlations with the target,   M = L^-1
//! z = M g,   RSS_f = 1 - z'z,   b = M^T z,   A^-1 = M^T M
//! RSS_r - RSS_f = b_S' ((A^-1)_SS)^-1 b_S                  for a block S of columns
//! r_k = b_k / sqrt(b_k^2 + RSS_f (A^-1)_kk)                partial correlation of column k, t = r sqrt(df / (1 - r^2))
//! ```

mod bivariate;
mod columns;
mod conditional;
mod fit;
mod output;
mod run;

pub use bivariate::Lags;
pub use output::{LinkTest, Output, PairTest};
pub use run::{Form, run};
