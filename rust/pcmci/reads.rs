//! About how many correlations a search reads, which decides the form they are kept in.

use super::block::SourceBlocks;
use super::links::{Links, Node};

/// PC1 seldom leaves more parents.
const PARENTS: usize = 10;

/// Reads of PC1, unless `parents` are given, and of one test a link given both ends' parents; `most_of_source` of the
/// source's count.
pub fn expected_reads(links: &Links, parents: Option<&[Vec<Node>]>, most_of_source: usize) -> usize {
    let into = |j: usize| links.into_target(j).count();
    let of = |j: usize| parents.map_or_else(|| into(j).div_ceil(2).min(PARENTS), |p| p[j].len());
    let n_parents: Vec<usize> = (0..links.n_series()).map(of).collect();
    // A link's two ends and the conditions of either, each with each.
    let alone = |j: usize| -> usize {
        let given = |x: Node| {
            let of_source = n_parents[x.series].min(most_of_source);
            (1 + n_parents[j]) * (1 + of_source) + of_source * of_source / 2
        };
        links.into_target(j).map(given).sum()
    };
    // All columns with the target's parents; a block for every source and lag.
    let shared = |j: usize| {
        let n_lags = links.tau_max() + 1;
        let of_source = n_parents[j].min(most_of_source);
        2 * n_lags * links.n_series() * (1 + n_parents[j]) + n_lags * of_source * of_source
    };
    let of_pc1 = |j: usize| if parents.is_none() { into(j) * (1 + n_parents[j]) } else { 0 };
    let of_target = |j| of_pc1(j) + if SourceBlocks::are_shared(links) { shared(j).min(alone(j)) } else { alone(j) };
    (0..links.n_series()).map(of_target).sum()
}
