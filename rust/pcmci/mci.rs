//! MCI: every assumed link tested given the parents of both its ends.

use std::time::Instant;

use super::links::{Links, Node};
use super::test::{Test, Tester};
use crate::parallel::Monitor;

/// How many parents of the target and of the source a test conditions on, the strongest first.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub max_conds_py: usize,
    pub max_conds_px: usize,
}

/// Tests of one target's links, in the order of [`Links::into_target`]. Fewer than there are links if the run was stopped.
#[derive(Debug, Clone)]
pub struct Found {
    pub tests: Vec<(Node, Test)>,
    /// Two-sided p-values of the tests.
    pub p: Vec<f64>,
    /// How many tests were run: not those of required links.
    pub count: usize,
    /// Seconds that the tests and the p-values took.
    pub seconds: [f64; 2],
}

/// Test every assumed link into `target`, until somebody stops the run.
pub fn test_links(
    links: &Links,
    target: usize,
    parents: &[Vec<Node>],
    tester: &mut Tester,
    limits: Limits,
    monitor: &Monitor,
) -> Found {
    let start = Instant::now();
    let of_parents = test_parents(target, parents, tester, limits, monitor);
    let mut conditions = Vec::new();
    let mut test = |x: Node| {
        let known = of_parents.iter().find(|(parent, _)| *parent == x).and_then(|(_, test)| *test);
        if let Some(test) = known.filter(|_| !links.requires(x.series, target, x.lag)) {
            return (x, test);
        }
        set_conditions(&mut conditions, x, target, parents, limits);
        (x, tester.test_link(links, x, &conditions))
    };
    let tests: Vec<_> = links.into_target(target).take_while(|_| monitor.check().is_ok()).map(&mut test).collect();
    let tested = start.elapsed().as_secs_f64();
    let p = tests.iter().map(|(_, test)| test.p()).collect();
    let seconds = [tested, start.elapsed().as_secs_f64() - tested];
    let count = tests.iter().filter(|(x, _)| !links.requires(x.series, target, x.lag)).count();
    Found { tests, p, count, seconds }
}

/// Tests of the target's parents all at once where each has the other parents as conditions and no others (`BivCI`,
/// `FullCI`); `None` for a parent that takes a test of its own.
fn test_parents(
    target: usize,
    parents: &[Vec<Node>],
    tester: &Tester,
    limits: Limits,
    monitor: &Monitor,
) -> Vec<(Node, Option<Test>)> {
    if limits.max_conds_px > 0 {
        return Vec::new();
    }
    let mut nodes = Vec::new();
    set_conditions(&mut nodes, Node { series: target, lag: 0 }, target, parents, limits);
    let tests = tester.leave_one_out(&nodes, monitor);
    nodes.into_iter().zip(tests).collect()
}

/// Parents of the target without x, then parents of the source moved back by the link's lag, nothing twice and never
/// the tested pair itself.
pub fn set_conditions(conditions: &mut Vec<Node>, x: Node, target: usize, parents: &[Vec<Node>], limits: Limits) {
    conditions.clear();
    let of_target = parents[target].iter().take(limits.max_conds_py).copied();
    let of_source =
        parents[x.series].iter().take(limits.max_conds_px).map(|p| Node { series: p.series, lag: p.lag + x.lag });
    let y = Node { series: target, lag: 0 };
    for node in of_target.chain(of_source) {
        if node != x && node != y && !conditions.contains(&node) {
            conditions.push(node);
        }
    }
}
