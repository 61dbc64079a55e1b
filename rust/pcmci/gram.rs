//! Partial correlations from a small symmetric matrix by elimination.

use super::cholesky::WEAK;
use super::kernel::{self, Four, Kernel};

/// The correlations, or what is left of them, of a few variables: first the conditions, then what is tested. Only the
/// upper triangle counts. The memory is kept from test to test.
pub struct Gram {
    kernel: Kernel,
    m: usize,
    /// Blocks a row.
    width: usize,
    rows: Vec<Four>,
}

impl Default for Gram {
    fn default() -> Self {
        Self::with(kernel::best())
    }
}

impl Gram {
    /// A matrix that is worked on by this kernel.
    pub fn with(kernel: Kernel) -> Self {
        Self { kernel, m: 0, width: 0, rows: Vec::new() }
    }

    /// Start with `m` variables and zeros.
    pub fn start(&mut self, m: usize) {
        (self.m, self.width) = (m, m.div_ceil(4));
        self.rows.clear();
        self.rows.resize(m * self.width, [0.0; 4]);
    }

    /// Row `i`, padded to a multiple of four.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        self.rows[i * self.width..][..self.width].as_flattened_mut()
    }

    /// The entry of variables `i` and `j >= i`.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.rows[i * self.width + j / 4][j % 4]
    }

    /// Partial correlation of the last two variables given the `k` before them; `None` where the matrix has too few
    /// digits for it. Spoils the matrix.
    pub fn partial_correlation(&mut self, k: usize) -> Option<f64> {
        self.eliminate(k)?;
        let (x, covariance, y) = (self.at(k, k), self.at(k, k + 1), self.at(k + 1, k + 1));
        (x > WEAK && y > WEAK).then(|| (covariance / (x * y).sqrt()).clamp(-1.0, 1.0))
    }

    /// The share of the last variable's variance that the `k` before it leave; `None` as above. Spoils the matrix.
    pub fn unexplained(&mut self, k: usize) -> Option<f64> {
        self.eliminate(k)?;
        Some(self.at(k, k)).filter(|&rest| rest > WEAK)
    }

    fn eliminate(&mut self, k: usize) -> Option<()> {
        self.kernel.eliminate(&mut self.rows, self.width, self.m, k, WEAK).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::available;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Against eliminations of one number after the other.
        #[test]
        fn every_kernel_does_what_the_plain_steps_do(
            m in 2_usize..14, values in prop::collection::vec(-0.1_f64..0.1, 14 * 14),
        ) {
            let start = |i: usize, j: usize| if i == j { 1.0 } else { values[i.min(j) * 14 + i.max(j)] };
            let mut rest: Vec<Vec<f64>> = (0..m).map(|i| (0..m).map(|j| start(i, j)).collect()).collect();
            for k in 0..m - 2 {
                let pivots = rest[k].clone();
                prop_assume!(pivots[k] > 0.01);
                for i in k + 1..m {
                    (0..m).for_each(|j| rest[i][j] -= pivots[i] * pivots[j] / pivots[k]);
                }
            }
            let [x, y] = [rest[m - 2][m - 2], rest[m - 1][m - 1]];
            prop_assume!(x > 0.01 && y > 0.01);
            for kernel in available() {
                let mut gram = Gram::with(kernel);
                gram.start(m);
                for i in 0..m {
                    (i..m).for_each(|j| gram.row_mut(i)[j] = start(i, j));
                }
                let found = gram.partial_correlation(m - 2).unwrap();
                prop_assert!((found - (rest[m - 2][m - 1] / (x * y).sqrt()).clamp(-1.0, 1.0)).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn a_weak_pivot_is_no_answer() {
        for kernel in available() {
            let mut gram = Gram::with(kernel);
            gram.start(3);
            gram.row_mut(0).copy_from_slice(&[1.0, 1.0, 0.5, 0.0]);
            gram.row_mut(1).copy_from_slice(&[0.0, 1.0, 0.5, 0.0]);
            gram.row_mut(2).copy_from_slice(&[0.0, 0.0, 1.0, 0.0]);
            assert_eq!(gram.partial_correlation(1), None);
        }
    }
}
