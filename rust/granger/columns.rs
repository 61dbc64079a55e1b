//! Where correlations of lagged columns come from: one matrix of all of them, or the rows of those that are needed.

use crate::cov::{LaggedCorrelation, View, Window, multiply_add, scale_for};
use crate::dot::dot;
use crate::pcmci::Node;

/// The lagged columns of a run on their common rows.
pub enum Columns<'a> {
    /// All correlations, computed once.
    Matrix(LaggedCorrelation),
    /// Columns are read and multiplied when a model needs them: cheaper where few of many columns are needed.
    Rows(Window<'a>),
}

impl Columns<'_> {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Matrix(matrix) => matrix.n_rows(),
            Self::Rows(window) => window.n_rows(),
        }
    }

    /// Whether the column varies on the rows.
    pub fn varies(&self, node: Node) -> bool {
        match self {
            Self::Matrix(matrix) => matrix.varies(node.series, node.lag),
            Self::Rows(window) => !window.is_constant(node.series, node.lag),
        }
    }

    /// Correlations of `some` columns, all of which vary, with `others`: `some.len()` rows, row-major.
    pub fn correlations(&self, some: &[Node], others: &[Node]) -> Vec<f64> {
        match self {
            Self::Matrix(matrix) => {
                let index = |n: &Node| matrix.index(n.series, n.lag);
                let others: Vec<usize> = others.iter().map(index).collect();
                let mut out = Vec::with_capacity(some.len() * others.len());
                for row in some.iter().map(|n| matrix.row_at(index(n))) {
                    out.extend(others.iter().map(|&other| row[other]));
                }
                out
            }
            Self::Rows(window) => multiplied(window, some, others),
        }
    }
}

fn multiplied(window: &Window, some: &[Node], others: &[Node]) -> Vec<f64> {
    let n = window.n_rows();
    let [left, right] = [some, others].map(|nodes| gathered(window, nodes));
    let mut out = vec![0.0; some.len() * others.len()];
    let left = View { data: &left, start: 0, row_stride: n as isize, col_stride: 1 };
    let right = View { data: &right, start: 0, row_stride: 1, col_stride: n as isize };
    multiply_add([some.len(), n, others.len()], left, right, &mut out, others.len());
    for (row, node) in out.chunks_mut(others.len().max(1)).zip(some) {
        row.iter_mut().zip(others).filter(|(_, other)| *other == node).for_each(|(v, _)| *v = 1.0);
    }
    out
}

/// The columns, centred and of norm 1, one after the other.
fn gathered(window: &Window, nodes: &[Node]) -> Vec<f64> {
    let n = window.n_rows();
    let mut out: Vec<f64> = Vec::with_capacity(nodes.len() * n);
    for node in nodes {
        let start = out.len();
        out.extend(window.column(node.series, node.lag).flatten());
        let column = &mut out[start..];
        let largest = column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = scale_for(largest);
        for v in column.iter_mut() {
            *v *= scale;
        }
        // The first mean of values far from 0 is itself rounded.
        for _ in 0..2 {
            let mean = column.iter().sum::<f64>() / n as f64;
            for v in column.iter_mut() {
                *v -= mean;
            }
        }
        let norm = dot(column, column).sqrt();
        for v in column.iter_mut() {
            *v /= norm;
        }
    }
    out
}
