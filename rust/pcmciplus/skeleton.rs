//! The skeleton phase: which links remain given contemporaneous neighbours and the lagged parents of both ends.
//!
//! For d = 0, 1, ... every remaining link is tested given every d of its target's contemporaneous neighbours, until one
//! such test is not significant. Neighbours are those at the start of a sweep, so that within a sweep only the two
//! directions of a pair at lag 0 depend on each other: the one into the later series is tested first, and the other
//! only if the pair is still there.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::graph::{Graph, Mark, assumed_mark, pair_required};
use super::mci::{Finding, MciTester, Setting};
use crate::error::Result;
use crate::parallel::Monitor;
use crate::pcmci::{Combinations, Links, Node, Status};

/// A source at some lag and a target at lag 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub source: usize,
    pub lag: usize,
    pub target: usize,
}

/// Contemporaneous series that separate a pair, where there are any; lagged parents of both ends come on top.
pub type Separators = BTreeMap<Pair, Vec<usize>>;

/// What is known of one direction of a link.
pub struct Candidate {
    pub x: Node,
    pub present: bool,
    /// Value, p-value and status of the test with the largest p-value, the last of those that tie; not tested at first.
    pub val: f64,
    pub p: f64,
    pub status: Status,
    required: bool,
    val_min: f64,
    separator: Vec<usize>,
}

/// The links into one target by series, then lag, and its tester.
pub struct Target<'a> {
    pub links: Vec<Candidate>,
    pub tester: MciTester<'a>,
    /// Contemporaneous neighbours, the strongest first.
    adjacent: Vec<usize>,
}

/// Run all sweeps on the links of `lagged` (a list per target) and the assumed ones of lag 0.
///
/// Returns the links as the tests left them, and whether all tests were run before `monitor` stopped them.
pub fn search<'a>(
    links: &Links,
    lagged: &[Vec<Node>],
    setting: Setting<'a>,
    max_conds_dim: usize,
    monitor: &Monitor,
) -> (Vec<Target<'a>>, bool) {
    let mut targets: Vec<_> = lagged.iter().enumerate().map(|(j, of)| Target::new(links, j, of, setting)).collect();
    for size in 0..=max_conds_dim {
        targets.iter_mut().for_each(Target::sort_neighbours);
        if !targets.iter().any(|target| target.links.iter().any(|link| target.has_conditions(link, size))) {
            break;
        }
        for first in [true, false] {
            let swept = targets.par_iter_mut().enumerate().try_for_each(|(j, target)| {
                let mine = |x: Node| first == (x.lag > 0 || x.series < j);
                target.sweep(size, mine, monitor)
            });
            remove_reverse(&mut targets, first);
            if swept.is_err() {
                return (targets, false);
            }
        }
    }
    (targets, true)
}

/// Take pairs at lag 0 that lost one direction out of the other one as well; `first`: those found in the first pass.
///
/// The p-value goes along, the value does not.
fn remove_reverse(targets: &mut [Target], first: bool) {
    for j in 0..targets.len() {
        let others = if first { 0..j } else { j + 1..targets.len() };
        for i in others {
            let Some(link) = targets[j].find(i).filter(|link| !link.present) else { continue };
            let (p, status, separator) = (link.p, link.status, link.separator.clone());
            if let Some(reverse) = targets[i].find_mut(j).filter(|reverse| reverse.present) {
                (reverse.present, reverse.p, reverse.status, reverse.separator) = (false, p, status, separator);
            }
        }
    }
}

impl<'a> Target<'a> {
    fn new(links: &Links, target: usize, lagged: &[Node], setting: Setting<'a>) -> Self {
        let now = (0..links.n_series()).filter(|&i| assumed_mark(links, i, target) != Mark::Absent);
        let mut candidates: Vec<Candidate> = now
            .map(|i| Candidate::new(Node { series: i, lag: 0 }, pair_required(links, i, target)))
            .chain(lagged.iter().map(|&x| Candidate::new(x, links.requires(x.series, target, x.lag))))
            .collect();
        candidates.sort_by_key(|link| (link.x.series, link.x.lag));
        Self { links: candidates, tester: MciTester::new(setting, target), adjacent: Vec::new() }
    }

    /// The link from series `i` at lag 0.
    fn find(&self, i: usize) -> Option<&Candidate> {
        self.position(i).map(|at| &self.links[at])
    }

    fn find_mut(&mut self, i: usize) -> Option<&mut Candidate> {
        self.position(i).map(|at| &mut self.links[at])
    }

    fn position(&self, i: usize) -> Option<usize> {
        self.links.binary_search_by_key(&(i, 0), |link| (link.x.series, link.x.lag)).ok()
    }

    fn sort_neighbours(&mut self) {
        let mut now: Vec<&Candidate> = self.links.iter().filter(|link| link.present && link.x.lag == 0).collect();
        now.sort_by(|a, b| b.val_min.total_cmp(&a.val_min));
        self.adjacent = now.iter().map(|link| link.x.series).collect();
    }

    /// Whether the link is there and has `size` neighbours of the target, other than its source, to condition on.
    fn has_conditions(&self, link: &Candidate, size: usize) -> bool {
        link.present && self.adjacent.len() >= size + usize::from(link.x.lag == 0)
    }

    /// Test the links that `mine` picks.
    fn sweep(&mut self, size: usize, mine: impl Fn(Node) -> bool, monitor: &Monitor) -> Result<()> {
        for at in 0..self.links.len() {
            let x = self.links[at].x;
            if mine(x) && self.has_conditions(&self.links[at], size) {
                let others = self.adjacent.iter().copied().filter(|&k| x.lag > 0 || k != x.series);
                let others: Vec<usize> = others.collect();
                self.links[at].try_subsets(&others, size, &mut self.tester, monitor)?;
            }
        }
        Ok(())
    }
}

impl Candidate {
    fn new(x: Node, required: bool) -> Self {
        let (val_min, separator) = (f64::INFINITY, Vec::new());
        Self { x, present: true, val: 0.0, p: 0.0, status: Status::NotTested, required, val_min, separator }
    }

    /// Test given every `size` of `others` until a test is not significant.
    fn try_subsets(&mut self, others: &[usize], size: usize, tester: &mut MciTester, monitor: &Monitor) -> Result<()> {
        if self.required {
            self.record(&Finding::GIVEN);
            return Ok(());
        }
        tester.choose(self.x);
        let mut sets = Combinations::new(others.len(), size);
        let mut chosen = Vec::with_capacity(size);
        loop {
            monitor.check()?;
            chosen.clear();
            chosen.extend(sets.current().iter().map(|&k| others[k]));
            let finding = tester.test(&chosen);
            self.record(&finding);
            if !finding.dependent {
                (self.present, self.separator) = (false, chosen);
                return Ok(());
            }
            if !sets.advance() {
                return Ok(());
            }
        }
    }

    fn record(&mut self, finding: &Finding) {
        self.val_min = self.val_min.min(finding.test.val.abs());
        if finding.p >= self.p {
            (self.val, self.p, self.status) = (finding.test.val, finding.p, finding.test.status);
        }
    }
}

/// The tested links that remain, with the marks that time order and the assumptions give them.
pub fn to_graph(links: &Links, targets: &[Target]) -> Graph {
    let mut graph = Graph::empty(links.n_series(), links.tau_max());
    let tested = |link: &Candidate| link.status != Status::NotTested;
    for (j, target) in targets.iter().enumerate() {
        for link in target.links.iter().filter(|link| link.present && tested(link)) {
            let i = link.x.series;
            if link.x.lag > 0 {
                graph.link_lagged(link.x, j);
            } else if targets[i].find(j).is_some_and(tested) {
                graph.set_pair(i, j, assumed_mark(links, i, j));
            }
        }
    }
    graph
}

/// The sets that made links disappear, without the empty ones.
pub fn separators(targets: &[Target]) -> Separators {
    let mut found = Separators::new();
    for (target, links) in targets.iter().map(|t| &t.links).enumerate() {
        for link in links.iter().filter(|link| !link.separator.is_empty()) {
            found.insert(Pair { source: link.x.series, lag: link.x.lag, target }, link.separator.clone());
        }
    }
    found
}
