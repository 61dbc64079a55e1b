//! Partial correlations from the lagged correlation matrix by Cholesky factors that grow and shrink.
//!
//! With the variables in the order Z, X, Y, the last two rows of the Cholesky factor L of their correlation matrix give
//! `r = L[y,x] / sqrt(L[y,x]^2 + L[y,y]^2)`. Consecutive tests of a target mostly share their first conditions; the
//! rows of L that belong to those, and the target's row, are kept.

use crate::cov::LaggedCorrelation;

/// A pivot is the share of a variable's variance that the conditions before it leave. Below this, rounding errors of
/// the matrix would show in the tenth digit of a partial correlation.
const WEAK: f64 = 1e-5;

/// The Cholesky factor of one target's current conditions; columns are indices of the matrix.
pub struct Factor<'a> {
    matrix: &'a LaggedCorrelation,
    target: usize,
    conditions: Vec<usize>,
    /// Rows below the diagonal, one after the other: row m has m entries and starts at m (m - 1) / 2.
    rows: Vec<f64>,
    inverse_pivots: Vec<f64>,
    /// The target's row of the factor.
    target_row: Vec<f64>,
    /// How many conditions come before the first weak pivot, if there is one.
    sound: Option<usize>,
    scratch: Vec<f64>,
}

impl<'a> Factor<'a> {
    /// A factor for tests of the column `target`, without conditions yet.
    pub fn new(matrix: &'a LaggedCorrelation, target: usize) -> Self {
        Self {
            matrix,
            target,
            conditions: Vec::new(),
            rows: Vec::new(),
            inverse_pivots: Vec::new(),
            target_row: Vec::new(),
            sound: None,
            scratch: Vec::new(),
        }
    }

    /// Partial correlation of columns `x` and target given `conditions`; `None` if a pivot is too weak to trust it.
    pub fn partial_correlation(&mut self, x: usize, conditions: &[usize]) -> Option<f64> {
        self.condition_on(conditions);
        if self.sound.is_some() {
            return None;
        }
        let row = self.matrix.row_at(x);
        let explained_x = self.solve(row);
        let explained_y: f64 = self.target_row.iter().map(|v| v * v).sum();
        let (rest_x, rest_y) = (1.0 - explained_x, 1.0 - explained_y);
        let enough = rest_x > WEAK && rest_y > WEAK;
        let covariance = row[self.target] - dot(&self.scratch, &self.target_row);
        enough.then(|| (covariance / (rest_x * rest_y).sqrt()).clamp(-1.0, 1.0))
    }

    /// Keep the rows of the conditions that agree from the first on, add the others.
    fn condition_on(&mut self, conditions: &[usize]) {
        let shared = self.conditions.iter().zip(conditions).take_while(|(a, b)| a == b).count();
        if shared < self.conditions.len() {
            self.conditions.truncate(shared);
            self.rows.truncate(shared * shared.saturating_sub(1) / 2);
            self.inverse_pivots.truncate(shared);
            self.target_row.truncate(shared);
            self.sound = self.sound.filter(|&sound| sound < shared);
        }
        for &column in &conditions[shared..] {
            self.push(column);
        }
    }

    fn push(&mut self, column: usize) {
        let row = self.matrix.row_at(column);
        let pivot = 1.0 - self.solve(row);
        if pivot <= WEAK && self.sound.is_none() {
            self.sound = Some(self.conditions.len());
        }
        let inverse = if pivot > WEAK { 1.0 / pivot.sqrt() } else { 0.0 };
        self.target_row.push((row[self.target] - dot(&self.scratch, &self.target_row)) * inverse);
        self.rows.extend_from_slice(&self.scratch);
        self.inverse_pivots.push(inverse);
        self.conditions.push(column);
    }

    /// Solve L s = (correlations of a column with the conditions) into the scratch; return the sum of squares.
    fn solve(&mut self, correlations: &[f64]) -> f64 {
        self.scratch.clear();
        let (mut start, mut sum) = (0, 0.0);
        for (m, (&condition, inverse)) in self.conditions.iter().zip(&self.inverse_pivots).enumerate() {
            let value = (correlations[condition] - dot(&self.rows[start..start + m], &self.scratch)) * inverse;
            self.scratch.push(value);
            sum += value * value;
            start += m;
        }
        sum
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
