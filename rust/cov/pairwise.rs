//! Correlations of pairs of columns, each from the rows when it is asked for: the cheapest way to a few of them.

use super::lagged::centred;
use super::moments::{Moments, moments};
use super::ranks::Ranking;
use super::scores::score_columns;
use super::window::Window;
use crate::dot::dot;
use crate::error::Result;
use crate::parallel::Monitor;

/// Columns ready to be multiplied.
#[derive(Debug, Clone)]
pub enum Pairwise<'a> {
    /// Centred series, laid out as the samples are, and the moments of their lagged columns.
    Values { window: &'a Window<'a>, values: Vec<f64>, moments: Vec<Moments> },
    /// Normal scores of every lagged column, with mean 0 and norm 1, or all 0.
    Scores { n_rows: usize, columns: Vec<f64> },
}

impl<'a> Pairwise<'a> {
    /// The columns of a window: normal scores if there is a `ranking`, else values.
    pub fn new(window: &'a Window<'a>, ranking: Option<&Ranking>, monitor: &Monitor) -> Result<Self> {
        if let Some(ranking) = ranking {
            return Ok(Self::Scores { n_rows: window.n_rows(), columns: score_columns(window, ranking, monitor)? });
        }
        let values = centred(window);
        let moments = moments(window, &values, window.rows());
        Ok(Self::Values { window, values, moments })
    }

    /// Whether the column at `c` varies.
    pub fn varies(&self, c: usize) -> bool {
        match self {
            Self::Values { moments, .. } => moments[c].varies(),
            Self::Scores { n_rows, columns } => columns[c * n_rows..][..*n_rows].iter().any(|&v| v != 0.0),
        }
    }

    /// Correlation of the columns at `c` and `d`.
    pub fn entry(&self, c: usize, d: usize) -> f64 {
        if c == d {
            return f64::from(u8::from(self.varies(c)));
        }
        match self {
            Self::Values { window, values, moments } => {
                let (n_samples, n_lags) = (window.series().n_samples(), window.max_lag() + 1);
                let at = |c: usize, t: usize| c / n_lags * n_samples + t - c % n_lags;
                let (x, y) = (c.min(d), c.max(d));
                let products =
                    window.rows().iter().map(|r| dot(&values[at(x, r.start)..][..r.len()], &values[at(y, r.start)..]));
                moments[c].correlation(&moments[d], products.sum(), window.n_rows() as f64)
            }
            Self::Scores { n_rows, columns } => dot(&columns[c * n_rows..][..*n_rows], &columns[d * n_rows..]),
        }
    }
}
