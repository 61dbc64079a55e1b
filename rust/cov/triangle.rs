//! Cholesky factors of correlation matrices, and their inverses, as dense lower triangles.

use crate::error::Result;
use crate::parallel::Monitor;

/// A square matrix that is 0 above its diagonal, row-major.
#[derive(Debug, Clone)]
pub struct Triangle {
    size: usize,
    values: Vec<f64>,
}

impl Triangle {
    /// The factor L of a matrix `A = L L^T`, of which only the lower triangle is read.
    ///
    /// A pivot is what the columns before a column leave of its square. Where that is at most `least`, the column is left
    /// out: it gets a column of zeros in L, and a column and a row of zeros in the inverse. All others come out as if it
    /// had not been there.
    pub fn factor(mut values: Vec<f64>, size: usize, least: f64, monitor: &Monitor) -> Result<Self> {
        debug_assert_eq!(values.len(), size * size);
        let mut inverse_pivots = vec![0.0; size];
        for i in 0..size {
            monitor.check()?;
            let (above, rest) = values.split_at_mut(i * size);
            let row = &mut rest[..size];
            for (k, above) in above.chunks_exact(size).enumerate() {
                row[k] = (row[k] - dot(&row[..k], &above[..k])) * inverse_pivots[k];
            }
            let pivot = row[i] - dot(&row[..i], &row[..i]);
            let root = if pivot > least { pivot.sqrt() } else { 0.0 };
            row[i] = root;
            row[i + 1..].fill(0.0);
            inverse_pivots[i] = if root > 0.0 { root.recip() } else { 0.0 };
        }
        Ok(Self { size, values })
    }

    /// L^-1, with zeros for the columns that were left out.
    pub fn inverse(&self, monitor: &Monitor) -> Result<Self> {
        let size = self.size;
        let mut values = vec![0.0; size * size];
        for i in 0..size {
            monitor.check()?;
            let pivot = self.row(i)[i];
            if pivot == 0.0 {
                continue;
            }
            let (above, rest) = values.split_at_mut(i * size);
            let out = &mut rest[..=i];
            for (k, &weight) in self.row(i)[..i].iter().enumerate() {
                out.iter_mut().zip(&above[k * size..=k * size + k]).for_each(|(o, a)| *o -= weight * a);
            }
            out.iter_mut().for_each(|o| *o /= pivot);
            out[i] = pivot.recip();
        }
        Ok(Self { size, values })
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Row `i` up to and including its diagonal entry.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.size..=i * self.size + i]
    }

    /// All entries, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether column `i` was kept.
    pub fn keeps(&self, i: usize) -> bool {
        self.row(i)[i] != 0.0
    }

    /// The triangle times a vector.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(self.row(i), &vector[..=i])).collect()
    }

    /// The transposed triangle times a vector.
    pub fn transposed_times(&self, vector: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.size];
        for (i, &weight) in vector.iter().enumerate() {
            out.iter_mut().zip(self.row(i)).for_each(|(o, v)| *o += weight * v);
        }
        out
    }
}

/// Dot product in eight interleaved partial sums, over equal lengths.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f64>()
}
