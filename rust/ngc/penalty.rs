//! Penalties that switch off inputs, and their proximal operators.
//!
//! The norms are of all weights that leave a column, or a set of columns; a penalty is the sum of the norms of its
//! sets. Its proximal operator at `theta` is the `x` that minimises `theta * penalty(x) + |x - w|^2 / 2`; for sets that
//! are nested or disjoint it shrinks set by set, the small ones first (Jenatton et al. 2011, Proximal methods for
//! hierarchical sparse coding, JMLR 12, 2297-2334).

use super::columns::Column;
use super::network::Network;

/// Which sets of a target's columns have a norm of their own in the penalty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Penalty {
    /// All lags of a source.
    Group,
    /// Every column, and all lags of a source.
    SparseGroup,
    /// Of a source all lags, all but the shortest, and so on to the longest alone: short lags come in first.
    Hierarchical,
}

/// The columns of a target that are penalised, a list per source, the longest lag first.
#[derive(Debug)]
pub struct Groups {
    penalty: Penalty,
    sources: Vec<Vec<usize>>,
}

impl Groups {
    /// Groups of the columns that are not required; those of a source stand together.
    pub fn new(penalty: Penalty, columns: &[Column]) -> Self {
        let mut start = 0;
        let by_source = columns.chunk_by(|a, b| a.source == b.source).map(|chunk| {
            let mut group: Vec<usize> = (start..start + chunk.len()).filter(|&k| !columns[k].required).collect();
            group.sort_by_key(|&k| std::cmp::Reverse(columns[k].lag));
            start += chunk.len();
            group
        });
        Self { penalty, sources: by_source.filter(|group| !group.is_empty()).collect() }
    }

    /// The penalty of a network, without its factor.
    pub fn value(&self, network: &Network) -> f64 {
        let of_group = |group: &Vec<usize>| {
            let squares = group.iter().map(|&k| network.square(k));
            match self.penalty {
                Penalty::Group => squares.sum::<f64>().sqrt(),
                Penalty::SparseGroup => squares.clone().map(f64::sqrt).sum::<f64>() + squares.sum::<f64>().sqrt(),
                Penalty::Hierarchical => {
                    let mut inside = 0.0;
                    squares
                        .map(|square| {
                            inside += square;
                            f64::sqrt(inside)
                        })
                        .sum()
                }
            }
        };
        self.sources.iter().map(of_group).sum()
    }

    /// Replace the weights by the proximal operator at them.
    pub fn shrink(&self, network: &mut Network, theta: f64) {
        for group in &self.sources {
            let mut squares: Vec<f64> = group.iter().map(|&k| network.square(k)).collect();
            let mut factors = vec![1.0; group.len()];
            match self.penalty {
                Penalty::Group => factors.fill(factor(squares.iter().sum(), theta)),
                Penalty::SparseGroup => {
                    for (own, square) in factors.iter_mut().zip(&mut squares) {
                        *own = factor(*square, theta);
                        *square *= *own * *own;
                    }
                    let all = factor(squares.iter().sum(), theta);
                    for own in &mut factors {
                        *own *= all;
                    }
                }
                Penalty::Hierarchical => nested(&squares, theta, &mut factors),
            }
            for (&k, factor) in group.iter().zip(factors) {
                network.column_mut(k).iter_mut().for_each(|w| *w *= factor as f32);
            }
        }
    }
}

/// What a set whose weights have this sum of squares is multiplied by.
fn factor(square: f64, theta: f64) -> f64 {
    if square > theta * theta { 1.0 - theta / square.sqrt() } else { 0.0 }
}

/// Factors of columns in the sets {0}, {0, 1}, {0, 1, 2}, ...: a column shrinks with its first set and all later ones.
fn nested(squares: &[f64], theta: f64, factors: &mut [f64]) {
    let mut inside = 0.0;
    for (own, square) in factors.iter_mut().zip(squares) {
        inside += square;
        *own = factor(inside, theta);
        inside *= *own * *own;
    }
    let mut later = 1.0;
    for own in factors.iter_mut().rev() {
        later *= *own;
        *own = later;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PENALTIES: [Penalty; 3] = [Penalty::Group, Penalty::SparseGroup, Penalty::Hierarchical];

    fn column(source: usize, lag: usize, required: bool) -> Column {
        Column { source, lag, required }
    }

    /// Two sources with three and two lags, one of which is required.
    fn columns() -> [Column; 5] {
        [column(0, 1, false), column(0, 2, false), column(0, 4, false), column(1, 1, false), column(1, 3, true)]
    }

    fn network(weights: &[f32]) -> Network {
        let mut network = Network::zeros(5, 2);
        for k in 0..5 {
            network.column_mut(k)[..2].copy_from_slice(&weights[2 * k..2 * k + 2]);
        }
        network
    }

    proptest! {
        #[test]
        fn nothing_near_the_proximal_point_does_better(
            weights in prop::collection::vec(-1.0_f32..1.0, 10),
            moves in prop::collection::vec(prop::collection::vec(-1.0_f32..1.0, 10), 20),
            theta in 0.01..1.5_f64,
        ) {
            for penalty in PENALTIES {
                let groups = Groups::new(penalty, &columns());
                let start = network(&weights);
                let mut best = start.clone();
                groups.shrink(&mut best, theta);
                prop_assert_eq!(best.column(4), start.column(4));
                let cost = |n: &Network| {
                    let mut gap = n.clone();
                    gap.add(-1.0, &start);
                    theta * groups.value(n) + (0..5).map(|k| gap.square(k)).sum::<f64>() / 2.0
                };
                for (scale, step) in [1.0_f32, 0.1, 0.01].into_iter().flat_map(|s| moves.iter().map(move |m| (s, m))) {
                    let mut other = best.clone();
                    other.add(scale, &network(step));
                    prop_assert!(cost(&best) <= cost(&other) + 1e-6, "{penalty:?}");
                }
            }
        }
    }

    #[test]
    fn a_hierarchy_lets_short_lags_in_first() {
        let mut n = network(&[0.3, 0.0, 0.9, 0.0, 0.2, 0.0, 0.1, 0.0, 0.1, 0.0]);
        Groups::new(Penalty::Hierarchical, &columns()).shrink(&mut n, 0.3);
        let alive: Vec<bool> = (0..5).map(|k| n.square(k) > 0.0).collect();
        assert_eq!(alive, [true, true, false, false, true]);
    }
}
