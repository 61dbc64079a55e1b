//! Which samples a run may use, as the caller asks for them.

use crate::cov::{Roles, Window};
use crate::error::Result;
use crate::series::Series;

/// A choice of rows; the default is every row t in [t0, T) of every data set, where t0 is 2 `tau_max` in a search.
#[derive(Debug, Clone, Default)]
pub struct Rows<'a> {
    /// Only these sample indices, as often as they are named.
    pub samples: Option<Vec<usize>>,
    /// True where a sample is masked (laid out as the values), and in which roles that excludes a row.
    pub mask: Option<(&'a [bool], Roles)>,
    /// Lose the t0 rows after one with a missing sample, too.
    pub lose_after_missing: bool,
}

impl<'a> Rows<'a> {
    /// The window of rows t >= `t0` for lags up to `reach`.
    pub fn window(&self, series: &'a Series<'a>, reach: usize, t0: usize) -> Result<Window<'a>> {
        let window = match &self.samples {
            Some(samples) => Window::of_samples(series, reach, t0, samples)?,
            None => Window::new(series, reach, t0)?,
        };
        let window = match self.mask {
            Some((masked, roles)) => window.masked(masked, roles)?,
            None => window,
        };
        Ok(if self.lose_after_missing { window.losing_after_missing(t0) } else { window })
    }
}
