//! Which links a run may test, and which it takes as given.

use crate::error::{CoreError, Result};

/// A lagged variable: series `series` at t - `lag`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    pub series: usize,
    pub lag: usize,
}

/// Assumed links as (N, N, `tau_max` + 1) flags, indexed [source, target, tau].
///
/// A lag-0 pair with one direction only is a directed contemporaneous link, as `-?>` is in tigramite. A required link
/// counts as present without a test; whatever is in neither array counts as absent.
#[derive(Debug, Clone)]
pub struct Links<'a> {
    allowed: &'a [bool],
    required: Option<&'a [bool]>,
    n_series: usize,
    tau_max: usize,
    /// Sources of the links into each target, in the order that decides ties.
    sources: Vec<Vec<Node>>,
}

impl<'a> Links<'a> {
    /// Check shapes and wrap; a series at lag 0 must not be linked with itself.
    pub fn new(allowed: &'a [bool], required: Option<&'a [bool]>, n_series: usize, tau_max: usize) -> Result<Self> {
        let size = n_series * n_series * (tau_max + 1);
        if allowed.len() != size || required.is_some_and(|r| r.len() != size) {
            return Err(CoreError::invalid("links must have shape (N, N, tau_max + 1)"));
        }
        let mut links = Self { allowed, required, n_series, tau_max, sources: Vec::new() };
        if (0..n_series).any(|i| links.assumes(i, i, 0)) {
            return Err(CoreError::invalid("a series at lag 0 can't be linked with itself"));
        }
        links.sources = (0..n_series).map(|target| links.by_series_then_lag(target)).collect();
        Ok(links)
    }

    /// The same links in another order, which decides ties: the sources of every target, each once.
    pub fn in_order(mut self, sources: Vec<Vec<Node>>) -> Result<Self> {
        let key = |n: &Node| (n.series, n.lag);
        let sorted = |nodes: &[Node]| {
            let mut nodes = nodes.to_vec();
            nodes.sort_by_key(key);
            nodes
        };
        if sources.len() != self.n_series || !self.sources.iter().zip(&sources).all(|(a, b)| *a == sorted(b)) {
            return Err(CoreError::invalid("the order must name the sources of every target's links, each once"));
        }
        self.sources = sources;
        Ok(self)
    }

    fn by_series_then_lag(&self, target: usize) -> Vec<Node> {
        let all = (0..self.n_series).flat_map(|series| (0..=self.tau_max).map(move |lag| Node { series, lag }));
        all.filter(|n| self.assumes(n.series, target, n.lag)).collect()
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

    /// Sources of assumed links into `target`, in the order that decides ties; by series, then lag, unless another one
    /// was given.
    pub fn into_target(&self, target: usize) -> impl Iterator<Item = Node> + '_ {
        self.sources[target].iter().copied()
    }

    /// Number of assumed links.
    pub fn count(&self) -> usize {
        self.sources.iter().map(Vec::len).sum()
    }

    /// Largest lag of any assumed link.
    pub fn largest_lag(&self) -> usize {
        self.sources.iter().flatten().map(|n| n.lag).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_names_every_source_once() {
        let mut allowed = vec![true; 2 * 2 * 2];
        // A series with itself at lag 0.
        (allowed[0], allowed[6]) = (false, false);
        let links = Links::new(&allowed, None, 2, 1).unwrap();
        let node = |series, lag| Node { series, lag };
        let (a, b, c) = (node(0, 1), node(1, 0), node(1, 1));
        assert_eq!(links.into_target(0).collect::<Vec<_>>(), [a, b, c]);
        let of_1 = vec![node(0, 0), node(0, 1), node(1, 1)];
        let ordered = links.clone().in_order(vec![vec![c, a, b], of_1.clone()]).unwrap();
        assert_eq!(ordered.into_target(0).collect::<Vec<_>>(), [c, a, b]);
        for wrong in [vec![a, b], vec![a, b, c, c], vec![a, b, node(0, 0)]] {
            assert!(links.clone().in_order(vec![wrong, of_1.clone()]).is_err());
        }
    }
}
