//! The columns of one test, gathered on its rows: first the conditions, then what is tested.

use super::gram::Gram;
use crate::cov::{CONSTANT, View, is_constant, multiply_add, scale_for};
use crate::dot::dot;

/// Columns of equal length, centred and scaled to a magnitude near 1, one after the other. The buffers of one thread are
/// reused.
#[derive(Default)]
pub struct Table {
    values: Vec<f64>,
    n_rows: usize,
    /// Below which norm a column is rounding noise.
    noise: Vec<f64>,
    products: Vec<f64>,
    gram: Gram,
}

impl Table {
    /// Forget all columns; the next ones have `n_rows` values.
    pub fn start(&mut self, n_rows: usize) {
        self.values.clear();
        self.noise.clear();
        self.n_rows = n_rows;
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.noise.len()
    }

    /// Add a column of `n_rows` samples; false, and nothing is added, if it is constant (or there are no rows).
    pub fn push(&mut self, samples: impl Iterator<Item = f64>) -> bool {
        let start = self.values.len();
        self.values.extend(samples);
        let column = &mut self.values[start..];
        if is_constant(column.iter().copied()) {
            self.values.truncate(start);
            return false;
        }
        let n = self.n_rows as f64;
        let largest = column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = scale_for(largest);
        for v in &mut *column {
            *v *= scale;
        }
        for _ in 0..2 {
            let mean = column.iter().sum::<f64>() / n;
            for v in &mut *column {
                *v -= mean;
            }
        }
        self.noise.push(CONSTANT * largest * scale * n.sqrt());
        true
    }

    /// Partial correlation of the last two columns given the `k` before them, from the correlations of all; `None` where
    /// these have too few digits for it.
    pub fn partial_correlation(&mut self, k: usize) -> Option<f64> {
        self.correlate();
        self.gram.partial_correlation(k)
    }

    /// The share of the last column's variance that the `k` before it leave; `None` as above.
    pub fn unexplained(&mut self, k: usize) -> Option<f64> {
        self.correlate();
        self.gram.unexplained(k)
    }

    fn correlate(&mut self) {
        let (m, n) = (self.len(), self.n_rows);
        self.products.clear();
        self.products.resize(m * m, 0.0);
        let columns = View { data: &self.values, start: 0, row_stride: n as isize, col_stride: 1 };
        let transposed = View { row_stride: 1, col_stride: n as isize, ..columns };
        multiply_add([m, n, m], columns, transposed, &mut self.products, m);
        let scales: Vec<f64> = (0..m).map(|i| self.products[i * (m + 1)].sqrt().recip()).collect();
        self.gram.start(m);
        for (i, products) in self.products.chunks(m).enumerate() {
            for ((v, product), other) in self.gram.row_mut(i).iter_mut().zip(products).zip(&scales) {
                *v = product * (scales[i] * other);
            }
        }
    }

    /// As [`Table::partial_correlation`], to all digits, by modified Gram-Schmidt steps, each done twice; `None` where
    /// the conditions leave nothing but rounding noise of either column. Spoils the table.
    pub fn partial_correlation_exactly(&mut self, k: usize) -> Option<f64> {
        let basis = self.orthogonalise(k);
        let rest = [k, k + 1].map(|at| self.project_out(at, &basis));
        rest.iter().all(Option::is_some).then(|| dot(self.column(k), self.column(k + 1)).clamp(-1.0, 1.0))
    }

    /// As [`Table::unexplained`], to all digits; 0 where nothing but rounding noise is left. Spoils the table.
    pub fn unexplained_exactly(&mut self, k: usize) -> f64 {
        let basis = self.orthogonalise(k);
        let whole = dot(self.column(k), self.column(k));
        let rest = self.project_out(k, &basis).unwrap_or(0.0);
        rest * rest / whole
    }

    fn column(&self, at: usize) -> &[f64] {
        &self.values[at * self.n_rows..][..self.n_rows]
    }

    /// Turn the first `k` columns into an orthonormal basis; returns which of them it consists of.
    fn orthogonalise(&mut self, k: usize) -> Vec<usize> {
        let mut basis = Vec::with_capacity(k);
        for at in 0..k {
            if self.project_out(at, &basis).is_some() {
                basis.push(at);
            }
        }
        basis
    }

    /// Take the components along basis columns, all before this one, off and scale to norm 1; returns the norm that was left, `None` if it is
    /// only rounding noise.
    fn project_out(&mut self, at: usize, basis: &[usize]) -> Option<f64> {
        let n = self.n_rows;
        let (before, from) = self.values.split_at_mut(at * n);
        let column = &mut from[..n];
        for _ in 0..2 {
            for direction in basis.iter().map(|&b| &before[b * n..][..n]) {
                let along = dot(column, direction);
                column.iter_mut().zip(direction).for_each(|(v, d)| *v -= along * d);
            }
        }
        let norm = dot(column, column).sqrt();
        if norm <= self.noise[at] {
            return None;
        }
        for v in &mut *column {
            *v /= norm;
        }
        Some(norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two conditions, then two columns; `closeness` is how far the second condition is from the first.
    fn table(closeness: f64) -> Table {
        let noise = |t: usize, k: usize| ((t * 7919 + k * 104_729) % 1009) as f64 + 1e6;
        let mut table = Table::default();
        table.start(60);
        let first = |t| noise(t, 1);
        assert!(table.push((0..60).map(first)));
        assert!(table.push((0..60).map(|t| first(t) + closeness * noise(t, 2))));
        for k in 3..5 {
            assert!(table.push((0..60).map(|t| noise(t, k) + 0.5 * first(t))));
        }
        table
    }

    #[test]
    fn both_ways_give_the_same_where_correlations_have_the_digits() {
        let found = table(1.0).partial_correlation(2).unwrap();
        assert!((found - table(1.0).partial_correlation_exactly(2).unwrap()).abs() < 1e-12);
        let mut of_one = table(1.0);
        of_one.values.truncate(3 * 60);
        of_one.noise.truncate(3);
        let share = of_one.unexplained(2).unwrap();
        assert!((share - of_one.unexplained_exactly(2)).abs() < 1e-12);
    }

    #[test]
    fn nearly_dependent_conditions_need_the_long_way() {
        assert_eq!(table(1e-4).partial_correlation(2), None);
        let close = table(1e-4).partial_correlation_exactly(2).unwrap();
        // The two conditions span the same plane however close they are.
        assert!((close - table(1.0).partial_correlation(2).unwrap()).abs() < 1e-6);
        assert_eq!(table(0.0).partial_correlation(2), None);
        assert!(table(0.0).partial_correlation_exactly(2).is_some());
    }

    #[test]
    fn constants_are_not_taken_in() {
        let mut table = table(1.0);
        assert!(!table.push((0..60).map(|_| 0.1)));
        assert_eq!((table.len(), table.values.len()), (4, 240));
        table.start(0);
        assert!(!table.push(std::iter::empty()) && table.len() == 0);
    }
}
