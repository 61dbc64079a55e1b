//! How well a graph fits, to choose among several levels.

use super::graph::{Graph, Mark};
use crate::pcmci::{Links, Node, Tests, aic};

/// Akaike's criterion, averaged over the targets, of regressions on their parents in a directed graph of `graph`'s
/// Markov equivalence class; smaller is better. `val` are the values of all links.
pub fn score(graph: &Graph, links: &Links, val: &[f64], tests: &Tests) -> f64 {
    let n = graph.n_series();
    let lags = 0..=links.tau_max();
    let strength = |target| -> f64 {
        let of_source = |i| lags.clone().map(move |lag| val[links.index(i, target, lag)].abs());
        (0..n).flat_map(of_source).sum()
    };
    let strengths: Vec<f64> = (0..n).map(strength).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]).then(b.cmp(&a)));
    let directed = orient_open(graph, &order);
    let criterion = |target| {
        let into = directed.neighbours(target).filter(|&(_, mark)| mark == Mark::Forward);
        let parents: Vec<Node> = into.map(|(node, _)| node).collect();
        aic(&parents, &mut tests.of_target(target))
    };
    (0..n).map(criterion).sum::<f64>() / n as f64
}

/// Orient the open pairs without making new unshielded colliders.
///
/// One series after the other whose open neighbours are all linked among themselves (the first in `order`) becomes a
/// sink of them. Colombo, D. and Maathuis, M. H. (2014). JMLR 15, lemma 7.6.
fn orient_open(graph: &Graph, order: &[usize]) -> Graph {
    let (mut directed, mut open) = (graph.clone(), graph.clone());
    while let Some((sink, sources)) = order.iter().find_map(|&j| Some((j, simplicial_neighbours(&open, j)?))) {
        for source in sources {
            directed.set_pair(source, sink, Mark::Forward);
            open.set_pair(source, sink, Mark::Absent);
        }
    }
    directed
}

/// The open neighbours of a series, if it has any and they are all linked among themselves.
///
/// An arrow between two of them counts if it points from the later series to the earlier one: tigramite's way.
fn simplicial_neighbours(open: &Graph, series: usize) -> Option<Vec<usize>> {
    let around = open.neighbours_now(series).filter(|&(_, mark)| mark == Mark::Undirected);
    let neighbours: Vec<usize> = around.map(|(k, _)| k).collect();
    let linked = |a: usize, b: usize| matches!(open.at(a, b, 0), Mark::Undirected | Mark::Backward);
    let all_linked = neighbours.iter().enumerate().all(|(at, &a)| neighbours[at + 1..].iter().all(|&b| linked(a, b)));
    (!neighbours.is_empty() && all_linked).then_some(neighbours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_pairs_are_oriented_without_new_colliders() {
        let mut graph = Graph::empty(4, 0);
        for (i, j) in [(0, 1), (1, 2), (2, 3)] {
            graph.set_pair(i, j, Mark::Undirected);
        }
        // In a chain only the ends are simplicial: 0 is the first sink, then 1, then 2.
        let directed = orient_open(&graph, &[1, 2, 0, 3]);
        assert_eq!([(1, 0), (2, 1), (3, 2)].map(|(i, j)| directed.at(i, j, 0)), [Mark::Forward; 3]);
        let from_three = orient_open(&graph, &[3, 2, 1, 0]);
        assert_eq!([(2, 3), (1, 2), (0, 1)].map(|(i, j)| from_three.at(i, j, 0)), [Mark::Forward; 3]);
    }

    #[test]
    fn a_series_amid_unlinked_neighbours_is_no_sink() {
        let mut graph = Graph::empty(3, 0);
        graph.set_pair(0, 1, Mark::Undirected);
        graph.set_pair(0, 2, Mark::Undirected);
        assert_eq!(simplicial_neighbours(&graph, 0), None);
        graph.set_pair(1, 2, Mark::Backward);
        assert_eq!(simplicial_neighbours(&graph, 0), Some(vec![1, 2]));
        assert_eq!(simplicial_neighbours(&graph, 1), Some(vec![0]));
    }
}
