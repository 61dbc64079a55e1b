//! Many tests of one target that all have the target's own parents among their conditions.
//!
//! With A the own parents, every column c of the matrix is projected on them once: u(c) = L^-1 corr(A, c), L the Cholesky
//! factor of A. What they leave of the correlation of two columns is then corr(c, d) - u(c).u(d), and a test only has to
//! eliminate the conditions of its source.

use super::block::Block;
use super::cholesky::WEAK;
use super::gram::Gram;
use super::kernel::Four;
use crate::cov::Correlations;

/// The projections of all columns on the own parents of a target.
pub struct GivenOwn {
    target: usize,
    /// Correlations of every column with the target.
    with_target: Vec<f64>,
    n_own: usize,
    is_own: Vec<bool>,
    /// u of every column, one after the other.
    projections: Vec<f64>,
    /// Positions in the block of the current test's conditions, then of its source.
    chosen: Vec<usize>,
    /// Projections of these and of the target, side by side.
    vectors: Vec<Four>,
    /// What the own parents leave of the correlations between these and the target, the target last.
    rest: Gram,
}

impl GivenOwn {
    /// Project on the columns `own`; `None` if one of them is nearly explained by those before it.
    pub fn new(matrix: &Correlations, target: usize, own: &[usize]) -> Option<Self> {
        let rows = factor_rows(matrix, own)?;
        let mut is_own = vec![false; matrix.n_columns()];
        for &column in own {
            is_own[column] = true;
        }
        let of_column = |column: usize| rows.iter().map(move |row| row[column]);
        Some(Self {
            target,
            with_target: matrix.row(target),
            n_own: own.len(),
            is_own,
            projections: (0..matrix.n_columns()).flat_map(of_column).collect(),
            chosen: Vec::new(),
            vectors: Vec::new(),
            rest: Gram::default(),
        })
    }

    /// Partial correlation of the target with the block's source given the own parents and the block's others, and how
    /// many conditions these are; `None` where the source is an own parent or the digits can't be trusted.
    pub fn partial_correlation(&mut self, block: &Block) -> Option<(f64, usize)> {
        let (source, conditions) = block.columns.split_last()?;
        if self.is_own[*source] {
            return None;
        }
        self.chosen.clear();
        let new = |&(_, column): &(usize, &usize)| !self.is_own[*column] && *column != self.target;
        self.chosen.extend(conditions.iter().enumerate().filter(new).map(|(position, _)| position));
        let n_conditions = self.chosen.len();
        self.chosen.push(conditions.len());
        self.fill(block);
        let val = self.rest.partial_correlation(n_conditions)?;
        Some((val, self.n_own + n_conditions))
    }

    fn fill(&mut self, block: &Block) {
        let m = self.chosen.len() + 1;
        self.rest.start(m);
        for (k, &p) in self.chosen.iter().enumerate() {
            let row = block.row(p);
            let out = self.rest.row_mut(k);
            out[k..].iter_mut().zip(&self.chosen[k..]).for_each(|(v, &q)| *v = row[q]);
            out[m - 1] = self.with_target[block.columns[p]];
        }
        self.rest.row_mut(m - 1)[m - 1] = 1.0;
        self.gather(block, m.div_ceil(4));
        self.rest.subtract_products(&self.vectors);
    }

    /// Projections of the block's chosen columns and of the target, side by side: a row of `width` blocks an own parent.
    fn gather(&mut self, block: &Block, width: usize) {
        let columns = self.chosen.iter().map(|&p| block.columns[p]).chain([self.target]);
        self.vectors.clear();
        self.vectors.resize(self.n_own * width, [0.0; 4]);
        let vectors = self.vectors.as_flattened_mut();
        for (k, column) in columns.enumerate() {
            let u = &self.projections[column * self.n_own..][..self.n_own];
            vectors.iter_mut().skip(k).step_by(4 * width).zip(u).for_each(|(v, u)| *v = *u);
        }
    }
}

/// The rows L^-1 corr(A, .) of every column, one an own parent.
fn factor_rows(matrix: &Correlations, own: &[usize]) -> Option<Vec<Vec<f64>>> {
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(own.len());
    for &column in own {
        let mut row = matrix.row(column);
        for above in &rows {
            let weight = above[column];
            row.iter_mut().zip(above).for_each(|(v, a)| *v -= weight * a);
        }
        let pivot = row[column];
        if pivot <= WEAK {
            return None;
        }
        let inverse = pivot.sqrt().recip();
        for v in &mut row {
            *v *= inverse;
        }
        rows.push(row);
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::super::block::SourceBlocks;
    use super::super::links::{Links, Node};
    use super::super::test::{Status, Tests};
    use crate::cov::{Correlations, Form, Marginals, Window};
    use crate::parallel::Monitor;
    use crate::series::Series;
    use proptest::prelude::*;

    /// Four series up to lag 2; series 2 is nearly a copy of series 1 in some cases, series 3 is constant.
    const N: usize = 4;
    const TAU_MAX: usize = 2;

    fn nodes() -> impl Strategy<Value = Vec<Node>> {
        let of = |(series, lag)| Node { series, lag };
        prop::collection::btree_set((0..N, 1..=TAU_MAX), 0..5).prop_map(move |set| set.into_iter().map(of).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_block_tests_as_its_nodes_do_one_after_the_other(
            x in prop::collection::vec(-1.0_f64..1.0, 3 * 60),
            closeness in prop::sample::select(vec![1.0, 1e-4]),
            parents in prop::collection::vec(nodes(), N),
        ) {
            let mut x = [x, vec![0.5; 60]].concat();
            for t in 0..60 {
                x[120 + t] = x[60 + t] + closeness * x[120 + t];
            }
            let series = Series::new(&x, None, N, 60, vec![]).unwrap();
            let window = Window::new(&series, 2 * TAU_MAX, 2 * TAU_MAX).unwrap();
            let tests = Tests::with(Some(Form::Matrix), &window, Marginals::Raw, &Monitor::default()).unwrap();
            let own = &parents[0];
            let Some(mut given) = tests.of_target(0).given_own(own) else { return Ok(()) };
            let flags: Vec<bool> = (0..N * N * (TAU_MAX + 1)).map(|k| k % (TAU_MAX + 1) > 0).collect();
            let links = Links::new(&flags, None, N, TAU_MAX).unwrap();
            let matrix = Correlations::new(Form::Matrix, &window, None, &Monitor::default()).unwrap();
            let blocks = SourceBlocks::of_all(&matrix, &links, &parents, usize::MAX);
            for x in links.into_target(0) {
                let source = parents[x.series].iter().map(|p| Node { series: p.series, lag: p.lag + x.lag });
                let mut conditions = own.clone();
                conditions.extend(source.filter(|z| !own.contains(z)));
                let Some(block) = blocks.of(x) else { continue };
                let Some(found) = tests.of_target(0).test_block(&mut given, block) else { continue };
                prop_assert!(!own.contains(&x));
                let alone = tests.of_target(0).test(x, &conditions);
                prop_assert_eq!((found.df, Status::Ok), (alone.df, alone.status));
                prop_assert!((found.val - alone.val).abs() < 1e-10, "{} {}", found.val, alone.val);
            }
        }
    }
}
