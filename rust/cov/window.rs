//! The rows of an analysis: t in [start + t0, end) of every data set long enough to have any.

use std::ops::Range;

use crate::error::{CoreError, Result};
use crate::series::Series;

/// A column whose range is at most this share of its largest magnitude is constant.
pub const CONSTANT: f64 = 1e-12;

/// Which rows every test of a run uses, and how to read a lagged column on them.
#[derive(Debug, Clone)]
pub struct Window<'a> {
    series: &'a Series<'a>,
    max_lag: usize,
    rows: Vec<Range<usize>>,
    n_rows: usize,
}

impl<'a> Window<'a> {
    /// Rows t in [t0, end) of each segment, t0 counted from the segment's start; `max_lag <= t0`.
    pub fn new(series: &'a Series<'a>, max_lag: usize, t0: usize) -> Result<Self> {
        if max_lag > t0 {
            return Err(CoreError::invalid(format!("lag {max_lag} reaches before the first row {t0}")));
        }
        let rows: Vec<_> = series.segments().iter().filter(|s| s.len() > t0).map(|s| s.start + t0..s.end).collect();
        let n_rows = rows.iter().map(Range::len).sum();
        Ok(Self { series, max_lag, rows, n_rows })
    }

    /// The data behind the window.
    pub fn series(&self) -> &'a Series<'a> {
        self.series
    }

    /// Largest lag that may be read.
    pub fn max_lag(&self) -> usize {
        self.max_lag
    }

    /// Rows as ranges of sample indices, one per data set that has any.
    pub fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// Number of rows, all data sets together.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The pieces of column (i, lag): the samples of series `i` at t - lag, one slice per data set.
    pub fn column(&self, i: usize, lag: usize) -> impl Iterator<Item = &'a [f64]> + Clone + '_ {
        debug_assert!(lag <= self.max_lag);
        let samples = self.series.series(i);
        self.rows.iter().map(move |r| &samples[r.start - lag..r.end - lag])
    }

    /// Whether column (i, lag) has a range of at most [`CONSTANT`] times its largest magnitude.
    pub fn is_constant(&self, i: usize, lag: usize) -> bool {
        is_constant(self.column(i, lag).flatten().copied())
    }
}

/// Whether values have a range of at most [`CONSTANT`] times their largest magnitude. No values: constant.
pub fn is_constant(values: impl Iterator<Item = f64>) -> bool {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    low >= high || high - low <= CONSTANT * low.abs().max(high.abs())
}

/// The power of two that brings values of this magnitude near 1; multiplying by it rounds nothing.
pub fn scale_for(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52) & 0x7ff;
    f64::from_bits(2046_u64.saturating_sub(exponent).max(1) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_keeps_every_bit() {
        for value in [1.0, 1e6, 1e300, 1.5e308, 1e-300, 0.1] {
            let scaled = value * scale_for(value);
            assert!((0.5..=4.0).contains(&scaled), "{value} became {scaled}");
            assert_eq!((scaled / scale_for(value)).to_bits(), value.to_bits());
        }
        assert!(scale_for(0.0).is_finite());
    }

    #[test]
    fn constants_are_judged_against_their_magnitude() {
        assert!(is_constant([1e6, 1e6 + 1e-7].into_iter()));
        assert!(!is_constant([1e-3, 1e-3 + 1e-7].into_iter()));
        assert!(is_constant([0.0, 0.0].into_iter()) && is_constant([].into_iter()));
    }
}
