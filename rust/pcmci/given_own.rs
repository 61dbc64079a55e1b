//! Many tests of one target that all have the target's own parents among their conditions.
//!
//! With A the own parents, every column c of the matrix is projected on them once: u(c) = L^-1 corr(A, c), L the Cholesky
//! factor of A. What they leave of the correlation of two columns is then corr(c, d) - u(c).u(d), and a test only has to
//! eliminate the conditions of its source.
//!
//! A source x that is an own parent itself is tested given the others by the same steps. Let g = L^-1 e(x), so that g.g is
//! x's diagonal entry in the inverse of A's correlations. A column with u = g and no correlation with any other one is
//! left with -D, x's diagonal entry in the inverse once the conditions Z of the source are added to A; with c, what is
//! left between it and the target, and v, what is left of the target, adding the target gives
//!
//! ```text
//! r = -c / sqrt(D v + c^2)
//! ```

use super::block::{Block, SourceBlocks};
use super::cholesky::WEAK;
use super::kernel::{self, Four, Kernel, Tile};
use super::links::Node;
use crate::cov::Correlations;

/// Columns in a tile.
const TILE: usize = size_of::<Tile>() / size_of::<f64>();

/// A partial correlation and the number of its conditions.
type Answer = (f64, usize);

/// The projections of all columns on the own parents of a target.
pub struct GivenOwn<'a> {
    kernel: Kernel,
    blocks: &'a SourceBlocks,
    target: usize,
    n_own: usize,
    is_own: Vec<bool>,
    /// 1 for a column that conditions may add, 0 for one that is constant, own or the target.
    is_new: Vec<f64>,
    /// Correlations of every column with the target, 0 for own parents.
    with_target: Vec<f64>,
    /// u of every column, g of own parents; a row of `stride` an own parent.
    projections: Vec<Tile>,
    stride: usize,
    /// Number of the block that was tested last, and what it gave at each lag.
    last: Option<(usize, [Option<Answer>; 4])>,
    /// Projections of a block's columns and the target, then the correlations that these leave.
    rows: Vec<Tile>,
    keep: Vec<Four>,
}

impl<'a> GivenOwn<'a> {
    /// Project on the columns `own`; `None` if one of them is nearly explained by those before it.
    pub fn new(matrix: &Correlations, blocks: &'a SourceBlocks, target: usize, own: &[usize]) -> Option<Self> {
        Self::with(kernel::best(), matrix, blocks, target, own)
    }

    fn with(
        kernel: Kernel,
        matrix: &Correlations,
        blocks: &'a SourceBlocks,
        target: usize,
        own: &[usize],
    ) -> Option<Self> {
        let (projections, stride) = project(kernel, matrix, own)?;
        // Blocks read four columns from any one on.
        let mut is_new: Vec<f64> = (0..stride).map(|c| f64::from(u8::from(c < matrix.n_columns()))).collect();
        let mut with_target = matrix.row(target);
        with_target.resize(stride, 0.0);
        let mut is_own = vec![false; stride];
        for c in (0..matrix.n_columns()).filter(|&c| c == target || !matrix.varies_at(c)) {
            is_new[c] = 0.0;
        }
        for &c in own {
            (is_new[c], with_target[c], is_own[c]) = (0.0, 0.0, true);
        }
        let (n_own, rows, keep) = (own.len(), Vec::new(), Vec::new());
        Some(Self {
            kernel,
            blocks,
            target,
            n_own,
            is_own,
            is_new,
            with_target,
            projections,
            stride,
            last: None,
            rows,
            keep,
        })
    }

    /// Partial correlation of the target with x given the own parents and the conditions of x, and how many these are;
    /// `None` where there is no block or the digits can't be trusted.
    pub fn partial_correlation(&mut self, x: Node) -> Option<Answer> {
        let (number, lane) = self.blocks.place(x);
        if self.last.is_none_or(|(last, _)| last != number) {
            let answers = self.blocks.get(number).map_or([None; 4], |block| self.answer(block));
            self.last = Some((number, answers));
        }
        self.last?.1[lane]
    }

    /// What the block gives at each lag.
    fn answer(&mut self, block: &Block) -> [Option<Answer>; 4] {
        let k = block.columns.len() - 1;
        let width = (k + 2).div_ceil(4);
        self.fill(block, width);
        let pivots = self.kernel.factor(&mut self.rows, width, self.n_own, &self.keep);
        let rest = |p: usize, q: usize| self.rows[(self.n_own + p) * width + q / 4][q % 4];
        let (x, covariance, y) = (rest(k, k), rest(k, k + 1), rest(k + 1, k + 1));
        std::array::from_fn(|lane| {
            if !block.held[lane] || pivots[lane] <= WEAK {
                return None;
            }
            let is_own = self.is_own[block.columns[k] + lane];
            let of_rest = if is_own { of_own_source } else { of_source };
            let n_conditions = self.n_own + self.keep.iter().filter(|keep| keep[lane] > 0.0).count();
            let val = of_rest(x[lane], covariance[lane], y[lane])?;
            Some((val.clamp(-1.0, 1.0), n_conditions - usize::from(is_own)))
        })
    }

    /// Line up the block's conditions, its source and the target. Padding keeps what was there: nothing depends on it.
    fn fill(&mut self, block: &Block, width: usize) {
        let four = |values: &[f64], at: usize| -> Four { std::array::from_fn(|lane| values[at..at + 4][lane]) };
        let (columns, k) = (&block.columns[..], block.columns.len() - 1);
        let n_rows = self.n_own + k + 2;
        self.rows.resize(n_rows * width, Tile::default());
        let mut rows = self.rows.chunks_exact_mut(width).map(<[Tile]>::as_flattened_mut);
        for (u, out) in self.projections.chunks_exact(self.stride / TILE).zip(&mut rows) {
            let u = u.as_flattened().as_flattened();
            out.iter_mut().zip(columns).for_each(|(out, &c)| *out = four(u, c));
            out[k + 1] = [u[self.target]; 4];
        }
        let source_is_new: Four = std::array::from_fn(|lane| f64::from(u8::from(!self.is_own[columns[k] + lane])));
        for (p, (correlations, out)) in block.rows().zip(&mut rows).enumerate() {
            out[p..=k].copy_from_slice(correlations);
            out[k].iter_mut().zip(source_is_new).for_each(|(value, is_new)| *value *= is_new);
            out[k + 1] = four(&self.with_target, columns[p]);
        }
        if let Some(of_target) = rows.next() {
            of_target[k + 1] = [1.0; 4];
        }
        self.keep.clear();
        self.keep.extend(columns[..k].iter().map(|&c| four(&self.is_new, c)));
    }
}

/// From what is left of a source, between it and the target, and of the target.
fn of_source(x: f64, covariance: f64, y: f64) -> Option<f64> {
    (x > WEAK && y > WEAK).then(|| covariance / (x * y).sqrt())
}

/// The same for a source that is an own parent.
fn of_own_source(x: f64, covariance: f64, y: f64) -> Option<f64> {
    let precision = -x;
    let rest_x = 1.0 / precision;
    (rest_x > WEAK && y > WEAK).then(|| -covariance / (precision * y + covariance * covariance).sqrt())
}

/// L^-1 corr(A, .) of every column, L^-1 e(x) for x in A: a row an own parent, and the length of a row.
fn project(kernel: Kernel, matrix: &Correlations, own: &[usize]) -> Option<(Vec<Tile>, usize)> {
    let n_columns = matrix.n_columns();
    // Columns of the unit matrix come after those of the correlations.
    let stride = (n_columns + own.len().max(4)).next_multiple_of(TILE);
    let mut rows = vec![Tile::default(); own.len() * stride / TILE];
    for (e, &column) in own.iter().enumerate() {
        let (done, rest) = rows.split_at_mut(e * stride / TILE);
        let row = &mut rest[..stride / TILE];
        let values = row.as_flattened_mut().as_flattened_mut();
        values[..n_columns].copy_from_slice(&matrix.row(column));
        values[n_columns + e] = 1.0;
        let above = done.as_flattened().as_flattened().chunks_exact(stride);
        let weights: Vec<f64> = above.map(|above| above[column]).collect();
        let pivot = values[column] - weights.iter().map(|w| w * w).sum::<f64>();
        if pivot <= WEAK {
            return None;
        }
        kernel.project(row, done, &weights, pivot.sqrt().recip());
    }
    for row in rows.as_flattened_mut().as_flattened_mut().chunks_exact_mut(stride) {
        own.iter().enumerate().for_each(|(e, &column)| row[column] = row[n_columns + e]);
    }
    Some((rows, stride))
}

#[cfg(test)]
mod tests {
    use super::super::links::Links;
    use super::super::test::{Status, Tests};
    use super::*;
    use crate::cov::{Form, Marginals, Window};
    use crate::parallel::Monitor;
    use crate::series::Series;
    use proptest::prelude::*;

    /// Four series up to lag 5; series 2 is nearly a copy of series 1 in some cases, series 3 is constant.
    const N: usize = 4;
    const TAU_MAX: usize = 5;

    fn nodes() -> impl Strategy<Value = Vec<Node>> {
        let of = |(series, lag)| Node { series, lag };
        prop::collection::btree_set((0..N, 1..=TAU_MAX), 0..8).prop_map(move |set| set.into_iter().map(of).collect())
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
            let flags: Vec<bool> = (0..N * N * (TAU_MAX + 1)).map(|k| k % (TAU_MAX + 1) > 0).collect();
            let links = Links::new(&flags, None, N, TAU_MAX).unwrap();
            let matrix = Correlations::new(Form::Matrix, &window, None, &Monitor::default()).unwrap();
            let blocks = SourceBlocks::of_all(&matrix, &links, &parents, usize::MAX);
            let target = matrix.index(0, 0);
            let varying = own.iter().map(|z| matrix.index(z.series, z.lag)).filter(|&c| matrix.varies_at(c));
            let varying: Vec<usize> = varying.collect();
            for kernel in kernel::available() {
                let Some(mut given) = GivenOwn::with(kernel, &matrix, &blocks, target, &varying) else { return Ok(()) };
                for x in links.into_target(0) {
                    let Some((val, n_conditions)) = given.partial_correlation(x) else {
                        prop_assert!(x.series == 3 || closeness < 1.0);
                        continue;
                    };
                    let source = parents[x.series].iter().map(|p| Node { series: p.series, lag: p.lag + x.lag });
                    let mut conditions = own.clone();
                    conditions.extend(source.filter(|z| !own.contains(z)));
                    conditions.retain(|&z| z != x);
                    let alone = tests.of_target(0).test(x, &conditions);
                    prop_assert_eq!((60 - 2 * TAU_MAX - 2 - n_conditions, Status::Ok), (alone.df, alone.status));
                    prop_assert!((val - alone.val).abs() < 1e-10, "{} {}", val, alone.val);
                }
            }
        }
    }
}
