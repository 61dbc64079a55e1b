//! What the tests of all links of one source at one lag share: the correlations among its shifted parents and itself.
//!
//! In a large matrix each of these lies on another page; packed, they are read once and stay in the cache for all targets.

use rayon::prelude::*;

use super::links::{Links, Node};
use crate::cov::Correlations;

/// Correlations among a few columns of the matrix that all vary: the shifted parents, then the source.
pub struct Block {
    pub columns: Vec<usize>,
    /// Square, row by row.
    correlations: Vec<f64>,
}

impl Block {
    fn new(matrix: &Correlations, columns: Vec<usize>) -> Self {
        let row = |&a: &usize| {
            let line = matrix.line(a);
            columns.iter().map(move |&b| line.at(b))
        };
        let correlations = columns.iter().flat_map(row).collect();
        Self { columns, correlations }
    }

    /// Correlations of the column at a position with all of them.
    pub fn row(&self, at: usize) -> &[f64] {
        &self.correlations[at * self.columns.len()..][..self.columns.len()]
    }
}

/// The blocks of every source that varies, at every lag.
pub struct SourceBlocks {
    n_lags: usize,
    /// `[source * n_lags + lag]`
    blocks: Vec<Option<Block>>,
}

impl SourceBlocks {
    /// More parents than this make a block that is no longer small.
    const MOST_PARENTS: usize = 64;
    /// A block is worth its work from so many targets on.
    const TARGETS: usize = 8;

    /// Blocks for links up to `tau_max` of sources with these parents, at most `most` of each counting; none for a source
    /// with many parents. `None` where few links share a block.
    pub fn new(matrix: &Correlations, links: &Links, parents: &[Vec<Node>], most: usize) -> Option<Self> {
        Self::are_shared(links).then(|| Self::of_all(matrix, links, parents, most))
    }

    /// Whether many links share a block.
    pub fn are_shared(links: &Links) -> bool {
        links.count() >= Self::TARGETS * links.n_series() * (links.tau_max() + 1)
    }

    /// As [`SourceBlocks::new`], however few links share a block.
    pub fn of_all(matrix: &Correlations, links: &Links, parents: &[Vec<Node>], most: usize) -> Self {
        let n_lags = links.tau_max() + 1;
        let of = |at: usize| {
            let x = Node { series: at / n_lags, lag: at % n_lags };
            let parents = parents[x.series].iter().take(most);
            let nodes = parents.map(|p| Node { series: p.series, lag: p.lag + x.lag }).filter(|&z| z != x).chain([x]);
            let small = nodes.clone().count() <= Self::MOST_PARENTS + 1;
            let held = nodes.clone().all(|n| matrix.has(n.series, n.lag)) && matrix.varies(x.series, x.lag);
            let columns = nodes.map(|n| matrix.index(n.series, n.lag));
            (small && held).then(|| Block::new(matrix, columns.filter(|&c| matrix.varies_at(c)).collect()))
        };
        Self { n_lags, blocks: (0..links.n_series() * n_lags).into_par_iter().map(of).collect() }
    }

    /// The block of a source at a lag.
    pub fn of(&self, x: Node) -> Option<&Block> {
        self.blocks[x.series * self.n_lags + x.lag].as_ref()
    }
}
