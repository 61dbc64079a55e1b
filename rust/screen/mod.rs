//! Screens: which (source, lag) pairs of a target go on to the expensive search.
//!
//! `weave` (XOR proposes, exact least squares decides) and `forward` (the same decision over all columns) share
//! [`selection`]; `marginal` and `paper` score each pair alone.

mod forward;
mod marginal;
mod paper;
mod selection;
#[cfg(test)]
mod testing;
mod weave;
mod window;

use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::series::Series;
use window::Column;

/// A link that a screen keeps for some target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Index of the source series.
    pub source: usize,
    /// Lag in samples, at least 1.
    pub lag: usize,
    /// How strongly the screen saw it: |t| or |z|, or the agreement of `paper`.
    pub score: f64,
}

/// What a screen keeps for one target, in order of entry and without repeats.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TargetCandidates {
    pub links: Vec<Link>,
}

/// What a screen is asked: data, lags, rows and the links that may be considered at all.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    pub series: &'a Series<'a>,
    /// Smallest lag, at least 1: lag 0 is never screened.
    pub tau_min: usize,
    pub tau_max: usize,
    /// Rows of the exact decision start this many samples after the start of each data set.
    pub first_row: usize,
    /// Links that may be chosen or conditioned on, `[source][target][lag]` with lags `0..=tau_max`; `None`: all.
    pub allowed: Option<&'a [bool]>,
}

/// Options of `forward` and `weave`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    /// Bits of a code (`weave`).
    pub bits: usize,
    /// Proposals a group and scan (`weave`).
    pub pool: usize,
    /// Expected number of false candidates a target.
    pub kappa: f64,
    /// The target's own lags `1..=own_lags` are always kept.
    pub own_lags: usize,
    /// Let the even companion |x - median| of every series compete too.
    pub even: bool,
    /// Also keep the best lag of this many most correlated sources.
    pub keep_marginal: usize,
    /// Columns that may join the forced ones.
    pub max_add: usize,
    /// Scans at most (`weave`).
    pub max_scans: usize,
    /// Bytes that the table of `forward` may take.
    pub memory_budget: usize,
}

/// Every lagged column against every other, exactly.
pub fn forward(problem: &Problem, config: &Config, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    problem.check()?;
    forward::run(problem, config, monitor)
}

/// XOR scans of coded residuals propose columns, exact least squares decides among them.
pub fn weave(problem: &Problem, config: &Config, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    problem.check()?;
    weave::run(problem, config, monitor)
}

/// Every pair alone, on codes of AR(1) innovations.
pub fn marginal(problem: &Problem, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    problem.check()?;
    marginal::run(problem, monitor)
}

/// ARROW's own rule, the baseline.
pub fn paper(problem: &Problem, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    problem.check()?;
    paper::run(problem, monitor)
}

impl Problem<'_> {
    fn check(&self) -> Result<()> {
        let n = self.series.n_series();
        if self.tau_min == 0 || self.tau_min > self.tau_max {
            return Err(CoreError::invalid("a screen needs 1 <= tau_min <= tau_max"));
        }
        if self.first_row < self.tau_max {
            return Err(CoreError::invalid("rows must start at or after tau_max"));
        }
        if self.allowed.is_some_and(|a| a.len() != n * n * (self.tau_max + 1)) {
            return Err(CoreError::invalid("the mask of allowed links must have shape (N, N, tau_max + 1)"));
        }
        Ok(())
    }

    fn allows(&self, source: usize, target: usize, lag: usize) -> bool {
        let n = self.series.n_series();
        self.allowed.is_none_or(|a| a[(source * n + target) * (self.tau_max + 1) + lag])
    }

    /// Columns that compete for a target when nothing is forbidden: the family behind the critical value.
    fn scored(&self, config: &Config) -> usize {
        (1 + usize::from(config.even)) * self.series.n_series() * (self.tau_max - self.tau_min + 1)
    }

    /// Own lags are kept up to this one, however many were asked for.
    fn own_lags(&self, config: &Config) -> usize {
        config.own_lags.min(self.tau_max)
    }

    /// The target's own first lags, as far as they are legal.
    fn own(&self, target: usize, config: &Config) -> Vec<Column> {
        (self.tau_min..=self.own_lags(config))
            .filter(|&lag| self.allows(target, target, lag))
            .map(|lag| Column { series: target, lag })
            .collect()
    }

    /// Turn chosen columns into links: even companions count for their series, repeats are dropped.
    fn links(&self, chosen: impl IntoIterator<Item = (Column, f64)>) -> TargetCandidates {
        let n = self.series.n_series();
        let mut links: Vec<Link> = Vec::new();
        for (column, score) in chosen {
            let (source, lag) = (column.series % n, column.lag);
            if !links.iter().any(|l| l.source == source && l.lag == lag) {
                links.push(Link { source, lag, score });
            }
        }
        TargetCandidates { links }
    }

    /// Strongest lag of the `keep_marginal` most correlated other sources, as columns with their |r|.
    fn marginal_picks(&self, target: usize, keep: usize, r: impl Fn(Column) -> f64) -> Vec<(Column, f64)> {
        let strongest = |source: usize| {
            (self.tau_min..=self.tau_max)
                .filter(|&lag| self.allows(source, target, lag))
                .map(|lag| Column { series: source, lag })
                .map(|column| (column, r(column).abs()))
                .reduce(|best, next| if next.1 > best.1 { next } else { best })
        };
        let sources = (0..self.series.n_series()).filter(|&source| source != target && keep > 0);
        let mut picks: Vec<_> = sources.filter_map(strongest).collect();
        picks.sort_by(|a, b| b.1.total_cmp(&a.1));
        picks.truncate(keep);
        picks
    }
}
