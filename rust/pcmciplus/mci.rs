//! Tests of one target given the lagged parents of both ends and a contemporaneous set.

use crate::pcmci::{MciLimits, Node, Status, Test, Tester, Tests, set_mci_conditions};

/// What all tests of a search share.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub tests: &'a Tests<'a>,
    /// Lagged parents, a list per target, the strongest first.
    pub parents: &'a [Vec<Node>],
    /// How many of them enter a test: of the target, of a source at lag 0, of a lagged source.
    pub max_conds_py: usize,
    pub max_conds_px: usize,
    pub max_conds_px_lagged: usize,
    pub pc_alpha: f64,
}

/// A test, its p-value, and whether it found a dependence.
#[derive(Debug, Clone, Copy)]
pub struct Finding {
    pub test: Test,
    pub p: f64,
    pub dependent: bool,
}

impl Finding {
    /// What a required link counts as.
    pub const GIVEN: Self = Self { test: Test::GIVEN, p: 0.0, dependent: true };
}

/// Tests links into one target, source by source.
pub struct MciTester<'a> {
    setting: Setting<'a>,
    target: usize,
    tester: Tester<'a>,
    x: Node,
    /// Lagged parents first: they stay from set to set, and with them most of the tester's factor.
    conditions: Vec<Node>,
    n_parents: usize,
}

impl<'a> MciTester<'a> {
    /// A tester for links into `target`.
    pub fn new(setting: Setting<'a>, target: usize) -> Self {
        let x = Node { series: target, lag: 0 };
        Self { setting, target, tester: setting.tests.of_target(target), x, conditions: Vec::new(), n_parents: 0 }
    }

    /// Number of tests so far.
    pub fn count(&self) -> usize {
        self.tester.count()
    }

    /// From now on test x, given the lagged parents of both ends.
    pub fn choose(&mut self, x: Node) {
        let setting = self.setting;
        let max_conds_px = if x.lag > 0 { setting.max_conds_px_lagged } else { setting.max_conds_px };
        let limits = MciLimits { max_conds_py: setting.max_conds_py, max_conds_px };
        set_mci_conditions(&mut self.conditions, x, self.target, setting.parents, limits);
        (self.x, self.n_parents) = (x, self.conditions.len());
    }

    /// Test it given these series at lag 0 as well.
    pub fn test(&mut self, contemporaneous: &[usize]) -> Finding {
        self.conditions.truncate(self.n_parents);
        self.conditions.extend(contemporaneous.iter().map(|&series| Node { series, lag: 0 }));
        let test = self.tester.test(self.x, &self.conditions);
        let p = test.p();
        Finding { test, p, dependent: test.status == Status::Ok && p <= self.setting.pc_alpha }
    }
}
