//! The input of every kernel: N series of T samples, which samples are valid, and where data sets begin and end.

use std::ops::Range;

use crate::error::{CoreError, Result};

/// A borrowed, checked view of the data. Series are contiguous: series `i` is `values[i * T..(i + 1) * T]`.
///
/// A value behind an invalid flag may be anything (the door writes 0) and must never influence a result. `segments`
/// are the data sets, in order, without overlap; no lag may reach across from one into another.
#[derive(Debug, Clone)]
pub struct Series<'a> {
    values: &'a [f64],
    valid: Option<&'a [bool]>,
    n_series: usize,
    n_samples: usize,
    segments: Vec<Range<usize>>,
}

impl<'a> Series<'a> {
    /// Check shapes and wrap. `valid = None` means that every sample is valid; empty `segments` mean one data set.
    pub fn new(
        values: &'a [f64],
        valid: Option<&'a [bool]>,
        n_series: usize,
        n_samples: usize,
        segments: Vec<Range<usize>>,
    ) -> Result<Self> {
        if values.len() != n_series * n_samples || valid.is_some_and(|v| v.len() != values.len()) {
            return Err(CoreError::invalid("values and validity must both have shape (N, T)"));
        }
        let segments = if segments.is_empty() { vec![0..n_samples] } else { segments };
        let ordered = segments.windows(2).all(|w| w[0].end <= w[1].start);
        if !ordered || segments.iter().any(|s| s.start > s.end || s.end > n_samples) {
            return Err(CoreError::invalid("segments must be ordered, disjoint and within the samples"));
        }
        let series = Self { values, valid, n_series, n_samples, segments };
        let finite = |i: usize| (0..n_samples).all(|t| !series.is_valid(i, t) || series.series(i)[t].is_finite());
        if !(0..n_series).all(finite) {
            return Err(CoreError::invalid("a valid sample is not finite"));
        }
        Ok(series)
    }

    /// Other values with the same validity and data sets.
    pub fn with_values<'b>(&self, values: &'b [f64]) -> Result<Series<'b>>
    where
        'a: 'b,
    {
        Series::new(values, self.valid, self.n_series, self.n_samples, self.segments.clone())
    }

    /// Number of series N.
    pub fn n_series(&self) -> usize {
        self.n_series
    }

    /// Number of samples T, all data sets together.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// The data sets as half-open ranges of sample indices.
    pub fn segments(&self) -> &[Range<usize>] {
        &self.segments
    }

    /// Samples of series `i`.
    pub fn series(&self, i: usize) -> &'a [f64] {
        &self.values[i * self.n_samples..(i + 1) * self.n_samples]
    }

    /// Validity flags of series `i`, `None` where everything is valid.
    pub fn valid(&self, i: usize) -> Option<&'a [bool]> {
        self.valid.map(|v| &v[i * self.n_samples..(i + 1) * self.n_samples])
    }

    /// Whether sample `t` of series `i` may be used.
    pub fn is_valid(&self, i: usize, t: usize) -> bool {
        self.valid(i).is_none_or(|v| v[t])
    }

    /// Samples of series `i` that may be used: valid and inside a data set, in order.
    pub fn samples(&self, i: usize) -> impl Iterator<Item = usize> + Clone {
        self.segments.iter().flat_map(Clone::clone).filter(move |&t| self.is_valid(i, t))
    }

    /// Samples `t` of series `i` for which every sample from `t - back` to `t` may be used, all in one data set.
    pub fn runs(&self, i: usize, back: usize) -> impl Iterator<Item = usize> + Clone {
        let ends = self.segments.iter().flat_map(move |s| (s.start + back).min(s.end)..s.end);
        ends.filter(move |&t| (t - back..=t).all(|t| self.is_valid(i, t)))
    }

    /// Whether every sample of every series is valid.
    pub fn is_complete(&self) -> bool {
        self.valid.is_none_or(|v| v.iter().all(|&ok| ok))
    }
}
