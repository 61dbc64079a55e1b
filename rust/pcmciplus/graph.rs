//! The graph of a search: a mark for every (source, target, lag).

use crate::pcmci::{Links, Node};

/// The mark of a link as read from its source to its target. Numbers are those of `MARKS` in `native_plus.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    /// No link.
    Absent = 0,
    /// `o-o`
    Undirected = 1,
    /// `-->`
    Forward = 2,
    /// `<--`, at lag 0 only: the other direction of `-->`.
    Backward = 3,
    /// `x-x`: rules oriented it both ways.
    Conflict = 4,
}

/// Marks of all links; both directions of a pair at lag 0 always agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    marks: Vec<Mark>,
    n_series: usize,
    tau_max: usize,
}

impl Graph {
    /// A graph without links.
    pub fn empty(n_series: usize, tau_max: usize) -> Self {
        Self { marks: vec![Mark::Absent; n_series * n_series * (tau_max + 1)], n_series, tau_max }
    }

    /// Number of series N.
    pub fn n_series(&self) -> usize {
        self.n_series
    }

    /// All marks, indexed as [`Links::index`] does.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The mark of `source` at t - `tau` and `target` at t.
    pub fn at(&self, source: usize, target: usize, tau: usize) -> Mark {
        self.marks[self.index(source, target, tau)]
    }

    /// Link x -> target at a lag above 0.
    pub fn link_lagged(&mut self, x: Node, target: usize) {
        debug_assert!(x.lag > 0);
        let at = self.index(x.series, target, x.lag);
        self.marks[at] = Mark::Forward;
    }

    /// Give the pair at lag 0 a mark, read from `source` to `target`.
    pub fn set_pair(&mut self, source: usize, target: usize, mark: Mark) {
        let back = match mark {
            Mark::Forward => Mark::Backward,
            Mark::Backward => Mark::Forward,
            same => same,
        };
        let (there, reverse) = (self.index(source, target, 0), self.index(target, source, 0));
        (self.marks[there], self.marks[reverse]) = (mark, back);
    }

    /// Nodes that share a link with `target` at t, by series, then lag, and the mark from there to the target.
    pub fn neighbours(&self, target: usize) -> impl Iterator<Item = (Node, Mark)> + '_ {
        let nodes = (0..self.n_series).flat_map(|series| (0..=self.tau_max).map(move |lag| Node { series, lag }));
        nodes.map(move |node| (node, self.at(node.series, target, node.lag))).filter(|&(_, mark)| mark != Mark::Absent)
    }

    /// Series that share a link with `target` at lag 0, and the mark from there to the target.
    pub fn neighbours_now(&self, target: usize) -> impl Iterator<Item = (usize, Mark)> + '_ {
        let marks = (0..self.n_series).map(move |series| (series, self.at(series, target, 0)));
        marks.filter(|&(_, mark)| mark != Mark::Absent)
    }

    fn index(&self, source: usize, target: usize, tau: usize) -> usize {
        (source * self.n_series + target) * (self.tau_max + 1) + tau
    }
}

/// The mark that the assumptions give a pair at lag 0, read from `source` to `target`. A required direction overrules.
pub fn assumed_mark(links: &Links, source: usize, target: usize) -> Mark {
    let required = (links.requires(source, target, 0), links.requires(target, source, 0));
    let assumed = (links.assumes(source, target, 0), links.assumes(target, source, 0));
    match if required == (false, false) { assumed } else { required } {
        (true, true) => Mark::Undirected,
        (true, false) => Mark::Forward,
        (false, true) => Mark::Backward,
        (false, false) => Mark::Absent,
    }
}

/// Whether the pair at lag 0 is present without a test, in either direction.
pub fn pair_required(links: &Links, source: usize, target: usize) -> bool {
    links.requires(source, target, 0) || links.requires(target, source, 0)
}

/// Whether pairs whose direction is assumed form a cycle at lag 0.
pub fn has_cycle(links: &Links) -> bool {
    let n = links.n_series();
    let mut left: Vec<usize> = (0..n).collect();
    loop {
        let from_left = |j: usize, left: &[usize]| left.iter().any(|&i| assumed_mark(links, i, j) == Mark::Forward);
        let inner: Vec<usize> = left.iter().copied().filter(|&j| from_left(j, &left)).collect();
        if inner.len() == left.len() {
            return !left.is_empty();
        }
        left = inner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_reads_the_other_way_round_from_its_other_end() {
        let mut graph = Graph::empty(2, 0);
        for (mark, reverse) in [
            (Mark::Forward, Mark::Backward),
            (Mark::Backward, Mark::Forward),
            (Mark::Conflict, Mark::Conflict),
            (Mark::Undirected, Mark::Undirected),
            (Mark::Absent, Mark::Absent),
        ] {
            graph.set_pair(0, 1, mark);
            assert_eq!((graph.at(0, 1, 0), graph.at(1, 0, 0)), (mark, reverse));
        }
    }

    #[test]
    fn neighbours_come_by_series_then_lag() {
        let mut graph = Graph::empty(3, 2);
        graph.link_lagged(Node { series: 2, lag: 1 }, 1);
        graph.link_lagged(Node { series: 0, lag: 2 }, 1);
        graph.set_pair(0, 1, Mark::Undirected);
        let found: Vec<_> = graph.neighbours(1).map(|(node, _)| (node.series, node.lag)).collect();
        assert_eq!(found, [(0, 0), (0, 2), (2, 1)]);
        assert_eq!(graph.neighbours_now(1).collect::<Vec<_>>(), [(0, Mark::Undirected)]);
        assert_eq!(graph.neighbours_now(2).count(), 0);
    }

    #[test]
    fn assumptions_become_marks() {
        let (mut allowed, mut required) = (vec![false; 9], vec![false; 9]);
        // 0 o?o 1, 0 -?> 2, and 1 o-o 2 whose other direction is allowed only.
        for at in [1, 3, 2, 5] {
            allowed[at] = true;
        }
        required[7] = true;
        let links = Links::new(&allowed, Some(&required), 3, 0).unwrap();
        assert_eq!(assumed_mark(&links, 0, 1), Mark::Undirected);
        assert_eq!((assumed_mark(&links, 0, 2), assumed_mark(&links, 2, 0)), (Mark::Forward, Mark::Backward));
        assert_eq!(assumed_mark(&links, 2, 1), Mark::Forward);
        assert!(pair_required(&links, 1, 2) && !pair_required(&links, 0, 2));
        assert!(!has_cycle(&links));
    }

    #[test]
    fn a_cycle_is_found_among_other_links() {
        let mut allowed = vec![false; 16];
        for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 1)] {
            allowed[4 * i + j] = true;
        }
        assert!(has_cycle(&Links::new(&allowed, None, 4, 0).unwrap()));
        allowed[4 * 3 + 1] = false;
        assert!(!has_cycle(&Links::new(&allowed, None, 4, 0).unwrap()));
    }
}
