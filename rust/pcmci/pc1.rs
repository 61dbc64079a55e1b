//! PC1: the lagged parents of one target.
//!
//! For d = 0, 1, ... every surviving parent is tested given d of the others, the strongest first; the ones that turn
//! out insignificant leave after the sweep, and the rest are sorted by the smallest |val| any test gave them.

use super::combinations::Combinations;
use super::links::{Links, Node};
use super::test::{Level, Status, Test, Tester};
use crate::error::Result;
use crate::parallel::Monitor;

/// One assumed lagged link into the target, and what its tests said.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub node: Node,
    /// Smallest |val| over its tests.
    pub val_min: f64,
    /// The test with the largest p-value.
    pub weakest: Test,
    order: usize,
    kept: bool,
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
}

/// Limits of the search: most conditions of a test, and most sets of conditions tried a link and size.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub max_conds_dim: usize,
    pub max_combinations: usize,
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
        let selection = select(links, target, tester, level, limits, monitor)?;
        let score = if several { aic(&selection.parents, tester) } else { 0.0 };
        if best.as_ref().is_none_or(|(least, _)| score < *least) {
            best = Some((score, selection));
        }
    }
    let (_, mut selection) = best.expect("at least one level");
    selection.tests = tester.count();
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

/// Run PC1 for one target at one level.
fn select(
    links: &Links,
    target: usize,
    tester: &mut Tester,
    level: &mut Level,
    limits: Limits,
    monitor: &Monitor,
) -> Result<Selection> {
    let lagged = links.into_target(target).filter(|node| node.lag > 0);
    let mut parents: Vec<Candidate> = lagged
        .enumerate()
        .map(|(order, node)| Candidate { node, val_min: f64::INFINITY, weakest: Test::GIVEN, order, kept: true })
        .collect();
    let mut dropped = Vec::new();
    for size in 0..=limits.max_conds_dim {
        if parents.len() <= size {
            break;
        }
        let nodes: Vec<Node> = parents.iter().map(|p| p.node).collect();
        let strongest = test_strongest(&nodes[..=size], tester, monitor);
        for (index, parent) in parents.iter_mut().enumerate() {
            if links.requires(parent.node.series, target, parent.node.lag) {
                parent.record(Test::GIVEN);
                continue;
            }
            let mut sets = Combinations::new(nodes.len() - 1, size);
            let mut conditions = Vec::with_capacity(size);
            for combination in 0..limits.max_combinations {
                monitor.check()?;
                // Positions among the others: from `index` on they are one further in `nodes`.
                conditions.clear();
                conditions.extend(sets.current().iter().map(|&k| nodes[k + usize::from(k >= index)]));
                let known = strongest.get(index).copied().flatten().filter(|_| combination == 0);
                let test = known.unwrap_or_else(|| tester.test(parent.node, &conditions));
                if known.is_some() {
                    tester.count_one();
                }
                parent.record(test);
                parent.kept = level.admits(&test);
                if !parent.kept || !sets.advance() {
                    break;
                }
            }
        }
        dropped.extend(parents.extract_if(.., |p| !p.kept));
        parents.sort_by(|a, b| b.val_min.total_cmp(&a.val_min).then(a.order.cmp(&b.order)));
    }
    let selected = parents.iter().map(|p| p.node).collect();
    dropped.append(&mut parents);
    Ok(Selection { parents: selected, candidates: dropped, tests: tester.count(), level: level.alpha() })
}

/// Tests of the strongest parents of a sweep: each one's first conditions are the others, so that one factorisation
/// serves all; `None`, or nothing, where a parent takes a test of its own.
fn test_strongest(nodes: &[Node], tester: &Tester, monitor: &Monitor) -> Vec<Option<Test>> {
    /// Fewer are tested sooner one by one.
    const WORTH_IT: usize = 8;
    if nodes.len() < WORTH_IT { Vec::new() } else { tester.leave_one_out(nodes, monitor) }
}

impl Candidate {
    fn record(&mut self, test: Test) {
        let first = self.val_min.is_infinite();
        self.val_min = self.val_min.min(test.val.abs());
        if first || less_significant(&test, &self.weakest) {
            self.weakest = test;
        }
    }
}

/// Whether `a` has a larger p-value than `b`; the p-values are only computed where signs don't settle it.
///
/// Where tigramite's p-values vanish they are tied at 0: that is about where the first factor of the incomplete beta
/// function, p df / 2, leaves the normal numbers.
fn less_significant(a: &Test, b: &Test) -> bool {
    /// A p-value is at least about exp(-t^2 / 2): up to this t^2 it can't have vanished.
    const MAY_VANISH: f64 = 1200.0;
    if a.status != Status::Ok || b.status != Status::Ok {
        return a.status != Status::Ok && b.status == Status::Ok;
    }
    let squared_t = |t: &Test| t.df as f64 * t.val * t.val / ((1.0 - t.val) * (1.0 + t.val));
    let (t_a, t_b) = (squared_t(a), squared_t(b));
    if t_a >= t_b && a.df >= b.df {
        false
    } else if t_a < t_b && a.df <= b.df && t_a < MAY_VANISH {
        true
    } else {
        let p = a.p();
        p > b.p() && p * a.df as f64 / 2.0 > f64::MIN_POSITIVE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_significant_orders_by_p() {
        let tests: Vec<Test> = [0.0, 0.1, -0.3, 0.31, 0.9, 0.998, -0.9981]
            .iter()
            .flat_map(|&val| [3, 10, 50, 500].map(|df| Test { val, df, status: Status::Ok }))
            .chain([Test::failed(Status::Collinear)])
            .collect();
        for a in &tests {
            for b in &tests {
                // A test that can't be done has p 1, as r = 0 has.
                if a.status == b.status {
                    assert_eq!(less_significant(a, b), a.p() > b.p() && a.p() > 1e-300, "{a:?} {b:?}");
                }
            }
        }
    }
}
