//! MCI: every assumed link tested given the parents of both its ends.

use std::time::Instant;

use super::block::SourceBlocks;
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

/// Test every assumed link into `target`, until somebody stops the run. `blocks` are those of the tester's [`Tests`].
///
/// [`Tests`]: super::test::Tests
pub fn test_links(
    links: &Links,
    target: usize,
    parents: &[Vec<Node>],
    tester: &mut Tester,
    blocks: Option<&SourceBlocks>,
    limits: Limits,
    monitor: &Monitor,
) -> Found {
    let start = Instant::now();
    let own = own_parents(target, parents, limits);
    let of_parents = if limits.max_conds_px == 0 { tester.leave_one_out(&own, monitor) } else { Vec::new() };
    let mut given_own = blocks.and_then(|blocks| tester.given_own(&own, blocks));
    let mut conditions = Vec::new();
    let mut test = |x: Node| {
        if links.requires(x.series, target, x.lag) {
            return (x, Test::GIVEN);
        }
        let of_parent = || own.iter().zip(&of_parents).find(|(parent, _)| **parent == x).and_then(|(_, test)| *test);
        let of_block = || tester.test_in_block(given_own.as_mut()?, x);
        if let Some(test) = of_parent().or_else(of_block) {
            tester.count_one();
            return (x, test);
        }
        set_conditions(&mut conditions, x, target, parents, limits);
        (x, tester.test(x, &conditions))
    };
    let tests: Vec<_> = links.into_target(target).take_while(|_| monitor.check().is_ok()).map(&mut test).collect();
    let tested = start.elapsed().as_secs_f64();
    let p = tests.iter().map(|(_, test)| test.p()).collect();
    let seconds = [tested, start.elapsed().as_secs_f64() - tested];
    Found { tests, p, count: tester.count(), seconds }
}

/// The parents of the target that enter its tests.
fn own_parents(target: usize, parents: &[Vec<Node>], limits: Limits) -> Vec<Node> {
    let mut own = Vec::new();
    let limits = Limits { max_conds_px: 0, ..limits };
    set_conditions(&mut own, Node { series: target, lag: 0 }, target, parents, limits);
    own
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
