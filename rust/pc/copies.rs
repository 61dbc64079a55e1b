//! Sources that repeat an earlier one: duplicate series, and series that are another one some samples later.
//!
//! Given each other, neither of two copies says anything about the target, so that the search would drop both.

use rayon::prelude::*;

use crate::error::Result;
use crate::parallel::Monitor;
use crate::pcmci::{Links, Node, Tests};

/// A share of variance that is left of one column given another: less is rounding noise of data with some ten digits.
const NOTHING_LEFT: f64 = 1e-10;

/// Pairs of lagged nodes that are copies; the one that comes first by series, then lag, is named first.
pub struct Copies(Vec<(Node, Node)>);

impl Copies {
    /// Compare all lagged sources of the links on the rows of the tests.
    pub fn find(links: &Links, tests: &Tests, monitor: &Monitor) -> Result<Self> {
        let n = links.n_series();
        let is_source = |x: &Node| (0..n).any(|target| links.assumes(x.series, target, x.lag));
        let nodes: Vec<Node> = (0..n)
            .flat_map(|series| (1..=links.tau_max()).map(move |lag| Node { series, lag }))
            .filter(is_source)
            .collect();
        let later_copies = |at: usize| {
            monitor.check()?;
            let first = nodes[at];
            let copies = nodes[at + 1..].iter().copied().filter(|&other| {
                let r = tests.correlation(first, other);
                (1.0 - r) * (1.0 + r) < NOTHING_LEFT
            });
            Ok(copies.map(|copy| (first, copy)).collect::<Vec<_>>())
        };
        let found: Result<Vec<_>> = (0..nodes.len()).into_par_iter().map(later_copies).collect();
        Ok(Self(found?.concat()))
    }

    /// The target's lagged sources without those that copy one before them; a required link always stays.
    pub fn without(&self, links: &Links, target: usize) -> Vec<Node> {
        let mut sources: Vec<Node> = links.into_target(target).filter(|x| x.lag > 0).collect();
        for (first, copy) in &self.0 {
            if sources.contains(first) && !links.requires(copy.series, target, copy.lag) {
                sources.retain(|x| x != copy);
            }
        }
        sources
    }
}
