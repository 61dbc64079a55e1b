//! Least squares from inner products: a Cholesky factor that columns join one by one and leave from the end.

use crate::dot::dot;

/// A column of which the columns before it leave no more than this share is a linear combination of them.
pub const DEPENDENT: f64 = 1e-10;

/// Where inner products come from.
pub trait Products {
    /// Inner product of two columns.
    fn product(&self, p: usize, q: usize) -> f64;
}

/// The Cholesky factor of the inner products of some columns.
pub struct Factor<'a, P> {
    products: &'a P,
    columns: Vec<usize>,
    /// Row m has m + 1 entries, the pivot last, and starts at m (m + 1) / 2.
    rows: Vec<f64>,
}

/// A target's regression on the columns of a factor.
pub struct Regression {
    /// In the order of the factor.
    pub coefficients: Vec<f64>,
    /// What is left of the target's product with itself.
    pub rest: f64,
}

impl<P> Clone for Factor<'_, P> {
    fn clone(&self) -> Self {
        Self { products: self.products, columns: self.columns.clone(), rows: self.rows.clone() }
    }
}

impl<'a, P: Products> Factor<'a, P> {
    /// A factor without columns.
    pub fn new(products: &'a P) -> Self {
        Self { products, columns: Vec::new(), rows: Vec::new() }
    }

    /// A factor of those of the columns that do not depend on earlier ones.
    pub fn of(products: &'a P, columns: &[usize]) -> Self {
        let mut factor = Self::new(products);
        for &column in columns {
            factor.push(column);
        }
        factor
    }

    /// The columns that are in.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Add a column; says whether it was independent of those before it, otherwise it stays out.
    pub fn push(&mut self, column: usize) -> bool {
        let mut row = self.solve(column);
        let own = self.products.product(column, column);
        let pivot = own - dot(&row, &row);
        if pivot <= DEPENDENT * own {
            return false;
        }
        row.push(pivot.sqrt());
        self.rows.append(&mut row);
        self.columns.push(column);
        true
    }

    /// Keep the first `n` columns.
    pub fn truncate(&mut self, n: usize) {
        self.columns.truncate(n);
        self.rows.truncate(n * (n + 1) / 2);
    }

    /// Regress column `target` on the columns.
    pub fn regress(&self, target: usize) -> Regression {
        let half = self.solve(target);
        let rest = (self.products.product(target, target) - dot(&half, &half)).max(0.0);
        Regression { coefficients: self.solve_transposed(half), rest }
    }

    /// The x with G x = `right`, where G are the inner products of the columns.
    pub fn solve_for(&self, right: &[f64]) -> Vec<f64> {
        let mut half = Vec::with_capacity(right.len());
        for (m, value) in right.iter().enumerate() {
            let row = self.row(m);
            half.push((value - dot(&half, &row[..m])) / row[m]);
        }
        self.solve_transposed(half)
    }

    /// The column's row of the factor, were it to join, without its pivot. The product of two columns that is left once
    /// the factor's columns are taken off both is theirs less the dot product of these rows.
    pub fn solve(&self, column: usize) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.columns.len() + 1);
        for (m, &mine) in self.columns.iter().enumerate() {
            let row = self.row(m);
            out.push((self.products.product(column, mine) - dot(&out, &row[..m])) / row[m]);
        }
        out
    }

    fn solve_transposed(&self, mut x: Vec<f64>) -> Vec<f64> {
        for m in (0..x.len()).rev() {
            let row = self.row(m);
            x[m] /= row[m];
            let value = x[m];
            x[..m].iter_mut().zip(row).for_each(|(x, r)| *x -= value * r);
        }
        x
    }

    fn row(&self, m: usize) -> &[f64] {
        &self.rows[m * (m + 1) / 2..][..=m]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of a matrix.
    struct Matrix(Vec<Vec<f64>>);

    impl Products for Matrix {
        fn product(&self, p: usize, q: usize) -> f64 {
            dot(&self.0[p], &self.0[q])
        }
    }

    /// Columns a, b, a + b, y = 2 a - 3 b + something orthogonal to both.
    fn matrix() -> Matrix {
        let (a, b) = (vec![1.0, 1.0, 0.0, 0.0], vec![0.0, 1.0, 1.0, 0.0]);
        let sum = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        let y = a.iter().zip(&b).zip([0.0, 0.0, 0.0, 5.0]).map(|((a, b), e)| 2.0 * a - 3.0 * b + e).collect();
        Matrix(vec![a, b, sum, y])
    }

    #[test]
    fn regression_and_what_it_leaves() {
        let matrix = matrix();
        let factor = Factor::of(&matrix, &[0, 1]);
        let found = factor.regress(3);
        assert!((found.coefficients[0] - 2.0).abs() < 1e-14 && (found.coefficients[1] + 3.0).abs() < 1e-14);
        assert!((found.rest - 25.0).abs() < 1e-12);
        let again = factor.solve_for(&[matrix.product(0, 3), matrix.product(1, 3)]);
        assert!(again.iter().zip(&found.coefficients).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn dependent_columns_stay_out_and_the_last_can_leave() {
        let matrix = matrix();
        let mut factor = Factor::of(&matrix, &[0, 1, 2]);
        assert_eq!(factor.columns(), [0, 1]);
        factor.truncate(1);
        assert!(factor.push(2));
        assert_eq!(factor.columns(), [0, 2]);
        let found = factor.regress(3);
        assert!((found.coefficients[0] - 5.0).abs() < 1e-14 && (found.coefficients[1] + 3.0).abs() < 1e-14);
    }
}
