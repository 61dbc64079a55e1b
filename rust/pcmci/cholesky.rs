//! Partial correlations from the lagged correlation matrix by Cholesky factors that grow and shrink.
//!
//! With the variables in the order Z, X, Y, the last two rows of the Cholesky factor L of their correlation matrix give
//! `r = L[y,x] / sqrt(L[y,x]^2 + L[y,y]^2)`. Consecutive tests of a target mostly share their first conditions; the
//! rows of L that belong to those, and the target's row, are kept.

use crate::cov::{Correlations, Line};

/// A pivot is the share of a variable's variance that the conditions before it leave. Below this, rounding errors of
/// the matrix would show in the tenth digit of a partial correlation.
pub const WEAK: f64 = 1e-5;

/// Numbers in fours, padded with zeros: dot products without loops of odd lengths.
type Blocks = Vec<[f64; 4]>;

/// The Cholesky factor of one target's current conditions; columns are indices of the matrix.
pub struct Factor<'a> {
    matrix: &'a Correlations<'a>,
    /// The target's row of the matrix.
    with_target: Line<'a>,
    conditions: Vec<usize>,
    /// Rows of the matrix of the conditions. Entries are read from these, not from the row of the column they are
    /// needed for: most conditions stay from test to test, and so do their rows in the processor's cache.
    with_condition: Vec<Line<'a>>,
    /// Rows of the factor without their pivots, one after the other; row m has m entries.
    rows: Blocks,
    /// Where each row starts.
    starts: Vec<usize>,
    inverse_pivots: Vec<f64>,
    /// The target's row of the factor.
    target_row: Blocks,
    /// How many conditions come before the first weak pivot, if there is one.
    sound: Option<usize>,
    /// The row being solved for.
    row: Blocks,
}

impl<'a> Factor<'a> {
    /// A factor for tests of the column `target`, without conditions yet.
    pub fn new(matrix: &'a Correlations<'a>, target: usize) -> Self {
        Self {
            matrix,
            with_target: matrix.line(target),
            conditions: Vec::new(),
            with_condition: Vec::new(),
            rows: Blocks::new(),
            starts: Vec::new(),
            inverse_pivots: Vec::new(),
            target_row: Blocks::new(),
            sound: None,
            row: Blocks::new(),
        }
    }

    /// Partial correlation of columns `x` and target given `conditions`; `None` if a pivot is too weak to trust it.
    pub fn partial_correlation(&mut self, x: usize, conditions: &[usize]) -> Option<f64> {
        self.condition_on(conditions);
        if self.sound.is_some() {
            return None;
        }
        self.solve(x);
        let rest_x = 1.0 - dot(&self.row, &self.row);
        let rest_y = 1.0 - dot(&self.target_row, &self.target_row);
        let covariance = self.with_target.at(x) - dot(&self.row, &self.target_row);
        let enough = rest_x > WEAK && rest_y > WEAK;
        enough.then(|| (covariance / (rest_x * rest_y).sqrt()).clamp(-1.0, 1.0))
    }

    /// The share of the target's variance that `conditions` leave; `None` if it or a pivot is too small to trust it.
    pub fn unexplained(&mut self, conditions: &[usize]) -> Option<f64> {
        self.condition_on(conditions);
        let rest = 1.0 - dot(&self.target_row, &self.target_row);
        (self.sound.is_none() && rest > WEAK).then_some(rest)
    }

    /// Keep the rows of the conditions that agree from the first on, add the others.
    fn condition_on(&mut self, conditions: &[usize]) {
        let shared = self.conditions.iter().zip(conditions).take_while(|(a, b)| a == b).count();
        if shared < self.conditions.len() {
            self.rows.truncate(self.starts[shared]);
            self.starts.truncate(shared);
            self.conditions.truncate(shared);
            self.with_condition.truncate(shared);
            self.inverse_pivots.truncate(shared);
            self.target_row.truncate(shared.div_ceil(4));
            if let Some(last) = self.target_row.last_mut().filter(|_| !shared.is_multiple_of(4)) {
                last[shared % 4..].fill(0.0);
            }
            self.sound = self.sound.filter(|&sound| sound < shared);
        }
        for &column in &conditions[shared..] {
            self.push(column);
        }
    }

    fn push(&mut self, column: usize) {
        let m = self.conditions.len();
        self.solve(column);
        let pivot = 1.0 - dot(&self.row, &self.row);
        if pivot <= WEAK && self.sound.is_none() {
            self.sound = Some(m);
        }
        let inverse = if pivot > WEAK { 1.0 / pivot.sqrt() } else { 0.0 };
        let entry = (self.with_target.at(column) - dot(&self.row, &self.target_row)) * inverse;
        set(&mut self.target_row, m, entry);
        self.starts.push(self.rows.len());
        self.rows.extend_from_slice(&self.row);
        self.inverse_pivots.push(inverse);
        self.conditions.push(column);
        self.with_condition.push(self.matrix.line(column));
    }

    /// Solve L row = (correlations of the column with the conditions), four conditions at a time: what earlier blocks
    /// take off them are four independent sums.
    fn solve(&mut self, column: usize) {
        self.row.clear();
        for (block, conditions) in self.with_condition.chunks(4).enumerate() {
            let mut values = [0.0; 4];
            for (r, correlations) in conditions.iter().enumerate() {
                let m = 4 * block + r;
                let above = &self.rows[self.starts[m]..];
                let mut rest = correlations.at(column) - dot(&self.row, above);
                for q in 0..r {
                    rest -= above[block][q] * values[q];
                }
                values[r] = rest * self.inverse_pivots[m];
            }
            self.row.push(values);
        }
    }
}

/// Write entry `m`, at most one past the last.
fn set(blocks: &mut Blocks, m: usize, value: f64) {
    if m.is_multiple_of(4) {
        blocks.push([value, 0.0, 0.0, 0.0]);
    } else {
        blocks[m / 4][m % 4] = value;
    }
}

/// Dot product over the length of the shorter one.
fn dot(a: &[[f64; 4]], b: &[[f64; 4]]) -> f64 {
    let mut sums = [0.0; 4];
    for (x, y) in a.iter().zip(b) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}
