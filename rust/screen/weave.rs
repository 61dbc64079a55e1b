//! `weave`: an active set. XOR scans of coded residuals propose, `forward` decides inside each target's pool.
//!
//! Scanning what is still unexplained in the source against what is still unexplained in the target is what survives
//! autocorrelation; level codes and even companions bring in what the residuals hide.

use std::collections::HashMap;

use rayon::prelude::*;

use super::selection::{Columns, StoppingRule, select};
use super::window::{Column, Window};
use super::{Config, Problem, TargetCandidates};
use crate::bits::Planes;
use crate::error::Result;
use crate::lags::top_k;
use crate::parallel::Monitor;
use crate::series::Series;
use crate::weave::{Code, Prepared, encode, prepare};

pub fn run(problem: &Problem, config: &Config, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    let prepared = prepare(problem.series, config.even, monitor)?;
    let columns = prepared.as_series(problem.series.segments())?;
    let window = Window::new(&columns, problem.tau_max, problem.first_row)?;
    let rule = StoppingRule::new(
        window.n_rows(),
        problem.scored(config),
        config.kappa,
        config.max_add,
        problem.own_lags(config),
    );
    let mut models: Vec<Model> =
        (0..problem.series.n_series()).map(|target| Model::new(target, problem.own(target, config))).collect();
    models.par_iter_mut().for_each(|model| {
        model.decide(&window, &rule);
    });

    let scanner = Scanner::new(problem, config, &prepared, monitor)?;
    for _ in 0..config.max_scans {
        let residuals = scanner.residual_codes(&models, &window)?;
        scanner.propose(&mut models, &residuals)?;
        let changes: Vec<bool> = models
            .par_iter_mut()
            .map(|model| {
                monitor.check()?;
                let changed = model.decide(&window, &rule);
                monitor.step();
                Ok(changed)
            })
            .collect::<Result<_>>()?;
        if !changes.contains(&true) {
            break;
        }
    }
    Ok(models.par_iter().map(|model| model.candidates(problem, config, &window)).collect())
}

/// A column of a model, its |t| at entry and its coefficient, both sides standardised.
#[derive(Clone, Copy)]
struct Chosen {
    column: Column,
    t: f64,
    coefficient: f64,
}

/// The model of one target: the columns that may enter it, and those that did.
struct Model {
    target: usize,
    /// Own lags first, then proposals in the order of their arrival, which no number of threads changes.
    pool: Vec<Column>,
    own: Vec<usize>,
    chosen: Vec<Chosen>,
    /// Correlations with the pool that were needed so far: they hold for all later scans.
    known: HashMap<Column, Vec<f64>>,
}

impl Model {
    fn new(target: usize, own: Vec<Column>) -> Self {
        Self { target, own: (0..own.len()).collect(), pool: own, chosen: Vec::new(), known: HashMap::new() }
    }

    fn add(&mut self, proposals: impl Iterator<Item = Column>) {
        for column in proposals {
            if !self.pool.contains(&column) {
                self.pool.push(column);
            }
        }
    }

    /// Select again from the whole pool; whether the chosen set changed.
    fn decide(&mut self, window: &Window, rule: &StoppingRule) -> bool {
        let target = self.target();
        let mut columns = PoolColumns { window, pool: &self.pool, target, known: &mut self.known };
        let entries = select(&mut columns, &self.own, rule);
        let chosen: Vec<_> = entries
            .iter()
            .map(|e| Chosen { column: self.pool[e.column], t: e.t, coefficient: e.coefficient })
            .collect();
        let same = |a: &Chosen| self.chosen.iter().any(|b| a.column == b.column);
        let changed = chosen.len() != self.chosen.len() || !chosen.iter().all(same);
        self.chosen = chosen;
        changed
    }

    fn target(&self) -> Column {
        Column { series: self.target, lag: 0 }
    }

    /// Residual of the target's regression on its chosen columns over the window.
    fn residual(&self, window: &Window) -> Vec<f64> {
        let mut residual = vec![0.0; window.n_rows()];
        window.add(1.0, self.target(), &mut residual);
        for chosen in &self.chosen {
            window.add(-chosen.coefficient, chosen.column, &mut residual);
        }
        residual
    }

    fn candidates(&self, problem: &Problem, config: &Config, window: &Window) -> TargetCandidates {
        let r = |column| window.correlation(column, self.target());
        let picks = problem.marginal_picks(self.target, config.keep_marginal, r);
        problem.links(self.chosen.iter().map(|c| (c.column, c.t)).chain(picks))
    }
}

/// Columns of one pool; correlations are formed when a column enters, and only with what is new in the pool.
struct PoolColumns<'a> {
    window: &'a Window<'a>,
    pool: &'a [Column],
    target: Column,
    known: &'a mut HashMap<Column, Vec<f64>>,
}

impl PoolColumns<'_> {
    fn with_pool(&mut self, column: Column, out: &mut [f64]) {
        let known = self.known.entry(column).or_default();
        known.extend(self.pool[known.len()..].iter().map(|&c| self.window.correlation(column, c)));
        out.copy_from_slice(known);
    }
}

impl Columns for PoolColumns<'_> {
    fn len(&self) -> usize {
        self.pool.len()
    }

    fn varies(&self, column: usize) -> bool {
        self.window.varies(self.pool[column])
    }

    fn correlations(&mut self, column: usize, out: &mut [f64]) {
        self.with_pool(self.pool[column], out);
    }

    fn target_correlations(&mut self, out: &mut [f64]) {
        self.with_pool(self.target, out);
    }
}

/// The XOR side: fixed codes of the sources, and how residuals are coded and scanned.
struct Scanner<'a> {
    problem: &'a Problem<'a>,
    config: &'a Config,
    monitor: &'a Monitor,
    level: Planes,
    even: Option<Planes>,
}

impl<'a> Scanner<'a> {
    fn new(problem: &'a Problem, config: &'a Config, prepared: &Prepared, monitor: &'a Monitor) -> Result<Self> {
        let code = |series: &Series| encode(series, Code::Level, config.bits, problem.tau_max, monitor);
        let level = code(problem.series)?;
        let even = if config.even { Some(code(&prepared.companions(problem.series)?)?) } else { None };
        Ok(Self { problem, config, monitor, level, even })
    }

    /// Codes of every target's residual, valid on the rows of the window where the target itself is.
    fn residual_codes(&self, models: &[Model], window: &Window) -> Result<Planes> {
        let series = self.problem.series;
        let (n, length) = (series.n_series(), series.n_samples());
        let mut values = vec![0.0; n * length];
        let mut valid = vec![false; n * length];
        values.par_chunks_mut(length).zip(valid.par_chunks_mut(length)).zip(models).for_each(|((x, ok), model)| {
            let mut residual = model.residual(window).into_iter();
            for t in window.rows().iter().cloned().flatten() {
                x[t] = residual.next().unwrap_or(0.0);
                ok[t] = series.is_valid(model.target, t);
            }
        });
        let residuals = Series::new(&values, Some(&valid), n, length, series.segments().to_vec())?;
        encode(&residuals, Code::Level, self.config.bits, self.problem.tau_max, self.monitor)
    }

    /// Add the strongest pairs of every group to the pools.
    fn propose(&self, models: &mut [Model], residuals: &Planes) -> Result<()> {
        let n = self.problem.series.n_series();
        let groups = [Some((residuals, 0)), Some((&self.level, 0)), self.even.as_ref().map(|planes| (planes, n))];
        for (sources, offset) in groups.into_iter().flatten() {
            let lags = self.problem.tau_min..=self.problem.tau_max;
            let picks = top_k(sources, residuals, lags, self.config.pool, self.problem.allowed, self.monitor)?;
            for (model, picks) in models.iter_mut().zip(picks) {
                model.add(picks.into_iter().map(|p| Column { series: p.source + offset, lag: p.lag }));
            }
        }
        Ok(())
    }
}
