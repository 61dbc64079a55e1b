//! Many tests of one target that all have the target's own parents among their conditions.
//!
//! With A the own parents, every column c of the matrix is projected on them once: u(c) = L^-1 corr(A, c), L the Cholesky
//! factor of A. What they leave of the correlation of two columns is then corr(c, d) - u(c).u(d), and a test only has to
//! eliminate the conditions of its source.

use super::block::Block;
use super::cholesky::WEAK;
use super::table::dot;
use crate::cov::LaggedCorrelation;

/// The projections of all columns on the own parents of a target.
pub struct GivenOwn<'a> {
    target: usize,
    with_target: &'a [f64],
    n_own: usize,
    is_own: Vec<bool>,
    /// u of every column, one after the other.
    projections: Vec<f64>,
    /// Positions in the block of the current test's conditions, then of its source.
    chosen: Vec<usize>,
    /// What the own parents leave of the correlations between these and the target, the target last; lower triangle.
    rest: Vec<f64>,
}

impl<'a> GivenOwn<'a> {
    /// Project on the columns `own`; `None` if one of them is nearly explained by those before it.
    pub fn new(matrix: &'a LaggedCorrelation, target: usize, own: &[usize]) -> Option<Self> {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(own.len());
        for &column in own {
            let mut row = matrix.row_at(column).to_vec();
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
        let mut is_own = vec![false; matrix.n_columns()];
        for &column in own {
            is_own[column] = true;
        }
        let of_column = |column: usize| rows.iter().map(move |row| row[column]);
        Some(Self {
            target,
            with_target: matrix.row_at(target),
            n_own: own.len(),
            is_own,
            projections: (0..matrix.n_columns()).flat_map(of_column).collect(),
            chosen: Vec::new(),
            rest: Vec::new(),
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
        let val = eliminate(&mut self.rest, n_conditions)?;
        Some((val, self.n_own + n_conditions))
    }

    fn fill(&mut self, block: &Block) {
        self.rest.clear();
        let projection = |column: usize| &self.projections[column * self.n_own..][..self.n_own];
        for (k, &p) in self.chosen.iter().enumerate() {
            let (row, u) = (block.row(p), projection(block.columns[p]));
            self.rest.extend(self.chosen[..=k].iter().map(|&q| row[q] - dot(u, projection(block.columns[q]))));
        }
        let u = projection(self.target);
        let columns = self.chosen.iter().map(|&p| block.columns[p]).chain([self.target]);
        self.rest.extend(columns.map(|column| self.with_target[column] - dot(u, projection(column))));
    }
}

/// Take the first `k` variables out of the last two and correlate these; `None` where too little is left of one.
///
/// `rest` is the lower triangle of a symmetric matrix, row by row.
fn eliminate(rest: &mut [f64], k: usize) -> Option<f64> {
    let mut first = 0;
    for i in 0..k + 2 {
        let (above, row) = rest.split_at_mut(first);
        let row = &mut row[..=i];
        // Row i of the Cholesky factor; x and y stay uneliminated from each other.
        let mut start = 0;
        for j in 0..i.min(k) {
            let (before, from) = row.split_at_mut(j);
            let other = &above[start..][..=j];
            from[0] = (from[0] - dot(before, &other[..j])) * other[j];
            start += j + 1;
        }
        let m = i.min(k);
        let (factor, left) = row.split_at_mut(m);
        if i < k {
            let pivot = left[0] - dot(factor, factor);
            if pivot <= WEAK {
                return None;
            }
            left[0] = pivot.sqrt().recip();
        }
        first += i + 1;
    }
    let (x, y) = rest[k * (k + 1) / 2..].split_at(k + 1);
    let (of_x, of_y) = (&x[..k], &y[..k]);
    let (rest_x, rest_y) = (x[k] - dot(of_x, of_x), y[k + 1] - dot(of_y, of_y));
    let covariance = y[k] - dot(of_x, of_y);
    (rest_x > WEAK && rest_y > WEAK).then(|| (covariance / (rest_x * rest_y).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::super::block::SourceBlocks;
    use super::super::links::{Links, Node};
    use super::super::test::{Status, Tests};
    use crate::cov::{LaggedCorrelation, Marginals, Window};
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
            let tests = Tests::new(&window, Marginals::Raw, usize::MAX, &Monitor::default()).unwrap();
            let own = &parents[0];
            let Some(mut given) = tests.of_target(0).given_own(own) else { return Ok(()) };
            let flags: Vec<bool> = (0..N * N * (TAU_MAX + 1)).map(|k| k % (TAU_MAX + 1) > 0).collect();
            let links = Links::new(&flags, None, N, TAU_MAX).unwrap();
            let matrix = LaggedCorrelation::on(&window, &Monitor::default()).unwrap();
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
