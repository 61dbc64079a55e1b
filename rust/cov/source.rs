//! Where tests find the correlations of lagged columns: in whichever form costs least for as many as they read.

use super::lagged::{LaggedCorrelation, centred};
use super::marginals::correlate;
use super::pairwise::Pairwise;
use super::ranks::Ranking;
use super::sums::Sums;
use super::window::Window;
use crate::error::Result;
use crate::parallel::Monitor;

/// The forms that correlations can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All of them in one matrix.
    Matrix,
    /// Sums by lag difference, entries formed from them.
    Differences,
    /// The columns, entries formed from their rows.
    Pairs,
}

/// Correlations of all lagged columns (i, a), a = 0..=`max_lag`; column (i, a) has index `i * (max_lag + 1) + a`.
///
/// The same to rounding in every form: 1 on the diagonal, zeros for a column that does not vary.
#[derive(Debug, Clone)]
pub struct Correlations<'a> {
    n_series: usize,
    n_lags: usize,
    n_rows: usize,
    varies: Vec<bool>,
    source: Source<'a>,
}

#[derive(Debug, Clone)]
enum Source<'a> {
    Matrix(LaggedCorrelation),
    Differences(Sums),
    Pairs(Pairwise<'a>),
}

/// Correlations of one column with the others.
#[derive(Debug, Clone, Copy)]
pub enum Line<'a> {
    Matrix(&'a [f64]),
    Differences(&'a Sums, usize),
    Pairs(&'a Pairwise<'a>, usize),
}

impl Line<'_> {
    /// The correlation with the column at `index`.
    #[inline]
    pub fn at(&self, index: usize) -> f64 {
        match self {
            Self::Matrix(row) => row[index],
            Self::Differences(sums, c) => sums.entry(*c, index),
            Self::Pairs(columns, c) => columns.entry(*c, index),
        }
    }
}

impl<'a> Correlations<'a> {
    /// Correlations on the rows of a window: of normal scores if there is a `ranking` (there are no differences then),
    /// else of values.
    pub fn new(form: Form, window: &'a Window<'a>, ranking: Option<&Ranking>, monitor: &Monitor) -> Result<Self> {
        let source = match form {
            Form::Matrix => Source::Matrix(correlate(window, ranking, monitor)?),
            Form::Differences => Source::Differences(Sums::new(window, &centred(window), monitor)?),
            Form::Pairs => Source::Pairs(Pairwise::new(window, ranking, monitor)?),
        };
        Ok(Self::from_source(source, window))
    }

    /// The matrix of [`Correlations::new`], which needs the window no longer.
    pub fn in_matrix(window: &Window, ranking: Option<&Ranking>, monitor: &Monitor) -> Result<Correlations<'static>> {
        Ok(Correlations::from_source(Source::Matrix(correlate(window, ranking, monitor)?), window))
    }

    fn from_source(source: Source<'a>, window: &Window) -> Self {
        let (n_series, n_lags) = (window.series().n_series(), window.max_lag() + 1);
        let varies = |c| match &source {
            Source::Matrix(matrix) => matrix.varies_at(c),
            Source::Differences(sums) => sums.moments()[c].varies(),
            Source::Pairs(columns) => columns.varies(c),
        };
        let varies = (0..n_series * n_lags).map(varies).collect();
        Self { n_series, n_lags, n_rows: window.n_rows(), varies, source }
    }

    /// Their form.
    pub fn form(&self) -> Form {
        match self.source {
            Source::Matrix(_) => Form::Matrix,
            Source::Differences(_) => Form::Differences,
            Source::Pairs(_) => Form::Pairs,
        }
    }

    /// Number of rows behind every correlation.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns S (L+1).
    pub fn n_columns(&self) -> usize {
        self.varies.len()
    }

    /// Whether there is a column (i, a).
    pub fn has(&self, i: usize, a: usize) -> bool {
        a < self.n_lags && i < self.n_series
    }

    /// Index of column (i, a).
    pub fn index(&self, i: usize, a: usize) -> usize {
        debug_assert!(a < self.n_lags);
        i * self.n_lags + a
    }

    /// Whether `x_i(t - a)` varies on the rows.
    pub fn varies(&self, i: usize, a: usize) -> bool {
        self.varies_at(self.index(i, a))
    }

    /// Whether the column at `index` varies on the rows.
    pub fn varies_at(&self, index: usize) -> bool {
        self.varies[index]
    }

    /// Correlations of the column at `index`, to be read one by one.
    pub fn line(&self, index: usize) -> Line<'_> {
        match &self.source {
            Source::Matrix(matrix) => Line::Matrix(matrix.row_at(index)),
            Source::Differences(sums) => Line::Differences(sums, index),
            Source::Pairs(columns) => Line::Pairs(columns, index),
        }
    }

    /// Correlations of the column at `index` with every column.
    pub fn row(&self, index: usize) -> Vec<f64> {
        match &self.source {
            Source::Matrix(matrix) => matrix.row_at(index).to_vec(),
            Source::Differences(sums) => sums.row(index),
            Source::Pairs(columns) => (0..self.n_columns()).map(|c| columns.entry(index, c)).collect(),
        }
    }
}
