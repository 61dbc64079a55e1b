//! Which links may have a coefficient.

use crate::error::{CoreError, Result};
use crate::series::Series;

/// Allowed links, indexed [source, target, tau].
pub struct Support<'a> {
    allowed: &'a [bool],
    n: usize,
    n_lags: usize,
}

impl<'a> Support<'a> {
    /// Links of `n` series up to lag `max_lag`, laid out (n, n, `max_lag` + 1).
    pub fn new(allowed: &'a [bool], n: usize, max_lag: usize) -> Result<Self> {
        if allowed.len() != n * n * (max_lag + 1) {
            return Err(CoreError::invalid("links must have shape (N, N, max_lag + 1)"));
        }
        Ok(Self { allowed, n, n_lags: max_lag + 1 })
    }

    /// An error unless the links are those of as many series.
    pub fn check(&self, series: &Series) -> Result<()> {
        let right = self.n == series.n_series();
        right.then_some(()).ok_or_else(|| CoreError::invalid("links must be of as many series as there are"))
    }

    /// Number of series.
    pub fn n_series(&self) -> usize {
        self.n
    }

    /// Largest lag.
    pub fn max_lag(&self) -> usize {
        self.n_lags - 1
    }

    /// Place of a link in the array.
    pub fn index(&self, source: usize, target: usize, lag: usize) -> usize {
        (source * self.n + target) * self.n_lags + lag
    }

    /// Whether a link is allowed.
    pub fn has(&self, source: usize, target: usize, lag: usize) -> bool {
        self.allowed[self.index(source, target, lag)]
    }

    /// Columns of the lagged links into `target`, `left_out` sources skipped, by source, then lag.
    pub fn lagged(&self, target: usize, left_out: &[bool]) -> Vec<usize> {
        let sources = (0..self.n).filter(|&i| !left_out[i]);
        let links = sources.flat_map(|i| (1..self.n_lags).map(move |a| (i, a)));
        links.filter(|&(i, a)| self.has(i, target, a)).map(|(i, a)| i * self.n_lags + a).collect()
    }

    /// Columns that the autoregression of `target` needs: the lagged links into it and into all that may reach it within
    /// the same sample.
    ///
    /// `x = (I - B_0)^-1 (B_1 x(t-1) + ...)`: what drives an ancestor at lag 0 drives the target too. Without it the
    /// residuals would still depend on the past.
    pub fn reduced_form(&self, target: usize, left_out: &[bool]) -> Vec<usize> {
        let mut ancestors = vec![target];
        let mut next = 0;
        while let Some(&reached) = ancestors.get(next) {
            let new: Vec<_> =
                (0..self.n).filter(|&i| !left_out[i] && !ancestors.contains(&i) && self.has(i, reached, 0)).collect();
            ancestors.extend(new);
            next += 1;
        }
        let mut columns: Vec<_> = ancestors.iter().flat_map(|&i| self.lagged(i, left_out)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reduced_form_has_the_pasts_of_all_ancestors_at_lag_0() {
        // 0 -> 1 -> 2 within a sample; each has one lagged link: 3 -> 0, 1 -> 1, 2 -> 2.
        let mut allowed = vec![false; 4 * 4 * 2];
        for (i, j, a) in [(0, 1, 0), (1, 2, 0), (3, 0, 1), (1, 1, 1), (2, 2, 1)] {
            allowed[(i * 4 + j) * 2 + a] = true;
        }
        let support = Support::new(&allowed, 4, 1).unwrap();
        let none = [false; 4];
        assert_eq!(support.lagged(2, &none), [5]);
        assert_eq!(support.reduced_form(2, &none), [3, 5, 7]);
        assert_eq!(support.reduced_form(0, &none), [7]);
        assert_eq!(support.reduced_form(2, &[false, true, false, false]), [5]);
        assert!(Support::new(&allowed, 4, 2).is_err());
    }
}
