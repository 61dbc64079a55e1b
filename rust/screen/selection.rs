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

    /// Correlation of `column` with every column.
    fn correlations(&self, column: usize, out: &mut [f64]);

    /// Correlation of the target with every column.
    fn target_correlations(&self, out: &mut [f64]);
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

/// A column that entered, with the |t| it had at that moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    pub column: usize,
    pub t: f64,
}

/// Forced columns first (as far as they vary), then the strongest remaining one until the rule says stop.
pub fn select(columns: &impl Columns, forced: &[usize], rule: &StoppingRule) -> Vec<Entry> {
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
    entries: Vec<Entry>,
}

impl State {
    fn new(columns: &impl Columns) -> Self {
        let mut covariance = vec![0.0; columns.len()];
        columns.target_correlations(&mut covariance);
        let variance = (0..columns.len()).map(|c| f64::from(u8::from(columns.varies(c)))).collect();
        Self { variance, covariance, target_variance: 1.0, basis: Vec::new(), entries: Vec::new() }
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
    fn enter(&mut self, columns: &impl Columns, column: usize, rows: usize) {
        let t = self.t(column, rows).unwrap_or(0.0);
        let mut direction = vec![0.0; columns.len()];
        columns.correlations(column, &mut direction);
        for q in &self.basis {
            let weight = q[column];
            direction.iter_mut().zip(q).for_each(|(d, &value)| *d -= weight * value);
        }
        let scale = 1.0 / self.variance[column].sqrt();
        let loading = self.covariance[column] * scale;
        for (c, d) in direction.iter_mut().enumerate() {
            *d *= scale;
            self.covariance[c] -= loading * *d;
            self.variance[c] -= *d * *d;
        }
        // Exactly zero, so that rounding can never let it enter twice.
        self.variance[column] = 0.0;
        self.target_variance -= loading * loading;
        self.basis.push(direction);
        self.entries.push(Entry { column, t });
    }
}
