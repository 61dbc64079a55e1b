//! Conditional independence tests by partial correlation, on whichever path fits the data.

use super::block::SourceBlocks;
use super::cholesky::Factor;
use super::from_rows::FromRows;
use super::given_own::GivenOwn;
use super::leave_one_out;
use super::links::{Links, Node};
use crate::cov::{Correlations, Demand, Form, Marginals, Ranking, Window};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::stats::student_t::correlation_tail;

/// Why an entry of a result holds a number, or doesn't. Numbers are those of `LinkStatus` in `links.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Tested, or required and therefore not in need of a test.
    Ok = 0,
    /// The run was stopped before this test.
    NotTested = 1,
    /// Not among the assumed links.
    NotAsked = 2,
    /// X or Y is constant on the rows.
    Constant = 3,
    /// X or Y is a linear combination of the conditions.
    Collinear = 4,
    /// No degree of freedom is left.
    TooFewRows = 5,
    /// The search used up the tests it was given before it came to a decision.
    OverBudget = 8,
}

/// What a test found: a partial correlation and its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    pub val: f64,
    pub df: usize,
    pub status: Status,
}

impl Test {
    /// What a link that is required, not tested, counts as: val 1, p 0.
    pub const GIVEN: Self = Self { val: 1.0, df: 1, status: Status::Ok };

    /// A test that can't be done: val 0, p 1.
    pub fn failed(status: Status) -> Self {
        Self { val: 0.0, df: 1, status }
    }

    /// Two-sided p-value; 1 where the test could not be done.
    pub fn p(&self) -> f64 {
        if self.status == Status::Ok { correlation_tail(self.val, self.df as f64) } else { 1.0 }
    }
}

/// Everything that the tests of one run share.
pub struct Tests<'a> {
    window: &'a Window<'a>,
    ranking: Option<Ranking>,
    correlations: Option<Correlations<'a>>,
}

impl<'a> Tests<'a> {
    /// Compute correlations in the form that costs least, unless samples are missing or no form fits into the budget.
    pub fn new(window: &'a Window<'a>, marginals: Marginals, demand: Demand, monitor: &Monitor) -> Result<Self> {
        let form = if window.is_shared() { demand.choose(window, marginals) } else { None };
        Self::with(form, window, marginals, monitor)
    }

    /// Tests that read correlations of this form, or the rows.
    pub fn with(form: Option<Form>, window: &'a Window<'a>, marginals: Marginals, monitor: &Monitor) -> Result<Self> {
        if window.n_rows() == 0 {
            return Err(CoreError::invalid(
                "no rows to test on: a row needs 2 tau_max samples before it in its data set",
            ));
        }
        let ranking = marginals.rank(window);
        let correlate = |form| Correlations::new(form, window, ranking.as_ref(), monitor);
        let correlations = form.map(correlate).transpose()?;
        Ok(Self { window, ranking, correlations })
    }

    /// The form of the correlations that tests read; `None` where each reads its rows.
    pub fn form(&self) -> Option<Form> {
        self.correlations.as_ref().map(Correlations::form)
    }

    /// Number of rows of a test in which nothing is missing.
    pub fn n_rows(&self) -> usize {
        self.window.n_rows()
    }

    /// What tests given the `most` first `parents` of the source share; `None` without correlations or many of them.
    pub fn source_blocks(&self, links: &Links, parents: &[Vec<Node>], most: usize) -> Option<SourceBlocks> {
        SourceBlocks::new(self.correlations.as_ref()?, links, parents, most)
    }

    /// Correlation of two nodes on the rows, 0 where either is constant.
    pub fn correlation(&self, a: Node, b: Node) -> f64 {
        match &self.correlations {
            Some(matrix) => matrix.line(matrix.index(a.series, a.lag)).at(matrix.index(b.series, b.lag)),
            None => FromRows::new(self.window, self.ranking.as_ref()).test(a, b, &[]).val,
        }
    }

    /// A tester for links into `target` at lag 0.
    pub fn of_target(&self, target: usize) -> Tester<'_> {
        Tester {
            target: Node { series: target, lag: 0 },
            fast: self.correlations.as_ref().map(|m| (m, Factor::new(m, m.index(target, 0)))),
            rows: FromRows::new(self.window, self.ranking.as_ref()),
            n_rows: self.n_rows(),
            columns: Vec::new(),
            count: 0,
        }
    }
}

/// Tests of one target, one after the other.
pub struct Tester<'a> {
    target: Node,
    fast: Option<(&'a Correlations<'a>, Factor<'a>)>,
    rows: FromRows<'a>,
    n_rows: usize,
    columns: Vec<usize>,
    count: usize,
}

impl Tester<'_> {
    /// Number of tests so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Test x against the target given `conditions`: other nodes than these two, nothing twice.
    pub fn test(&mut self, x: Node, conditions: &[Node]) -> Test {
        self.count += 1;
        self.matrix_test(x, conditions).unwrap_or_else(|| self.rows.test(x, self.target, conditions))
    }

    /// Count a test that was run together with others.
    pub fn count_one(&mut self) {
        self.count += 1;
    }

    /// What the tests of the target given `own` and the conditions in `blocks` share; `None` where each takes its own way.
    pub fn given_own<'b>(&self, own: &[Node], blocks: &'b SourceBlocks) -> Option<GivenOwn<'b>> {
        let matrix = self.fast.as_ref()?.0;
        if !matrix.varies(self.target.series, self.target.lag) || !own.iter().all(|z| matrix.has(z.series, z.lag)) {
            return None;
        }
        let own = own.iter().map(|z| matrix.index(z.series, z.lag)).filter(|&c| matrix.varies_at(c));
        let target = matrix.index(self.target.series, self.target.lag);
        GivenOwn::new(matrix, blocks, target, &own.collect::<Vec<_>>())
    }

    /// Test x given `own` and the conditions of its block; `None` where that takes a test of its own.
    pub fn test_in_block(&self, own: &mut GivenOwn, x: Node) -> Option<Test> {
        let (val, n_conditions) = own.partial_correlation(x)?;
        let df = self.n_rows.checked_sub(2 + n_conditions).filter(|&df| df > 0)?;
        Some(Test { val, df, status: Status::Ok })
    }

    /// Test each of the nodes given all the others at once; `None` where that takes a test of its own.
    pub fn leave_one_out(&self, nodes: &[Node], monitor: &Monitor) -> Vec<Option<Test>> {
        let fast = self.fast.as_ref().filter(|(matrix, _)| matrix.varies(self.target.series, self.target.lag));
        let tests = fast.and_then(|(matrix, _)| {
            let column = |node: &Node| matrix.index(node.series, node.lag);
            let varying: Vec<usize> = nodes.iter().map(column).filter(|&c| matrix.varies_at(c)).collect();
            let df = self.n_rows.checked_sub(1 + varying.len()).filter(|&df| df > 0)?;
            let target = column(&self.target);
            let found = leave_one_out::partial_correlations(matrix, target, &varying, monitor)?;
            let mut found = found.into_iter();
            let of_node = |node| {
                let val = if matrix.varies_at(column(node)) { found.next()?? } else { return None };
                Some(Test { val, df, status: Status::Ok })
            };
            Some(nodes.iter().map(of_node).collect())
        });
        tests.unwrap_or_else(|| vec![None; nodes.len()])
    }

    /// The share of the target's variance that `conditions` leave, and the number of rows it was measured on.
    pub fn unexplained(&mut self, conditions: &[Node]) -> (f64, usize) {
        self.matrix_unexplained(conditions).unwrap_or_else(|| self.rows.unexplained(self.target, conditions))
    }

    fn matrix_unexplained(&mut self, conditions: &[Node]) -> Option<(f64, usize)> {
        let (matrix, factor) = self.fast.as_mut()?;
        self.columns.clear();
        self.columns.extend(conditions.iter().map(|z| matrix.index(z.series, z.lag)).filter(|&c| matrix.varies_at(c)));
        Some((factor.unexplained(&self.columns)?, self.n_rows))
    }

    /// The test by correlations; `None` where the rows have to be read.
    fn matrix_test(&mut self, x: Node, conditions: &[Node]) -> Option<Test> {
        let (matrix, factor) = self.fast.as_mut()?;
        if !matrix.varies(x.series, x.lag) || !matrix.varies(self.target.series, self.target.lag) {
            return Some(Test::failed(Status::Constant));
        }
        self.columns.clear();
        self.columns.extend(conditions.iter().map(|z| matrix.index(z.series, z.lag)).filter(|&c| matrix.varies_at(c)));
        let Some(df) = self.n_rows.checked_sub(2 + self.columns.len()).filter(|&df| df > 0) else {
            return Some(Test::failed(Status::TooFewRows));
        };
        let val = factor.partial_correlation(matrix.index(x.series, x.lag), &self.columns)?;
        Some(Test { val, df, status: Status::Ok })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Series;
    use proptest::prelude::*;

    fn on_every_path(x: &[f64], n: usize, max_lag: usize, check: impl Fn([Tester; 2])) {
        let series = Series::new(x, None, n, x.len() / n, vec![]).unwrap();
        let window = Window::new(&series, max_lag, max_lag).unwrap();
        let monitor = Monitor::default();
        for marginals in [Marginals::Raw, Marginals::NormalScores] {
            let by_rows = Tests::with(None, &window, marginals, &monitor).unwrap();
            for form in [Form::Matrix, Form::Differences, Form::Pairs] {
                if (form, marginals) != (Form::Differences, Marginals::NormalScores) {
                    let tests = Tests::with(Some(form), &window, marginals, &monitor).unwrap();
                    assert_eq!((tests.form(), by_rows.form()), (Some(form), None));
                    check([tests.of_target(0), by_rows.of_target(0)]);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Conditions grow, shrink and repeat from test to test: the factor's kept rows must never show.
        #[test]
        fn every_path_agrees_whatever_was_tested_before(
            x in prop::collection::vec(-1.0_f64..1.0, 4 * 40),
            sets in prop::collection::vec(prop::collection::vec((0_usize..4, 1_usize..4), 0..9), 1..12),
        ) {
            on_every_path(&x, 4, 3, |[mut matrix, mut rows]| {
                for set in &sets {
                    let mut conditions: Vec<Node> = Vec::new();
                    for &(series, lag) in set {
                        let node = Node { series, lag };
                        if node != (Node { series: 1, lag: 2 }) && !conditions.contains(&node) {
                            conditions.push(node);
                        }
                    }
                    let [a, b] = [&mut matrix, &mut rows]
                        .map(|tester| tester.test(Node { series: 1, lag: 2 }, &conditions));
                    assert_eq!((a.df, a.status), (b.df, b.status));
                    assert!((a.val - b.val).abs() < 1e-11, "{} {}", a.val, b.val);
                }
                assert_eq!(matrix.count(), sets.len());
            });
        }
    }
}
