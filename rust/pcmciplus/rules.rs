//! Meek's rules R1 to R3, applied until none of them finds anything.

use std::collections::HashSet;

use super::colliders::Triple;
use super::graph::{Graph, Mark};
use super::orientation::Orientation;

/// Orient what follows from the colliders, acyclicity and the absence of further colliders.
///
/// Each rule first finds all its patterns in the graph as it stands, then orients. Triples in `ambiguous` may or may not
/// be colliders, so that R1 leaves them alone; R2 and R3 look at triples with adjacent ends, which are never ambiguous.
pub fn apply_rules(graph: &mut Graph, ambiguous: &[Triple], mark_conflicts: bool) {
    let ambiguous: HashSet<&Triple> = ambiguous.iter().collect();
    let mut orientation = Orientation::new(graph, mark_conflicts);
    loop {
        let mut found = 0;
        for rule in [first_rule, second_rule, third_rule] {
            let orders = rule(orientation.graph, &ambiguous);
            found += orders.len();
            for (from, to) in orders {
                orientation.orient(from, to);
            }
        }
        if found == 0 {
            break;
        }
    }
}

type Orders = Vec<(usize, usize)>;

/// R1: i --> k o-o j with i and j not adjacent, i at any lag: k --> j, for k is no collider.
fn first_rule(graph: &Graph, ambiguous: &HashSet<&Triple>) -> Orders {
    let mut orders = Orders::new();
    for j in 0..graph.n_series() {
        for (k, _) in open_pairs(graph, j) {
            for (i, mark) in graph.neighbours(k) {
                let unshielded = graph.at(i.series, j, i.lag) == Mark::Absent;
                if mark == Mark::Forward && unshielded && !ambiguous.contains(&Triple { i, k, j }) {
                    orders.push((k, j));
                }
            }
        }
    }
    orders
}

/// R2: i --> k --> j and i o-o j: i --> j, for there are no cycles.
fn second_rule(graph: &Graph, _: &HashSet<&Triple>) -> Orders {
    let mut orders = Orders::new();
    for j in 0..graph.n_series() {
        for (k, _) in graph.neighbours_now(j).filter(|&(_, mark)| mark == Mark::Forward) {
            for (i, mark) in graph.neighbours_now(k) {
                if mark == Mark::Forward && graph.at(i, j, 0) == Mark::Undirected {
                    orders.push((i, j));
                }
            }
        }
    }
    orders
}

/// R3: i o-o k --> j and i o-o l --> j with i o-o j, k and l not adjacent: i --> j, for j --> i would make i a collider
/// or a cycle.
fn third_rule(graph: &Graph, _: &HashSet<&Triple>) -> Orders {
    let mut orders = Orders::new();
    for j in 0..graph.n_series() {
        for (i, _) in open_pairs(graph, j) {
            let between = |&(k, mark): &(usize, Mark)| mark == Mark::Forward && graph.at(k, i, 0) == Mark::Undirected;
            let sources: Vec<usize> = graph.neighbours_now(j).filter(between).map(|(k, _)| k).collect();
            let apart = |k: usize, l: usize| k != l && graph.at(k, l, 0) == Mark::Absent;
            if sources.iter().any(|&k| sources.iter().any(|&l| apart(k, l))) {
                orders.push((i, j));
            }
        }
    }
    orders
}

fn open_pairs(graph: &Graph, target: usize) -> impl Iterator<Item = (usize, Mark)> + '_ {
    graph.neighbours_now(target).filter(|&(_, mark)| mark == Mark::Undirected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcmci::Node;
    use proptest::prelude::*;

    /// A graph at lag 0 of undirected pairs and arrows.
    fn graph(n: usize, undirected: &[(usize, usize)], arrows: &[(usize, usize)]) -> Graph {
        let mut graph = Graph::empty(n, 1);
        for (pairs, mark) in [(undirected, Mark::Undirected), (arrows, Mark::Forward)] {
            for &(i, j) in pairs {
                graph.set_pair(i, j, mark);
            }
        }
        graph
    }

    #[test]
    fn the_first_rule_prolongs_an_arrow() {
        let mut chain = graph(4, &[(1, 2), (2, 3)], &[(0, 1)]);
        apply_rules(&mut chain, &[], true);
        assert_eq!(chain, graph(4, &[], &[(0, 1), (1, 2), (2, 3)]));
    }

    #[test]
    fn the_first_rule_starts_from_lagged_links_too() {
        let lagged = |mut graph: Graph| {
            graph.link_lagged(Node { series: 0, lag: 1 }, 0);
            graph
        };
        let mut found = lagged(graph(2, &[(0, 1)], &[]));
        apply_rules(&mut found, &[], true);
        assert_eq!(found, lagged(graph(2, &[], &[(0, 1)])));
    }

    #[test]
    fn the_first_rule_leaves_shielded_and_ambiguous_triples() {
        let shielded = graph(3, &[(1, 2)], &[(0, 1), (0, 2)]);
        let open = graph(3, &[(1, 2)], &[(0, 1)]);
        let triple = Triple { i: Node { series: 0, lag: 0 }, k: 1, j: 2 };
        for (start, ambiguous) in [(shielded, vec![]), (open, vec![triple])] {
            let mut found = start.clone();
            apply_rules(&mut found, &ambiguous, true);
            assert_eq!(found, start);
        }
    }

    #[test]
    fn the_second_rule_avoids_a_cycle() {
        let mut found = graph(3, &[(0, 2)], &[(0, 1), (1, 2)]);
        apply_rules(&mut found, &[], true);
        assert_eq!(found, graph(3, &[], &[(0, 1), (1, 2), (0, 2)]));
    }

    #[test]
    fn the_third_rule_orients_the_middle_of_a_diamond() {
        let undirected = [(0, 1), (0, 2), (0, 3)];
        let mut found = graph(4, &undirected, &[(1, 3), (2, 3)]);
        apply_rules(&mut found, &[], true);
        assert_eq!(found, graph(4, &undirected[..2], &[(1, 3), (2, 3), (0, 3)]));
        let mut adjacent = graph(4, &[(0, 1), (0, 2), (0, 3), (1, 2)], &[(1, 3), (2, 3)]);
        let start = adjacent.clone();
        apply_rules(&mut adjacent, &[], true);
        assert_eq!(adjacent, start);
    }

    #[test]
    fn two_arrows_into_both_ends_of_a_pair_are_a_conflict() {
        let conflict = |mark_conflicts| {
            let mut found = graph(4, &[(1, 2)], &[(0, 1), (3, 2)]);
            apply_rules(&mut found, &[], mark_conflicts);
            found.at(1, 2, 0)
        };
        assert_eq!(conflict(true), Mark::Conflict);
        // Targets are visited in order: 1 gets its arrow from 2 first.
        assert_eq!(conflict(false), Mark::Backward);
    }

    proptest! {
        /// Every pair of five series, and every own link at lag 1, gets a mark of its own.
        #[test]
        fn only_open_pairs_change_and_nothing_is_left_to_do(
            pairs in prop::collection::vec(0_usize..5, 10),
            lagged in prop::collection::vec(any::<bool>(), 5),
            mark_conflicts in any::<bool>(),
        ) {
            let mut start = Graph::empty(5, 1);
            let every = (0..5).flat_map(|i| (0..i).map(move |j| (i, j)));
            for ((i, j), mark) in every.zip(&pairs) {
                let marks = [Mark::Absent, Mark::Undirected, Mark::Forward, Mark::Backward, Mark::Undirected];
                start.set_pair(i, j, marks[*mark]);
            }
            for series in (0..5).filter(|&series| lagged[series]) {
                start.link_lagged(Node { series, lag: 1 }, series);
            }
            let mut found = start.clone();
            apply_rules(&mut found, &[], mark_conflicts);
            for (before, after) in start.marks().iter().zip(found.marks()) {
                prop_assert!(before == after || *before == Mark::Undirected && *after != Mark::Absent);
                prop_assert!(mark_conflicts || *after != Mark::Conflict);
            }
            let again = found.clone();
            apply_rules(&mut found, &[], mark_conflicts);
            prop_assert_eq!(found, again);
        }
    }
}
