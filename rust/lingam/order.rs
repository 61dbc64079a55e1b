//! `DirectLiNGAM`: the causal order of variables that drive each other within a sample (Shimizu et al., 2011), by the
//! likelihood ratio of the two directions of each pair (Hyvärinen and Smith, 2013).

use rayon::prelude::*;

use super::entropy::entropy;
use super::kernel::{Kernel, best};
use super::round::{Pair, Round};
use crate::dot::dot;
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;

/// Two variables that share all but this of their variance have no direction: their residuals are rounding errors.
const SAME: f64 = 1e-12;

/// What the covariance of a residual's slope is divided by; its variance is divided by n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denominator {
    /// n: the slope of least squares.
    Rows,
    /// n - 1, as causal-learn has it: slopes are too steep by n / (n - 1).
    RowsLessOne,
}

/// A causal order.
#[derive(Debug, Clone, PartialEq)]
pub struct Ordering {
    /// Variables, causes before effects.
    pub order: Vec<usize>,
    /// How much each variable, in this order, looked like an effect of the ones after it.
    pub scores: Vec<f64>,
    /// Pairs that were compared, in all rounds.
    pub n_pairs: usize,
}

/// Order `n` variables, `columns` of equal length one after the other.
///
/// `before` are pairs (cause, effect) that the order must respect. Each round puts the variable that looks least like an
/// effect of the remaining ones next (the first of several) and regresses it out of them.
pub fn causal_order(
    columns: &[f64],
    n: usize,
    denominator: Denominator,
    before: &[(usize, usize)],
    monitor: &Monitor,
) -> Result<Ordering> {
    order_with(best(), columns, n, denominator, before, monitor)
}

fn order_with(
    kernel: Kernel,
    columns: &[f64],
    n: usize,
    denominator: Denominator,
    before: &[(usize, usize)],
    monitor: &Monitor,
) -> Result<Ordering> {
    let n_rows = columns.len().checked_div(n).unwrap_or(0);
    if n_rows < 2 || columns.len() != n * n_rows || before.iter().any(|&(i, j)| i.max(j) >= n) {
        return Err(CoreError::invalid("an order needs columns of two rows or more, and pairs among them"));
    }
    let slope = match denominator {
        Denominator::Rows => 1.0,
        Denominator::RowsLessOne => n_rows as f64 / (n_rows as f64 - 1.0),
    };
    let whole = |(index, x)| Variable { index, column: standardised(x), entropy: None };
    let mut left: Vec<Variable> = columns.chunks(n_rows).enumerate().map(whole).collect();
    let mut found = Ordering { order: Vec::with_capacity(n), scores: Vec::with_capacity(n), n_pairs: 0 };
    while !left.is_empty() {
        let free = |j: usize| !before.iter().any(|&(i, effect)| effect == j && left.iter().any(|v| v.index == i));
        let allowed = (0..left.len()).filter(|&p| free(left[p].index)).collect();
        let mut round = Round::new(left.par_iter().map(|v| v.entropy(kernel)).collect(), allowed);
        let compare = |p: usize, q: usize| compared(kernel, &left[p].column, &left[q].column, slope);
        let root =
            round.least(compare, monitor)?.ok_or_else(|| CoreError::invalid("required links at lag 0 form a cycle"))?;
        found.scores.push(round.score(root));
        found.n_pairs += round.n_pairs();
        // The root has been compared with all, so that the entropy of what it leaves of them is known.
        left.iter_mut().enumerate().for_each(|(p, variable)| variable.entropy = round.left(p, root));
        let root = left.remove(root);
        left.par_iter_mut().for_each(|variable| variable.regress_out(&root.column, slope));
        found.order.push(root.index);
        monitor.step();
    }
    Ok(found)
}

/// A variable that has no place yet: what those before it leave of its column, standardised.
struct Variable {
    index: usize,
    column: Vec<f64>,
    /// Of the column, if it is known.
    entropy: Option<f64>,
}

impl Variable {
    fn entropy(&self, kernel: Kernel) -> f64 {
        self.entropy.unwrap_or_else(|| entropy(kernel, &self.column, &self.column, 1.0, 0.0))
    }

    fn regress_out(&mut self, root: &[f64], slope: f64) {
        let r = slope * correlation(&self.column, root);
        self.column.iter_mut().zip(root).for_each(|(x, y)| *x -= r * y);
        self.column = standardised(&self.column);
    }
}

/// Entropies of x given y and of y given x, both standardised: residuals are formed as they are summed.
fn compared(kernel: Kernel, x: &[f64], y: &[f64], slope: f64) -> Pair {
    let r = correlation(x, y);
    if 1.0 - r * r < SAME {
        return Pair::Same;
    }
    // Variance of x - slope r y, both of variance 1.
    let inverse = 1.0 / (1.0 - r * r * (1.0 - (slope - 1.0).powi(2))).sqrt();
    let weight = -slope * r * inverse;
    Pair::Left([entropy(kernel, x, y, inverse, weight), entropy(kernel, y, x, inverse, weight)])
}

/// Correlation of standardised columns.
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    dot(x, y) / x.len() as f64
}

/// Mean 0 and variance 1; a column without variance becomes 0.
fn standardised(x: &[f64]) -> Vec<f64> {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let centred: Vec<f64> = x.iter().map(|v| v - mean).collect();
    let deviation = (dot(&centred, &centred) / n).sqrt();
    let inverse = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
    centred.into_iter().map(|v| v * inverse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lingam::kernel::available;
    use crate::parallel::with_pool;

    /// Uniform noise of variance 1.
    fn uniform(n: usize, seed: u64) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        (0..n).map(|_| next() * 12.0_f64.sqrt()).collect()
    }

    /// 2 -> 0 -> 1, and 3 alone.
    fn chain(n_rows: usize) -> Vec<f64> {
        let mut x: Vec<Vec<f64>> = (0..4).map(|k| uniform(n_rows, 10 + k)).collect();
        let [first, second, third, _] = x.as_mut_slice() else { unreachable!() };
        for ((x0, x1), x2) in first.iter_mut().zip(second).zip(third) {
            *x0 += 0.8 * *x2;
            *x1 -= 0.7 * *x0;
        }
        x.concat()
    }

    fn order(x: &[f64], before: &[(usize, usize)]) -> Result<Vec<usize>> {
        let monitor = Monitor::default();
        Ok(causal_order(x, 4, Denominator::Rows, before, &monitor)?.order)
    }

    #[test]
    fn causes_come_before_effects_unless_the_user_knows_better() {
        let x = chain(2000);
        let found = order(&x, &[]).unwrap();
        let place = |k: usize| found.iter().position(|&v| v == k).unwrap();
        assert!(place(2) < place(0) && place(0) < place(1));
        let told = order(&x, &[(1, 2)]).unwrap();
        assert!(told.iter().position(|&v| v == 1) < told.iter().position(|&v| v == 2));
        assert!(order(&x, &[(1, 2), (2, 1)]).is_err());
    }

    #[test]
    fn kernels_and_threads_agree() {
        let x = chain(700);
        let monitor = Monitor::default();
        let of = |kernel| order_with(kernel, &x, 4, Denominator::RowsLessOne, &[], &monitor).unwrap();
        let plain = of(available()[0]);
        for kernel in available() {
            let other = of(kernel);
            assert_eq!(other.order, plain.order, "{kernel:?}");
            let near = other.scores.iter().zip(&plain.scores).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near, "{kernel:?}");
            assert_eq!(with_pool(2, || of(kernel)).unwrap(), other);
        }
    }

    #[test]
    fn copies_and_constants_are_placed_without_a_fuss() {
        let mut x = chain(300);
        let first = x[..300].to_vec();
        x[300..600].copy_from_slice(&first);
        x[600..900].fill(1.0);
        let found = causal_order(&x, 4, Denominator::Rows, &[], &Monitor::default()).unwrap();
        let mut sorted = found.order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3]);
        assert!(found.scores.iter().all(|s| s.is_finite()));
        assert!(causal_order(&x[..4], 4, Denominator::Rows, &[], &Monitor::default()).is_err());
    }
}
