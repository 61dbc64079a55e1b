//! The strongest pairs of every target, in bounded memory.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use super::block::Block;
use super::scan::{Plan, Scan, Sink};
use crate::bits::{Planes, kernel};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;

/// One of the strongest pairs of a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pick {
    pub source: usize,
    /// In samples.
    pub lag: usize,
    pub z: f64,
}

impl Pick {
    /// Larger |z| first, then the smaller source, then the smaller lag: a total order, so that results never depend on
    /// the order of the search.
    fn before(&self, other: &Self) -> Ordering {
        let size = other.z.abs().total_cmp(&self.z.abs());
        size.then(self.source.cmp(&other.source)).then(self.lag.cmp(&other.lag))
    }
}

/// The `k` pairs (source, lag) with the largest |z| of every target, strongest first; pairs without any association
/// (z = 0) and a series with itself at lag 0 are left out.
///
/// `allowed`, if given, says which pairs may be picked: `[source][target][lag]` with lags from 0 to the largest of
/// `lags`.
pub fn top_k(
    sources: &Planes,
    targets: &Planes,
    lags: RangeInclusive<usize>,
    k: usize,
    allowed: Option<&[bool]>,
    monitor: &Monitor,
) -> Result<Vec<Vec<Pick>>> {
    let (n_sources, n_targets) = (sources.n_series(), targets.n_series());
    let depth = lags.end() + 1;
    if allowed.is_some_and(|a| a.len() != n_sources * n_targets * depth) {
        return Err(CoreError::invalid("the mask of allowed pairs must have shape (sources, targets, lags)"));
    }
    let allows = |source: usize, target: usize, lag: usize| {
        (source != target || lag > 0) && allowed.is_none_or(|a| a[(source * n_targets + target) * depth + lag])
    };
    let one = |target| Top { k, target, allows: &allows, picks: Vec::new(), least: 0.0, row: Vec::new() };
    let mut tops: Vec<_> = (0..n_targets).map(one).collect();
    let plan = Plan::association(sources, targets);
    Scan::new(sources, targets, lags, plan, kernel::best(), monitor)?.run(&mut tops, monitor)?;
    Ok(tops.into_iter().map(Top::finish).collect())
}

/// The best pairs of one target so far.
struct Top<'a, F> {
    k: usize,
    target: usize,
    allows: &'a F,
    picks: Vec<Pick>,
    /// |z| below which a pair cannot be among the best any more.
    least: f64,
    row: Vec<f64>,
}

impl<F: Fn(usize, usize, usize) -> bool> Top<'_, F> {
    /// Forget all but the best; only when there are twice too many, so that it costs little.
    fn trim(&mut self) {
        if self.picks.len() > self.k {
            if self.k > 0 {
                let (_, last, _) = self.picks.select_nth_unstable_by(self.k - 1, Pick::before);
                self.least = last.z.abs();
            }
            self.picks.truncate(self.k);
        }
    }

    fn finish(mut self) -> Vec<Pick> {
        self.trim();
        self.picks.sort_unstable_by(Pick::before);
        self.picks
    }
}

impl<F: Fn(usize, usize, usize) -> bool + Sync> Sink for Top<'_, F> {
    fn take(&mut self, block: &Block, k: usize) {
        let mut row = std::mem::take(&mut self.row);
        row.resize(block.len, 0.0);
        block.z(k, &mut row);
        for (s, &z) in row.iter().enumerate() {
            if z.abs() < self.least {
                continue;
            }
            let source = block.first_source + s;
            if z != 0.0 && (self.allows)(source, self.target, block.lag) {
                self.picks.push(Pick { source, lag: block.lag, z });
                if self.picks.len() > 2 * self.k {
                    self.trim();
                }
            }
        }
        self.row = row;
    }
}
