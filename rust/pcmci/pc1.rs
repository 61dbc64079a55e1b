//! PC1: the lagged parents of one target.
//!
//! For d = 0, 1, ... every surviving parent is tested given d of the others, the strongest first; the ones that turn
//! out insignificant leave after the sweep, and the rest are sorted by the smallest |val| any test gave them. With all
//! sets of conditions instead of the first few this is the skeleton phase of the PC algorithm.

use super::combinations::Combinations;
use super::level::Level;
use super::links::{Links, Node};
use super::test::{Status, Test, Tester};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;

/// One assumed lagged link into the target, and what its tests said.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub node: Node,
    /// Smallest |val| over its tests.
    pub val_min: f64,
    /// The test with the largest p-value.
    pub weakest: Test,
    /// That p-value, once [`select_best`] is done.
    pub p_max: f64,
    /// Whether no test has dropped it.
    pub kept: bool,
    /// Conditions of the test that dropped it.
    pub separator: Vec<Node>,
    order: usize,
}

/// The outcome for one target.
#[derive(Debug, Clone)]
pub struct Selection {
    /// Parents, the strongest first.
    pub parents: Vec<Node>,
    /// Every assumed lagged link, in no particular order.
    pub candidates: Vec<Candidate>,
    /// Number of tests run, at all levels.
    pub tests: usize,
    /// The level that chose the parents.
    pub level: f64,
    pub end: End,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// No test was left.
    Exhausted,
    /// Tests that are left have more conditions than allowed.
    MaxConds,
    /// It used up its tests in the middle of a sweep.
    MaxTests,
    /// Somebody stopped it.
    Stopped,
}

/// Limits of the search: most conditions of a test, most sets of conditions tried a link and size, most tests.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub max_conds_dim: usize,
    pub max_combinations: usize,
    pub max_tests: usize,
}

/// Run PC1 for one target at each of the levels and keep the selection with the smallest AIC, the first of several.
///
/// The criterion is that of tigramite's `ParCorr`: n ln(RSS) + 2 (k + 1) for k parents, the target standardised.
pub fn select_best(
    links: &Links,
    target: usize,
    tester: &mut Tester,
    levels: &mut [Level],
    limits: Limits,
    monitor: &Monitor,
) -> Result<Selection> {
    let several = levels.len() > 1;
    let mut best: Option<(f64, Selection)> = None;
    for level in levels {
        let start = links.into_target(target).filter(|node| node.lag > 0);
        let selection = Search { links, target, tester, level, limits, spare: false, monitor }.select(start);
        if selection.end == End::Stopped {
            return Err(CoreError::Interrupted);
        }
        let score = if several { aic(&selection.parents, tester) } else { 0.0 };
        if best.as_ref().is_none_or(|(least, _)| score < *least) {
            best = Some((score, selection));
        }
    }
    let (_, mut selection) = best.expect("at least one level");
    selection.tests = tester.count();
    for candidate in &mut selection.candidates {
        candidate.p_max = candidate.weakest.p();
    }
    Ok(selection)
}

/// Akaike's criterion of the target regressed on these parents.
pub fn aic(parents: &[Node], tester: &mut Tester) -> f64 {
    // In a fixed order, so that equal sets have exactly equal scores.
    let mut parents = parents.to_vec();
    parents.sort_by_key(|p| (p.series, p.lag));
    let (unexplained, n_rows) = tester.unexplained(&parents);
    let n_rows = n_rows as f64;
    n_rows * (n_rows * unexplained).ln() + 2.0 * (parents.len() + 1) as f64
}

/// A search for one target's parents at one level.
pub struct Search<'s, 'a> {
    pub links: &'s Links<'s>,
    pub target: usize,
    pub tester: &'s mut Tester<'a>,
    pub level: &'s mut Level,
    pub limits: Limits,
    /// Whether, of variables that depend on each other exactly, only the last by series and lag goes. Otherwise each that is
    /// tested given the others does.
    pub spare: bool,
    pub monitor: &'s Monitor,
}

impl Search<'_, '_> {
    /// Run it on the links from these lagged nodes, as far as it comes.
    pub fn select(mut self, start: impl Iterator<Item = Node>) -> Selection {
        let mut parents: Vec<Candidate> = start.enumerate().map(|(order, node)| Candidate::new(node, order)).collect();
        let mut dropped = Vec::new();
        let mut end = End::Exhausted;
        for size in 0.. {
            if parents.len() <= size {
                break;
            }
            if size > self.limits.max_conds_dim {
                end = End::MaxConds;
                break;
            }
            let swept = self.sweep(&mut parents, size);
            dropped.extend(parents.extract_if(.., |p| !p.kept));
            parents.sort_by(|a, b| b.val_min.total_cmp(&a.val_min).then(a.order.cmp(&b.order)));
            if let Err(early) = swept {
                end = early;
                break;
            }
        }
        let selected = parents.iter().map(|p| p.node).collect();
        dropped.append(&mut parents);
        let (tests, level) = (self.tester.count(), self.level.alpha());
        Selection { parents: selected, candidates: dropped, tests, level, end }
    }

    /// Test every parent given `size` of the others.
    fn sweep(&mut self, parents: &mut [Candidate], size: usize) -> std::result::Result<(), End> {
        let nodes: Vec<Node> = parents.iter().map(|p| p.node).collect();
        let strongest = test_strongest(&nodes[..=size], self.tester, self.monitor);
        for (index, parent) in parents.iter_mut().enumerate() {
            if self.links.requires(parent.node.series, self.target, parent.node.lag) {
                parent.record(Test::GIVEN, self.level);
            } else {
                self.try_sets(parent, index, &nodes, size, strongest.get(index).copied().flatten())?;
            }
        }
        Ok(())
    }

    /// Test the parent at `index` of `nodes` given sets of the others until a test drops it; `first` is the test given
    /// the first of them, if it is known.
    fn try_sets(
        &mut self,
        parent: &mut Candidate,
        index: usize,
        nodes: &[Node],
        size: usize,
        mut first: Option<Test>,
    ) -> std::result::Result<(), End> {
        let mut sets = Combinations::new(nodes.len() - 1, size);
        let mut conditions = Vec::with_capacity(size);
        for _ in 0..self.limits.max_combinations {
            self.monitor.check().map_err(|_| End::Stopped)?;
            if self.tester.count() >= self.limits.max_tests {
                return Err(End::MaxTests);
            }
            // Positions among the others: from `index` on they are one further in `nodes`.
            conditions.clear();
            conditions.extend(sets.current().iter().map(|&k| nodes[k + usize::from(k >= index)]));
            let known = first.take();
            if known.is_some() {
                self.tester.count_one();
            }
            let test = known.unwrap_or_else(|| self.tester.test(parent.node, &conditions));
            if !self.says_nothing(&test, parent.node, &conditions) {
                parent.record(test, self.level);
                parent.kept = self.level.admits(&test);
                if !parent.kept {
                    parent.separator = conditions;
                    break;
                }
            }
            if !sets.advance() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the test could not be done because the conditions explain x, and one of them is to go rather than x.
    fn says_nothing(&mut self, test: &Test, x: Node, conditions: &[Node]) -> bool {
        let key = |node: &Node| (node.series, node.lag);
        self.spare
            && test.status == Status::Collinear
            && conditions.iter().any(|z| key(z) > key(&x))
            && self.tester.unexplained(conditions).0 > 0.0
    }
}

/// Tests of the strongest parents of a sweep: each one's first conditions are the others, so that one factorisation
/// serves all; `None`, or nothing, where a parent takes a test of its own.
fn test_strongest(nodes: &[Node], tester: &Tester, monitor: &Monitor) -> Vec<Option<Test>> {
    /// Fewer are tested sooner one by one.
    const WORTH_IT: usize = 8;
    if nodes.len() < WORTH_IT { Vec::new() } else { tester.leave_one_out(nodes, monitor) }
}

impl Candidate {
    fn new(node: Node, order: usize) -> Self {
        Self {
            node,
            val_min: f64::INFINITY,
            weakest: Test::GIVEN,
            p_max: 0.0,
            kept: true,
            separator: Vec::new(),
            order,
        }
    }

    /// Whether a test was run, or none was needed.
    pub fn is_known(&self) -> bool {
        self.val_min.is_finite()
    }

    fn record(&mut self, test: Test, level: &Level) {
        let first = !self.is_known();
        self.val_min = self.val_min.min(test.val.abs());
        if first || level.less_significant(&test, &self.weakest) {
            self.weakest = test;
        }
    }
}
