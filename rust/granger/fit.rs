//! Least-squares models on lagged columns, and the tests they allow.

use super::columns::Columns;
use super::output::{LinkTest, PairTest};
use crate::cov::Triangle;
use crate::error::Result;
use crate::parallel::Monitor;
use crate::pcmci::{Node, Status};
use crate::stats::{f, student_t::correlation_tail};

/// A column of which the ones before it leave at most this share of its variance is left out as collinear.
pub const COLLINEAR: f64 = 1e-10;

/// A target of which a model leaves less than this share of its variance is explained perfectly: what is left is rounding.
const PERFECT: f64 = 1e-14;

/// Columns of a model, whatever the target.
pub struct Design {
    /// In the order in which they enter.
    pub nodes: Vec<Node>,
    pub factor: Triangle,
    /// Of the factor.
    pub inverse: Triangle,
    /// Diagonal of A^-1.
    precision: Vec<f64>,
}

impl Design {
    /// Factor the correlations of `nodes`, all of which vary.
    pub fn new(columns: &Columns, nodes: Vec<Node>, monitor: &Monitor) -> Result<Self> {
        let correlations = columns.correlations(&nodes, &nodes);
        Self::from_correlations(nodes, correlations, monitor)
    }

    /// Factor what other columns left of the products of `nodes`.
    pub fn from_correlations(nodes: Vec<Node>, correlations: Vec<f64>, monitor: &Monitor) -> Result<Self> {
        let factor = Triangle::factor(correlations, nodes.len(), COLLINEAR, monitor)?;
        let inverse = factor.inverse(monitor)?;
        let mut precision = vec![0.0; nodes.len()];
        for i in 0..nodes.len() {
            precision.iter_mut().zip(inverse.row(i)).for_each(|(sum, v)| *sum += v * v);
        }
        Ok(Self { nodes, factor, inverse, precision })
    }

    /// Number of columns that were not left out.
    pub fn rank(&self) -> usize {
        (0..self.nodes.len()).filter(|&k| self.factor.keeps(k)).count()
    }

    /// Predict a target of which `whole` was left before these columns came in, and `with_target` of its products.
    pub fn fit(&self, with_target: &[f64], whole: f64) -> Fit<'_> {
        let coordinates = self.factor.solve(with_target);
        let explained: f64 = coordinates.iter().map(|z| z * z).sum();
        let coefficients = self.inverse.transposed_times(&coordinates);
        Fit { design: self, coefficients, coordinates, explained, unexplained: whole - explained }
    }

    /// A block of these columns, without those that were left out.
    pub fn block(&self, members: &[usize], monitor: &Monitor) -> Result<Block> {
        let members: Vec<usize> = members.iter().copied().filter(|&k| self.factor.keeps(k)).collect();
        let size = members.len();
        let mut precision = vec![0.0; size * size];
        let mut values = Vec::with_capacity(size);
        for i in members.first().copied().unwrap_or(0)..self.nodes.len() {
            let row = self.inverse.row(i);
            values.clear();
            values.extend(members.iter().take_while(|&&k| k <= i).map(|&k| row[k]));
            for (out, &value) in precision.chunks_mut(size.max(1)).zip(&values) {
                out.iter_mut().zip(&values).for_each(|(sum, v)| *sum += value * v);
            }
        }
        let factor = Triangle::factor(precision, size, 0.0, monitor)?;
        Ok(Block { members, factor })
    }
}

/// Columns of a design that are tested together.
pub struct Block {
    members: Vec<usize>,
    /// Of their part of A^-1.
    factor: Triangle,
}

/// One target predicted from the columns of a design; sums of squares are shares of the target's total one.
pub struct Fit<'a> {
    design: &'a Design,
    coefficients: Vec<f64>,
    /// The target along the orthogonalised columns.
    pub coordinates: Vec<f64>,
    /// What the columns of the design explain.
    pub explained: f64,
    /// What no column explains.
    pub unexplained: f64,
}

impl Fit<'_> {
    /// Whether hardly more than rounding noise of the target is left.
    pub fn is_perfect(&self) -> bool {
        self.unexplained < PERFECT
    }

    /// Test one column given all the others.
    pub fn link(&self, k: usize, df: usize) -> LinkTest {
        if !self.design.factor.keeps(k) || self.is_perfect() {
            return LinkTest::failed(Status::Collinear);
        }
        let (b, precision) = (self.coefficients[k], self.design.precision[k]);
        let val = b / (b * b + self.unexplained * precision).sqrt();
        LinkTest { val, p: correlation_tail(val, df as f64), status: Status::Ok }
    }

    /// Test a block given all columns outside of it.
    pub fn block(&self, block: &Block, df: usize) -> PairTest {
        let coefficients: Vec<f64> = block.members.iter().map(|&k| self.coefficients[k]).collect();
        let coordinates = block.factor.solve(&coefficients);
        self.pair(coordinates.iter().map(|z| z * z).sum(), block.members.len(), df)
    }

    /// Test a block that takes the unexplained sum of squares down by `gain` with `n_columns` columns.
    pub fn pair(&self, gain: f64, n_columns: usize, df: usize) -> PairTest {
        if n_columns == 0 || self.is_perfect() {
            return PairTest::failed(Status::Collinear);
        }
        let ratio = gain / self.unexplained;
        let statistic = ratio / n_columns as f64 * df as f64;
        let p = f::tail(statistic, n_columns, df as f64);
        PairTest { val: ratio.ln_1p(), p, f: statistic, df_num: n_columns, df_denom: df, status: Status::Ok }
    }
}

/// Degrees of freedom of a model with an intercept, or `None` if it has as many parameters as rows or more.
pub fn degrees(n_rows: usize, n_columns: usize) -> Option<usize> {
    n_rows.checked_sub(n_columns + 1).filter(|&df| df > 0)
}
