//! One partial correlation straight from its rows: where a sample is missing or masked, where the matrix would not fit,
//! and where variables are so nearly dependent that correlations have too few digits.

use super::links::Node;
use super::table::Table;
use super::test::{Status, Test};
use crate::cov::{Ranking, Scorer, Window, is_constant};

/// Buffers of one thread; they grow to what the largest test needs and are reused.
pub struct FromRows<'a> {
    window: &'a Window<'a>,
    /// Sample index of every row the current test uses.
    rows: Vec<usize>,
    table: Table,
    ranking: Option<&'a Ranking>,
    scorer: Scorer,
}

impl<'a> FromRows<'a> {
    /// With a `ranking`, the samples' normal scores on the rows of each test take their place.
    pub fn new(window: &'a Window<'a>, ranking: Option<&'a Ranking>) -> Self {
        Self { window, rows: Vec::new(), table: Table::default(), ranking, scorer: Scorer::default() }
    }

    /// Test x against y given the conditions, on the rows where none of them is missing or masked.
    ///
    /// A constant condition is left out; a condition that the ones before it explain adds nothing to the fit but still
    /// costs its degree of freedom, as it does in a least-squares fit of all columns.
    pub fn test(&mut self, x: Node, y: Node, conditions: &[Node]) -> Test {
        self.choose_rows(x, y, conditions);
        let k = self.gather_conditions(conditions);
        if !self.gather(x) || !self.gather(y) {
            return Test::failed(Status::Constant);
        }
        let Some(df) = self.rows.len().checked_sub(2 + k).filter(|&df| df > 0) else {
            return Test::failed(Status::TooFewRows);
        };
        match self.table.partial_correlation(k).or_else(|| self.table.partial_correlation_exactly(k)) {
            Some(val) => Test { val, df, status: Status::Ok },
            None => Test::failed(Status::Collinear),
        }
    }

    /// As [`FromRows::test`], but `None` where there is no sound answer: a column is constant, variables are nearly
    /// dependent, or no degree of freedom is left.
    pub fn sound_test(&mut self, x: Node, y: Node, conditions: &[Node]) -> Option<Test> {
        self.choose_rows(x, y, conditions);
        let k = self.gather_conditions(conditions);
        let all_vary = k == conditions.len() && self.gather(x) && self.gather(y);
        let df = self.rows.len().checked_sub(2 + k).filter(|&df| all_vary && df > 0)?;
        Some(Test { val: self.table.partial_correlation(k)?, df, status: Status::Ok })
    }

    /// The share of y's variance that the conditions leave, and the number of rows it was measured on.
    pub fn unexplained(&mut self, y: Node, conditions: &[Node]) -> (f64, usize) {
        self.choose_rows(y, y, conditions);
        let k = self.gather_conditions(conditions);
        if !self.gather(y) {
            return (0.0, self.rows.len());
        }
        let share = self.table.unexplained(k).unwrap_or_else(|| self.table.unexplained_exactly(k));
        (share, self.rows.len())
    }

    fn choose_rows(&mut self, x: Node, y: Node, conditions: &[Node]) {
        self.rows.clear();
        self.rows.extend(self.window.rows().iter().cloned().flatten());
        self.drop_missing([&x, &y].into_iter().chain(conditions));
        let Some(mask) = self.window.mask() else { return };
        let roles = mask.roles();
        for (counts, nodes) in [(roles.x, &[x][..]), (roles.y, &[y]), (roles.z, conditions)] {
            for node in nodes.iter().filter(|_| counts) {
                let masked = mask.of(node.series);
                self.rows.retain(|&t| !masked[t - node.lag]);
            }
        }
    }

    /// Drop the rows where a sample of the nodes is missing, and the rows of the same data set that are lost with them.
    fn drop_missing<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>) {
        let series = self.window.series();
        let planes: Vec<_> = nodes.filter_map(|node| Some((series.valid(node.series)?, node.lag))).collect();
        if planes.is_empty() {
            return;
        }
        let (set_ends, n_after) = (self.window.set_ends(), self.window.after_missing());
        let (mut position, mut set, mut lost_until) = (0, 0, 0);
        self.rows.retain(|&t| {
            if position == set_ends[set] {
                (set, lost_until) = (set + 1, position);
            }
            if planes.iter().any(|(valid, lag)| !valid[t - lag]) {
                lost_until = position + 1 + n_after;
            }
            position += 1;
            position > lost_until
        });
    }

    /// Gather the conditions that vary on the chosen rows; returns how many they are.
    fn gather_conditions(&mut self, conditions: &[Node]) -> usize {
        self.table.start(self.rows.len());
        for &z in conditions {
            self.gather(z);
        }
        self.table.len()
    }

    /// Gather a node's samples on the chosen rows; false if they are constant.
    fn gather(&mut self, node: Node) -> bool {
        let samples = self.window.series().series(node.series);
        let samples = self.rows.iter().map(|&t| samples[t - node.lag]);
        let Some(ranking) = self.ranking else { return self.table.push(samples) };
        let ranks = ranking.of(node.series);
        let ranks = self.rows.iter().map(|&t| ranks[t - node.lag]);
        // Ranks would spread out what is only rounding noise.
        !is_constant(samples) && self.table.push(self.scorer.scores(ranks, ranking.n_ranks(node.series)))
    }
}
