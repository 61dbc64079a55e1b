//! What the tests of one source at four lags in a row share: the correlations among its shifted parents and itself.
//!
//! Moved by one lag, all these columns move by one in the matrix, so that four tests lie side by side. In a large matrix
//! each of the numbers lies on another page; packed, they are read once and stay in the cache for all targets.

use rayon::prelude::*;

use super::kernel::Four;
use super::links::{Links, Node};
use crate::cov::Correlations;

/// Tests in a block: one a lane.
const LANES: usize = 4;

/// Correlations among the shifted parents and the source, at one lag a lane.
pub struct Block {
    /// Of the first lag; at the next ones they are the next ones.
    pub columns: Vec<usize>,
    /// The upper triangle, row by row; zeros at a lag that is not held.
    correlations: Vec<Four>,
    /// Whether the matrix holds all columns of a lag, and the source varies there.
    pub held: [bool; LANES],
}

impl Block {
    /// `nodes` are the shifted parents, then the source; `None` if the matrix does not hold them at the first lag.
    fn new(matrix: &Correlations, nodes: &[Node]) -> Option<Self> {
        let x = nodes.last()?;
        let held = |lane: usize| nodes.iter().all(|n| matrix.has(n.series, n.lag + lane));
        if !held(0) {
            return None;
        }
        let held = std::array::from_fn(|lane| held(lane) && matrix.varies(x.series, x.lag + lane));
        let columns: Vec<usize> = nodes.iter().map(|n| matrix.index(n.series, n.lag)).collect();
        let mut correlations = vec![[0.0; LANES]; columns.len() * (columns.len() + 1) / 2];
        for lane in (0..LANES).filter(|&lane| held[lane]) {
            let pairs = columns.iter().enumerate().flat_map(|(p, &a)| {
                let line = matrix.line(a + lane);
                columns[p..].iter().map(move |&b| line.at(b + lane))
            });
            correlations.iter_mut().zip(pairs).for_each(|(four, value)| four[lane] = value);
        }
        Some(Self { columns, correlations, held })
    }

    /// Rows of the upper triangle, each from its diagonal on.
    pub fn rows(&self) -> impl Iterator<Item = &[Four]> {
        let mut rest = &self.correlations[..];
        (1..=self.columns.len()).rev().map(move |length| {
            let row;
            (row, rest) = rest.split_at(length);
            row
        })
    }
}

/// The blocks of every source, one for every four lags.
pub struct SourceBlocks {
    first_lag: usize,
    of_source: usize,
    blocks: Vec<Option<Block>>,
}

impl SourceBlocks {
    /// More parents than this make a block that is no longer small.
    const MOST_PARENTS: usize = 64;
    /// A block is worth its work from so many targets on.
    const TARGETS: usize = 8;

    /// Blocks for links of sources with these parents, at most `most` of each counting; none for a source with many
    /// parents. `None` where few links share a block.
    pub fn new(matrix: &Correlations, links: &Links, parents: &[Vec<Node>], most: usize) -> Option<Self> {
        Self::are_shared(links).then(|| Self::of_all(matrix, links, parents, most))
    }

    /// Whether many links share a block.
    pub fn are_shared(links: &Links) -> bool {
        links.count() >= Self::TARGETS * links.n_series() * (links.tau_max() + 1)
    }

    /// As [`SourceBlocks::new`], however few links share a block.
    pub fn of_all(matrix: &Correlations, links: &Links, parents: &[Vec<Node>], most: usize) -> Self {
        let lags = || (0..links.n_series()).flat_map(|target| links.into_target(target).map(|x| x.lag));
        let first_lag = lags().min().unwrap_or(0);
        let of_source = (links.tau_max() + 1 - first_lag).div_ceil(LANES);
        let of = |at: usize| {
            let x = Node { series: at / of_source, lag: first_lag + LANES * (at % of_source) };
            let parents = parents[x.series].iter().take(most);
            let nodes = parents.map(|p| Node { series: p.series, lag: p.lag + x.lag }).filter(|&z| z != x).chain([x]);
            let nodes: Vec<Node> = nodes.collect();
            if nodes.len() <= Self::MOST_PARENTS + 1 { Block::new(matrix, &nodes) } else { None }
        };
        let blocks = (0..links.n_series() * of_source).into_par_iter().map(of).collect();
        Self { first_lag, of_source, blocks }
    }

    /// Number of the block of a source at a lag of a link, and the lane in it.
    pub fn place(&self, x: Node) -> (usize, usize) {
        let lag = x.lag - self.first_lag;
        (x.series * self.of_source + lag / LANES, lag % LANES)
    }

    /// The block of a number.
    pub fn get(&self, number: usize) -> Option<&Block> {
        self.blocks[number].as_ref()
    }
}
