//! The collider phase: which unshielded triples i o-o k o-o j are i --> k <-- j.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::graph::{Graph, Mark};
use super::mci::{MciTester, Setting};
use super::orientation::Orientation;
use super::skeleton::{Pair, Separators};
use crate::parallel::Monitor;
use crate::pcmci::{Combinations, Node};

/// How a triple is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColliderRule {
    /// A collider unless k is in the set that separated i and j.
    Separator,
    /// By all neighbour sets that separate i and j: a collider if k is in less than half of them, ambiguous if it is in
    /// exactly half or if there are none.
    Majority,
    /// A collider if k is in none of them, ambiguous if it is in some only.
    Conservative,
}

/// i at some lag, k and j at lag 0; i and k are linked, k o-o j, i and j are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Triple {
    pub i: Node,
    pub k: usize,
    pub j: usize,
}

/// Find colliders and orient them. A separator then has k exactly if the triple was judged not to be a collider.
///
/// Returns the ambiguous triples, which rules must not build on, and the number of tests run; `None`, and a graph as it
/// was, if `monitor` stopped it.
pub fn orient(
    graph: &mut Graph,
    separators: &mut Separators,
    setting: Setting,
    (rule, mark_conflicts): (ColliderRule, bool),
    monitor: &Monitor,
) -> Option<(Vec<Triple>, usize)> {
    let mut triples = unshielded_triples(graph);
    let (mut ambiguous, mut tests) = (Vec::new(), 0);
    if rule == ColliderRule::Separator {
        triples.retain(|t| !separators.get(&t.ends()).is_some_and(|set| set.contains(&t.k)));
    } else {
        let votes = collect_votes(graph, &triples, setting, monitor)?;
        tests = votes.values().map(|v| v.tests).sum();
        triples.retain(|triple| {
            let verdict = votes[&triple.ends()].judge(triple.k, rule);
            if verdict == Verdict::Ambiguous {
                ambiguous.push(*triple);
            } else {
                triple.correct(separators, verdict);
            }
            verdict == Verdict::Collider
        });
    }
    let mut orientation = Orientation::new(graph, mark_conflicts);
    for Triple { i, k, j } in triples {
        orientation.orient(j, k);
        if i.lag == 0 {
            orientation.orient(i.series, k);
        }
    }
    Some((ambiguous, tests))
}

/// By j, then k, then i: the order that decides which orientation is the first.
fn unshielded_triples(graph: &Graph) -> Vec<Triple> {
    let mut triples = Vec::new();
    for j in 0..graph.n_series() {
        for (k, _) in graph.neighbours_now(j).filter(|&(_, mark)| mark == Mark::Undirected) {
            for (i, mark) in graph.neighbours(k) {
                let apart = graph.at(i.series, j, i.lag) == Mark::Absent && (i.series, i.lag) != (j, 0);
                if apart && matches!(mark, Mark::Undirected | Mark::Forward) {
                    triples.push(Triple { i, k, j });
                }
            }
        }
    }
    triples
}

impl Triple {
    fn ends(&self) -> Pair {
        Pair { source: self.i.series, lag: self.i.lag, target: self.j }
    }

    /// Take k out of the separator of the ends, or put it in, in both directions of a pair at lag 0.
    fn correct(&self, separators: &mut Separators, verdict: Verdict) {
        let there = self.ends();
        let back = (there.lag == 0).then_some(Pair { source: self.j, lag: 0, target: self.i.series });
        for pair in [Some(there), back].into_iter().flatten() {
            let set = separators.entry(pair).or_default();
            if verdict == Verdict::Collider {
                set.retain(|&k| k != self.k);
            } else if !set.contains(&self.k) {
                set.push(self.k);
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Collider,
    NotCollider,
    Ambiguous,
}

/// How many neighbour sets separate a pair, and how many of those have each series.
#[derive(Debug, Clone, Default)]
struct Votes {
    separating: usize,
    with: BTreeMap<usize, usize>,
    tests: usize,
}

impl Votes {
    fn judge(&self, k: usize, rule: ColliderRule) -> Verdict {
        let with = self.with.get(&k).copied().unwrap_or(0);
        let without = self.separating - with;
        match rule {
            _ if self.separating == 0 => Verdict::Ambiguous,
            ColliderRule::Conservative if with > 0 && without > 0 => Verdict::Ambiguous,
            _ if with == without => Verdict::Ambiguous,
            _ if with < without => Verdict::Collider,
            _ => Verdict::NotCollider,
        }
    }

    fn count(&mut self, set: &[usize], dependent: bool) {
        self.tests += 1;
        if !dependent {
            self.separating += 1;
            for &k in set {
                *self.with.entry(k).or_default() += 1;
            }
        }
    }
}

/// Votes on the ends of every triple; each pair once, whatever stands between.
fn collect_votes(
    graph: &Graph,
    triples: &[Triple],
    setting: Setting,
    monitor: &Monitor,
) -> Option<BTreeMap<Pair, Votes>> {
    let mut pairs: Vec<Pair> = triples.iter().map(Triple::ends).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let vote = |pair: Pair| {
        let mut tester = MciTester::new(setting, pair.target);
        tester.choose(Node { series: pair.source, lag: pair.lag });
        let mut votes = Votes::default();
        for set in neighbour_sets(graph, pair) {
            monitor.check().ok()?;
            votes.count(&set, tester.test(&set).dependent);
        }
        Some((pair, votes))
    };
    pairs.into_par_iter().map(vote).collect()
}

/// All subsets of the target's contemporaneous neighbours and, at lag 0, of the source's, each once.
fn neighbour_sets(graph: &Graph, pair: Pair) -> impl Iterator<Item = Vec<usize>> {
    let of = |series| graph.neighbours_now(series).map(|(k, _)| k).collect::<Vec<usize>>();
    let of_target = of(pair.target);
    let of_source = if pair.lag == 0 { of(pair.source) } else { Vec::new() };
    let known = of_target.clone();
    let new = move |set: &Vec<usize>| !set.iter().all(|k| known.contains(k));
    subsets(of_target).chain(subsets(of_source).filter(new))
}

/// The subsets of a list by size, the empty one first.
fn subsets(list: Vec<usize>) -> impl Iterator<Item = Vec<usize>> {
    let n = list.len();
    let mut size = 0;
    let mut sets = Some(Combinations::new(n, 0));
    std::iter::from_fn(move || {
        let current = sets.as_mut()?;
        let set = current.current().iter().map(|&k| list[k]).collect();
        if !current.advance() {
            size += 1;
            sets = (size <= n).then(|| Combinations::new(n, size));
        }
        Some(set)
    })
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Ambiguous, Collider, NotCollider};
    use super::*;

    fn pairs(n: usize, undirected: &[(usize, usize)]) -> Graph {
        let mut graph = Graph::empty(n, 1);
        for &(i, j) in undirected {
            graph.set_pair(i, j, Mark::Undirected);
        }
        graph
    }

    #[test]
    fn triples_are_unshielded_and_come_from_both_ends() {
        let mut graph = pairs(4, &[(0, 1), (1, 2), (1, 3), (2, 3)]);
        graph.link_lagged(Node { series: 1, lag: 1 }, 1);
        let found: Vec<_> = unshielded_triples(&graph).iter().map(|t| (t.i.series, t.i.lag, t.k, t.j)).collect();
        assert_eq!(
            found,
            [(1, 1, 1, 0), (2, 0, 1, 0), (3, 0, 1, 0), (0, 0, 1, 2), (1, 1, 1, 2), (0, 0, 1, 3), (1, 1, 1, 3)]
        );
    }

    #[test]
    fn every_subset_comes_once() {
        let graph = pairs(5, &[(0, 2), (0, 3), (1, 3), (1, 4)]);
        let sets: Vec<_> = neighbour_sets(&graph, Pair { source: 0, lag: 0, target: 1 }).collect();
        assert_eq!(sets, [vec![], vec![3], vec![4], vec![3, 4], vec![2], vec![2, 3]]);
        let lagged = neighbour_sets(&graph, Pair { source: 0, lag: 1, target: 1 });
        assert_eq!(lagged.count(), 4);
        assert_eq!(subsets(vec![]).collect::<Vec<_>>(), [Vec::<usize>::new()]);
    }

    #[test]
    fn rules_judge_by_the_share_of_separating_sets_with_k() {
        let votes = |separating, with| Votes { separating, with: BTreeMap::from([(7, with)]), tests: 0 };
        let both = |separating, with| {
            [ColliderRule::Majority, ColliderRule::Conservative].map(|rule| votes(separating, with).judge(7, rule))
        };
        assert_eq!(both(0, 0), [Ambiguous, Ambiguous]);
        assert_eq!(both(4, 0), [Collider, Collider]);
        assert_eq!(both(4, 1), [Collider, Ambiguous]);
        assert_eq!(both(4, 2), [Ambiguous, Ambiguous]);
        assert_eq!(both(4, 3), [NotCollider, Ambiguous]);
        assert_eq!(both(4, 4), [NotCollider, NotCollider]);
    }

    #[test]
    fn separators_follow_the_verdict_in_both_directions() {
        let (there, back) = (Pair { source: 0, lag: 0, target: 2 }, Pair { source: 2, lag: 0, target: 0 });
        let triple = Triple { i: Node { series: 0, lag: 0 }, k: 1, j: 2 };
        let mut separators = Separators::from([(there, vec![3])]);
        triple.correct(&mut separators, Verdict::NotCollider);
        assert_eq!((&separators[&there], &separators[&back]), (&vec![3, 1], &vec![1]));
        triple.correct(&mut separators, Verdict::Collider);
        assert_eq!((&separators[&there], &separators[&back]), (&vec![3], &vec![]));
    }
}
