//! Which links a run may test, and which it takes as given.

use crate::error::{CoreError, Result};

/// A lagged variable: series `series` at t - `lag`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub series: usize,
    pub lag: usize,
}

/// Assumed links as (N, N, `tau_max` + 1) flags, indexed [source, target, tau].
///
/// A lag-0 pair with one direction only is a directed contemporaneous link, as `-?>` is in tigramite. A required link
/// counts as present without a test; whatever is in neither array counts as absent.
#[derive(Debug, Clone, Copy)]
pub struct Links<'a> {
    allowed: &'a [bool],
    required: Option<&'a [bool]>,
    n_series: usize,
    tau_max: usize,
}

impl<'a> Links<'a> {
    /// Check shapes and wrap; a series at lag 0 must not be linked with itself.
    pub fn new(allowed: &'a [bool], required: Option<&'a [bool]>, n_series: usize, tau_max: usize) -> Result<Self> {
        let size = n_series * n_series * (tau_max + 1);
        if allowed.len() != size || required.is_some_and(|r| r.len() != size) {
            return Err(CoreError::invalid("links must have shape (N, N, tau_max + 1)"));
        }
        let links = Self { allowed, required, n_series, tau_max };
        if (0..n_series).any(|i| links.assumes(i, i, 0)) {
            return Err(CoreError::invalid("a series at lag 0 can't be linked with itself"));
        }
        Ok(links)
    }

    /// Number of series N.
    pub fn n_series(&self) -> usize {
        self.n_series
    }

    /// Largest lag of a link.
    pub fn tau_max(&self) -> usize {
        self.tau_max
    }

    /// Position of [source, target, tau] in every array of a run.
    pub fn index(&self, source: usize, target: usize, tau: usize) -> usize {
        (source * self.n_series + target) * (self.tau_max + 1) + tau
    }

    /// Whether the link is present without a test.
    pub fn requires(&self, source: usize, target: usize, tau: usize) -> bool {
        self.required.is_some_and(|r| r[self.index(source, target, tau)])
    }

    /// Whether the link may exist.
    pub fn assumes(&self, source: usize, target: usize, tau: usize) -> bool {
        self.allowed[self.index(source, target, tau)] || self.requires(source, target, tau)
    }

    /// Sources of assumed links into `target`, by series, then lag: the order that decides ties.
    pub fn into_target(&self, target: usize) -> impl Iterator<Item = Node> + '_ {
        let lags = 0..=self.tau_max;
        let all = (0..self.n_series).flat_map(move |series| lags.clone().map(move |lag| Node { series, lag }));
        all.filter(move |n| self.assumes(n.series, target, n.lag))
    }

    /// Largest lag of any assumed link.
    pub fn largest_lag(&self) -> usize {
        (0..self.n_series).flat_map(|j| self.into_target(j)).map(|n| n.lag).max().unwrap_or(0)
    }
}
