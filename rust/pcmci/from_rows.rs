//! One partial correlation straight from its rows: where a sample is missing, where the matrix would not fit, and
//! where variables are so nearly dependent that correlations have too few digits.
//!
//! X and Y are made orthogonal to the conditions by modified Gram-Schmidt steps, each done twice, and correlated.

use super::links::Node;
use super::test::{Status, Test};
use crate::cov::{CONSTANT, Window, is_constant, scale_for};

/// Buffers of one thread; they grow to what the largest test needs and are reused.
pub struct FromRows<'a> {
    window: &'a Window<'a>,
    /// Sample index of every row the current test uses.
    rows: Vec<usize>,
    basis: Vec<Column>,
}

/// A gathered column: centred values, and below which norm they are rounding noise.
#[derive(Default)]
struct Column {
    values: Vec<f64>,
    noise: f64,
}

impl<'a> FromRows<'a> {
    pub fn new(window: &'a Window<'a>) -> Self {
        Self { window, rows: Vec::new(), basis: Vec::new() }
    }

    /// Test x against y given the conditions, on the rows where none of them is missing.
    ///
    /// A constant condition is left out; a condition that the ones before it explain adds nothing to the fit but still
    /// costs its degree of freedom, as it does in a least-squares fit of all columns.
    pub fn test(&mut self, x: Node, y: Node, conditions: &[Node]) -> Test {
        self.choose_rows(x, y, conditions);
        let (Some(mut x), Some(mut y)) = (self.gather(x, Column::default()), self.gather(y, Column::default())) else {
            return Test::failed(Status::Constant);
        };
        let n_conditions = self.orthogonalise(conditions);
        let Some(df) = self.rows.len().checked_sub(2 + n_conditions).filter(|&df| df > 0) else {
            return Test::failed(Status::TooFewRows);
        };
        for column in [&mut x, &mut y] {
            if project_out(column, &self.basis).is_none() {
                return Test::failed(Status::Collinear);
            }
        }
        Test { val: dot(&x.values, &y.values).clamp(-1.0, 1.0), df, status: Status::Ok }
    }

    /// The share of y's variance that the conditions leave, and the number of rows it was measured on.
    pub fn unexplained(&mut self, y: Node, conditions: &[Node]) -> (f64, usize) {
        self.choose_rows(y, y, conditions);
        let Some(mut y) = self.gather(y, Column::default()) else { return (0.0, self.rows.len()) };
        let whole = dot(&y.values, &y.values);
        self.orthogonalise(conditions);
        let rest = project_out(&mut y, &self.basis).unwrap_or(0.0);
        (rest * rest / whole, self.rows.len())
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

    /// An orthonormal basis of the conditions; returns how many of them vary.
    fn orthogonalise(&mut self, conditions: &[Node]) -> usize {
        let mut spare = std::mem::take(&mut self.basis);
        let mut varying = 0;
        for &node in conditions {
            let Some(mut column) = self.gather(node, spare.pop().unwrap_or_default()) else { continue };
            varying += 1;
            if project_out(&mut column, &self.basis).is_some() {
                self.basis.push(column);
            }
        }
        varying
    }

    /// The centred samples of a node on the chosen rows, `None` if they are constant (or there are none).
    fn gather(&self, node: Node, mut column: Column) -> Option<Column> {
        let samples = self.window.series().series(node.series);
        column.values.clear();
        column.values.extend(self.rows.iter().map(|&t| samples[t - node.lag]));
        if is_constant(column.values.iter().copied()) {
            return None;
        }
        let n = column.values.len() as f64;
        let largest = column.values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = scale_for(largest);
        column.values.iter_mut().for_each(|v| *v *= scale);
        column.noise = CONSTANT * largest * scale * n.sqrt();
        for _ in 0..2 {
            let mean = column.values.iter().sum::<f64>() / n;
            column.values.iter_mut().for_each(|v| *v -= mean);
        }
        Some(column)
    }
}

/// Take the components along an orthonormal basis off and scale to norm 1; returns the norm that was left, `None` if it
/// is only rounding noise.
fn project_out(column: &mut Column, basis: &[Column]) -> Option<f64> {
    for _ in 0..2 {
        for direction in basis {
            let along = dot(&column.values, &direction.values);
            column.values.iter_mut().zip(&direction.values).for_each(|(v, d)| *v -= along * d);
        }
    }
    let norm = dot(&column.values, &column.values).sqrt();
    if norm <= column.noise {
        return None;
    }
    column.values.iter_mut().for_each(|v| *v /= norm);
    Some(norm)
}

/// Dot product in four interleaved partial sums.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut partial = [0.0; 4];
    let (a_blocks, b_blocks) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_blocks.zip(b_blocks) {
        for k in 0..4 {
            partial[k] += x[k] * y[k];
        }
    }
    partial.iter().sum::<f64>() + rest
}
