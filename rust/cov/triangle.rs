//! Cholesky factors of correlation matrices, and their inverses, as dense lower triangles.

use crate::dot::dot;
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
            for o in out.iter_mut() {
                *o /= pivot;
            }
            out[i] = pivot.recip();
        }
        Ok(Self { size, values })
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

    /// The x of `L x = rhs`, 0 for columns that were left out.
    pub fn solve(&self, rhs: &[f64]) -> Vec<f64> {
        let mut x = Vec::with_capacity(self.size);
        for (i, value) in rhs.iter().enumerate() {
            let (pivot, row) = (self.row(i)[i], &self.row(i)[..i]);
            x.push(if pivot > 0.0 { (value - dot(row, &x)) / pivot } else { 0.0 });
        }
        x
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `B B^T` of a square B, plus 1 on the diagonal.
    fn positive(b: &[f64], size: usize) -> Vec<f64> {
        let row = |i: usize| &b[i * size..][..size];
        let entry = |i, j| dot(row(i), row(j)) + f64::from(u8::from(i == j));
        (0..size * size).map(|at| entry(at / size, at % size)).collect()
    }

    fn factor(a: &[f64], size: usize) -> Triangle {
        Triangle::factor(a.to_vec(), size, 1e-10, &Monitor::default()).unwrap()
    }

    proptest! {
        #[test]
        fn the_factor_multiplies_back_and_the_inverse_undoes_it(
            b in prop::collection::vec(-1.0_f64..1.0, 81), x in prop::collection::vec(-1.0_f64..1.0, 9),
        ) {
            let a = positive(&b, 9);
            let l = factor(&a, 9);
            let inverse = l.inverse(&Monitor::default()).unwrap();
            for i in 0..9 {
                for j in 0..=i {
                    prop_assert!((dot(&l.row(i)[..=j], l.row(j)) - a[i * 9 + j]).abs() < 1e-13);
                }
            }
            let product: Vec<f64> = (0..9).map(|i| dot(l.row(i), &x[..=i])).collect();
            prop_assert!(l.solve(&product).iter().zip(&x).all(|(got, want)| (got - want).abs() < 1e-12));
            // Row i of L^-1 L.
            for i in 0..9 {
                let of_column = |j: usize| (j..=i).map(|k| inverse.row(i)[k] * l.row(k)[j]).sum::<f64>();
                prop_assert!((0..=i).all(|j| (of_column(j) - f64::from(u8::from(i == j))).abs() < 1e-12));
            }
            let squares: f64 = inverse.transposed_times(&x).iter().zip(&x).map(|(u, v)| u * v).sum();
            let other: f64 = (0..9).map(|i| dot(inverse.row(i), &x[..=i]) * x[i]).sum();
            prop_assert!((squares - other).abs() < 1e-10);
        }

        #[test]
        fn a_dependent_column_changes_nothing_for_the_others(b in prop::collection::vec(-1.0_f64..1.0, 16)) {
            let a = positive(&b, 4);
            // The same matrix with a copy of column 1 after it.
            let from = [0, 1, 1, 2, 3];
            let twice: Vec<f64> = (0..25).map(|at| a[from[at / 5] * 4 + from[at % 5]]).collect();
            let (plain, twice) = (factor(&a, 4), factor(&twice, 5));
            prop_assert!(!twice.keeps(2) && (0..4).all(|i| plain.keeps(i)));
            let kept = [0, 1, 3, 4];
            let inverses = [&plain, &twice].map(|l| l.inverse(&Monitor::default()).unwrap());
            for (i, &at) in kept.iter().enumerate() {
                for (j, &column) in kept[..=i].iter().enumerate() {
                    prop_assert_eq!(plain.row(i)[j], twice.row(at)[column]);
                    prop_assert_eq!(inverses[0].row(i)[j], inverses[1].row(at)[column]);
                }
                prop_assert!(at < 2 || inverses[1].row(at)[2] == 0.0);
            }
        }
    }
}
