//! Forward orthogonal least squares: the exact decision behind `forward` and `weave`.
//!
//! At every step the statistic of a column `c` is the Student t of its partial correlation with the target given the
//! columns chosen so far (theorem T7 of `docs/theory.md`), read off a Gram–Schmidt recursion on correlations alone.

/// Residual variance (relative to 1) below which a column counts as a combination of the chosen ones.
///
/// Much larger thresholds lose true lags of strongly autocorrelated series.
const DEPENDENT: f64 = 1e-9;

/// The columns that one target may be explained by.
pub trait Columns {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether `column` varies inside the window; one that does not can never be chosen.
    fn varies(&self, column: usize) -> bool;

    /// Correlation of `column` with every column. Mutable, so that an implementation may remember what it computed.
    fn correlations(&mut self, column: usize, out: &mut [f64]);

    /// Correlation of the target with every column.
    fn target_correlations(&mut self, out: &mut [f64]);
}

/// When to stop, the same for all targets of a run.
#[derive(Debug, Clone)]
pub struct StoppingRule {
    rows: usize,
    max_add: usize,
    critical: Vec<f64>,
}

impl StoppingRule {
    /// Admit a column while its |t| exceeds the two-sided quantile at level `min(1/2, kappa / scored)`.
    ///
    /// `rows` is the length of the window, `scored` the number of columns that compete (so that about `kappa` false
    /// ones are admitted a target) and at most `min(max_add, rows / 5)` columns join the `forced` ones.
    pub fn new(rows: usize, scored: usize, kappa: f64, max_add: usize, forced: usize) -> Self {
        let level = (kappa / scored.max(1) as f64).min(0.5);
        let max_add = max_add.min(rows / 5);
        let critical = (0..=forced + max_add)
            .map(|size| degrees(rows, size).map_or(f64::INFINITY, |df| crate::stats::student_t::critical(level, df)))
            .collect();
        Self { rows, max_add, critical }
    }
}

/// Degrees of freedom of a partial correlation given `size` columns, `None` below one.
fn degrees(rows: usize, size: usize) -> Option<f64> {
    (rows > size + 2).then(|| (rows - size - 2) as f64)
}

/// A column that entered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    pub column: usize,
    /// |t| at the moment of entry.
    pub t: f64,
    /// Coefficient in the final regression of the standardised target on the standardised columns.
    pub coefficient: f64,
}

/// Forced columns first (as far as they vary), then the strongest remaining one until the rule says stop.
pub fn select(columns: &mut impl Columns, forced: &[usize], rule: &StoppingRule) -> Vec<Entry> {
    let mut state = State::new(columns);
    for &column in forced {
        if state.variance[column] > DEPENDENT && degrees(rule.rows, state.entries.len()).is_some() {
            state.enter(columns, column, rule.rows);
        }
    }
    let limit = state.entries.len() + rule.max_add;
    while state.entries.len() < limit && state.target_variance > DEPENDENT {
        let Some(column) = state.strongest() else { break };
        if state.t(column, rule.rows).is_none_or(|t| t <= rule.critical[state.entries.len()]) {
            break;
        }
        state.enter(columns, column, rule.rows);
    }
    state.solve();
    state.entries
}

/// What remains of every column and of the target after projecting out the chosen columns.
struct State {
    /// Residual variance of each column, 0 for one that cannot be chosen.
    variance: Vec<f64>,
    /// Residual covariance of each column with the target.
    covariance: Vec<f64>,
    target_variance: f64,
    /// One row per chosen column: its residual's covariance with every column, scaled to unit variance.
    basis: Vec<Vec<f64>>,
    /// Covariance of that scaled residual with the target.
    loadings: Vec<f64>,
    entries: Vec<Entry>,
}

impl State {
    fn new(columns: &mut impl Columns) -> Self {
        let mut covariance = vec![0.0; columns.len()];
        columns.target_correlations(&mut covariance);
        let variance = (0..columns.len()).map(|c| f64::from(u8::from(columns.varies(c)))).collect();
        Self {
            variance,
            covariance,
            target_variance: 1.0,
            basis: Vec::new(),
            loadings: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Squared partial correlation of a column with the target, 0 where it is not eligible.
    fn partial_r2(&self, column: usize) -> f64 {
        let variance = self.variance[column];
        if variance > DEPENDENT { self.covariance[column].powi(2) / (variance * self.target_variance) } else { 0.0 }
    }

    /// The column with the largest partial correlation, the first one on ties.
    fn strongest(&self) -> Option<usize> {
        let mut best = (0.0, None);
        for column in 0..self.variance.len() {
            let r2 = self.partial_r2(column);
            if r2 > best.0 {
                best = (r2, Some(column));
            }
        }
        best.1
    }

    fn t(&self, column: usize, rows: usize) -> Option<f64> {
        let df = degrees(rows, self.entries.len())?;
        let r2 = self.partial_r2(column);
        Some(if r2 < 1.0 { (r2 / (1.0 - r2) * df).sqrt() } else { f64::INFINITY })
    }

    /// Move `column` into the model and project it out of everything else.
    fn enter(&mut self, columns: &mut impl Columns, column: usize, rows: usize) {
        let t = self.t(column, rows).unwrap_or(0.0);
        let mut direction = vec![0.0; columns.len()];
        columns.correlations(column, &mut direction);
        for q in &self.basis {
            let weight = q[column];
            direction.iter_mut().zip(q).for_each(|(d, &value)| *d -= weight * value);
        }
        let deviation = self.variance[column].sqrt();
        let scale = 1.0 / deviation;
        let loading = self.covariance[column] * scale;
        for (c, d) in direction.iter_mut().enumerate() {
            *d *= scale;
            self.covariance[c] -= loading * *d;
            self.variance[c] -= *d * *d;
        }
        // Exactly what they are, so that rounding can never let the column enter twice.
        self.variance[column] = 0.0;
        direction[column] = deviation;
        self.target_variance -= loading * loading;
        self.basis.push(direction);
        self.loadings.push(loading);
        self.entries.push(Entry { column, t, coefficient: 0.0 });
    }

    /// Coefficients by back substitution: the basis at the chosen columns is the triangular factor of their
    /// correlations, the loadings are what it maps the coefficients to.
    fn solve(&mut self) {
        for k in (0..self.entries.len()).rev() {
            let later = &self.entries[k + 1..];
            let explained: f64 = later.iter().map(|e| self.basis[k][e.column] * e.coefficient).sum();
            self.entries[k].coefficient = (self.loadings[k] - explained) / self.basis[k][self.entries[k].column];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Columns given by their values; correlations by the definition.
    struct Explicit {
        columns: Vec<Vec<f64>>,
        target: Vec<f64>,
    }

    impl Explicit {
        fn new(columns: &[Vec<f64>], target: &[f64]) -> Self {
            Self { columns: columns.iter().map(|c| standardised(c)).collect(), target: standardised(target) }
        }
    }

    impl Columns for Explicit {
        fn len(&self) -> usize {
            self.columns.len()
        }

        fn varies(&self, column: usize) -> bool {
            self.columns[column].iter().any(|&x| x != 0.0)
        }

        fn correlations(&mut self, column: usize, out: &mut [f64]) {
            out.iter_mut().zip(&self.columns).for_each(|(r, c)| *r = dot(c, &self.columns[column]));
        }

        fn target_correlations(&mut self, out: &mut [f64]) {
            out.iter_mut().zip(&self.columns).for_each(|(r, c)| *r = dot(c, &self.target));
        }
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    /// Centred, and scaled to length one; zeros where nothing varies.
    fn standardised(x: &[f64]) -> Vec<f64> {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let centred: Vec<f64> = x.iter().map(|v| v - mean).collect();
        let norm = dot(&centred, &centred).sqrt();
        centred.iter().map(|v| if norm > 1e-9 { v / norm } else { 0.0 }).collect()
    }

    /// |t| of the partial correlation of two vectors given others, by least squares residuals.
    fn partial_t(x: &[f64], y: &[f64], given: &[&[f64]]) -> f64 {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let residual = |v: &[f64], basis: &[Vec<f64>]| {
            let mut v = v.to_vec();
            for q in basis.iter().chain(basis) {
                let along = dot(&v, q);
                v.iter_mut().zip(q).for_each(|(a, b)| *a -= along * b);
            }
            v
        };
        for z in given {
            basis.push(standardised(&residual(z, &basis)));
        }
        let r = dot(&standardised(&residual(x, &basis)), &standardised(&residual(y, &basis)));
        (r * r / (1.0 - r * r) * (x.len() - 2 - given.len()) as f64).sqrt()
    }

    proptest! {
        #[test]
        fn t_is_the_partial_correlation_t_given_what_entered_before(
            columns in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 40), 2..7),
            noise in prop::collection::vec(-1.0..1.0f64, 40),
        ) {
            let target: Vec<f64> = (0..40).map(|t| columns[0][t] - 0.5 * columns[1][t] + noise[t]).collect();
            let mut explicit = Explicit::new(&columns, &target);
            let rule = StoppingRule::new(40, columns.len(), 1e9, 30, 1);
            let entries = select(&mut explicit, &[1], &rule);
            prop_assert_eq!(entries[0].column, 1);
            let mut residual = explicit.target.clone();
            for e in &entries {
                residual.iter_mut().zip(&explicit.columns[e.column]).for_each(|(r, x)| *r -= e.coefficient * x);
            }
            prop_assert!(entries.iter().all(|e| dot(&residual, &explicit.columns[e.column]).abs() < 1e-9));
            for (k, entry) in entries.iter().enumerate() {
                let given: Vec<&[f64]> = entries[..k].iter().map(|e| &explicit.columns[e.column][..]).collect();
                let expected = partial_t(&explicit.columns[entry.column], &explicit.target, &given);
                prop_assert!((entry.t - expected).abs() <= 1e-8 * (1.0 + expected), "{} {expected}", entry.t);
                for (c, column) in explicit.columns.iter().enumerate().filter(|_| k > 0) {
                    let fresh = entries[..k].iter().all(|e| e.column != c);
                    let rival = if fresh { partial_t(column, &explicit.target, &given) } else { 0.0 };
                    prop_assert!(rival <= entry.t * (1.0 + 1e-8) + 1e-8);
                }
            }
        }
    }

    #[test]
    fn copies_and_constants_never_enter() {
        let x: Vec<f64> = (0..50).map(|t| f64::from(t * 37 % 50)).collect();
        let target: Vec<f64> = x.iter().enumerate().map(|(t, v)| v + (t as f64).sin()).collect();
        let mut explicit = Explicit::new(&[vec![3.0; 50], x.clone(), x], &target);
        let entries = select(&mut explicit, &[0], &StoppingRule::new(50, 3, 1.0, 30, 1));
        assert_eq!(entries.iter().map(|e| e.column).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn an_exact_copy_of_the_target_ends_the_selection() {
        let x: Vec<f64> = (0..50).map(|t| f64::from(t * 37 % 50)).collect();
        let other: Vec<f64> = (0..50).map(|t| f64::from(t * 13 % 50)).collect();
        let mut explicit = Explicit::new(&[other, x.clone()], &x);
        let entries = select(&mut explicit, &[], &StoppingRule::new(50, 2, 1e9, 30, 0));
        assert_eq!((entries.len(), entries[0].column), (1, 1));
        assert!(entries[0].t > 1e5);
    }

    #[test]
    fn too_few_rows_end_the_selection() {
        let column: Vec<f64> = vec![1.0, 2.0];
        let mut explicit = Explicit::new(std::slice::from_ref(&column), &column);
        assert!(select(&mut explicit, &[0], &StoppingRule::new(2, 1, 1.0, 30, 1)).is_empty());
    }
}
