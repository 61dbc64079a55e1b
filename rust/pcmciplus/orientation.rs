//! Orienting pairs at lag 0, and what happens when two rules disagree.

use std::collections::HashSet;

use super::graph::{Graph, Mark};

/// The orientations of one phase. Across phases they don't conflict: a later phase looks at open pairs only.
pub struct Orientation<'a> {
    pub graph: &'a mut Graph,
    done: HashSet<(usize, usize)>,
    mark_conflicts: bool,
}

impl<'a> Orientation<'a> {
    /// Nothing oriented yet. With `mark_conflicts` a pair oriented both ways becomes `x-x`; without, the first wins.
    pub fn new(graph: &'a mut Graph, mark_conflicts: bool) -> Self {
        Self { graph, done: HashSet::new(), mark_conflicts }
    }

    /// Orient `from` --> `to`.
    pub fn orient(&mut self, from: usize, to: usize) {
        let opposed = self.done.contains(&(to, from));
        if opposed && self.mark_conflicts {
            self.graph.set_pair(from, to, Mark::Conflict);
        }
        if !opposed && self.done.insert((from, to)) {
            self.graph.set_pair(from, to, Mark::Forward);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(orders: &[(usize, usize)], mark_conflicts: bool) -> Mark {
        let mut graph = Graph::empty(2, 0);
        graph.set_pair(0, 1, Mark::Undirected);
        let mut orientation = Orientation::new(&mut graph, mark_conflicts);
        for &(from, to) in orders {
            orientation.orient(from, to);
        }
        graph.at(0, 1, 0)
    }

    #[test]
    fn the_first_orientation_holds_unless_conflicts_are_marked() {
        for mark_conflicts in [false, true] {
            assert_eq!(after(&[(0, 1), (0, 1)], mark_conflicts), Mark::Forward);
            assert_eq!(after(&[(1, 0)], mark_conflicts), Mark::Backward);
        }
        assert_eq!(after(&[(0, 1), (1, 0), (0, 1)], false), Mark::Forward);
        assert_eq!(after(&[(0, 1), (1, 0), (0, 1)], true), Mark::Conflict);
    }
}
