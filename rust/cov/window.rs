//! The rows of an analysis: t in [start + t0, end) of every data set long enough to have any.

use std::ops::Range;

use crate::error::{CoreError, Result};
use crate::series::Series;

/// A column whose range is at most this share of its largest magnitude is constant.
pub const CONSTANT: f64 = 1e-12;

/// Which rows the tests of a run use, and how to read a lagged column on them.
///
/// A row is a sample index t; the same one may come more than once (bootstrap draws). On top of the rows that all tests
/// share, a single test loses those where one of its own samples is missing or masked in the role it plays.
#[derive(Debug, Clone)]
pub struct Window<'a> {
    series: &'a Series<'a>,
    max_lag: usize,
    /// Runs of consecutive samples; each lies in one data set.
    rows: Vec<Range<usize>>,
    /// Number of rows up to the end of each data set that has any.
    set_ends: Vec<usize>,
    mask: Option<Mask<'a>>,
    after_missing: usize,
}

/// Samples that a test must not use in some of its roles.
#[derive(Debug, Clone, Copy)]
pub struct Mask<'a> {
    /// True where a sample is masked, laid out as the series' values.
    masked: &'a [bool],
    n_samples: usize,
    roles: Roles,
}

/// The roles in which a mask counts: source, target, condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles {
    pub x: bool,
    pub y: bool,
    pub z: bool,
}

impl<'a> Mask<'a> {
    /// Where the samples of series `i` are masked.
    pub fn of(&self, i: usize) -> &'a [bool] {
        &self.masked[i * self.n_samples..][..self.n_samples]
    }

    /// The roles in which it counts.
    pub fn roles(&self) -> Roles {
        self.roles
    }
}

impl<'a> Window<'a> {
    /// Rows t in [t0, end) of each segment, t0 counted from the segment's start; `max_lag <= t0`.
    pub fn new(series: &'a Series<'a>, max_lag: usize, t0: usize) -> Result<Self> {
        if max_lag > t0 {
            return Err(CoreError::invalid(format!("lag {max_lag} reaches before the first row {t0}")));
        }
        let rows: Vec<_> = series.segments().iter().filter(|s| s.len() > t0).map(|s| s.start + t0..s.end).collect();
        let mut window = Self { series, max_lag, rows: Vec::new(), set_ends: Vec::new(), mask: None, after_missing: 0 };
        window.set_rows(rows.into_iter().map(|r| vec![r]));
        Ok(window)
    }

    /// Of those rows only these samples, as often as they are named: data set by data set, else in the given order.
    pub fn of_samples(series: &'a Series<'a>, max_lag: usize, t0: usize, samples: &[usize]) -> Result<Self> {
        let mut window = Self::new(series, max_lag, t0)?;
        if let Some(t) = samples.iter().find(|&&t| t >= series.n_samples()) {
            return Err(CoreError::invalid(format!("row {t}: there are {} samples", series.n_samples())));
        }
        let mut by_set: Vec<Vec<usize>> = vec![Vec::new(); window.rows.len()];
        for &t in samples {
            let after = window.rows.partition_point(|r| r.start <= t);
            if let Some(set) = after.checked_sub(1).filter(|&set| window.rows[set].contains(&t)) {
                by_set[set].push(t);
            }
        }
        window.set_rows(by_set.iter().map(|samples| runs(samples)));
        Ok(window)
    }

    /// Rows without the samples that `masked` (laid out as the values) excludes in these roles.
    ///
    /// A mask of the target alone that is the same for every series leaves all tests the same rows.
    pub fn masked(mut self, masked: &'a [bool], roles: Roles) -> Result<Self> {
        let n_samples = self.series.n_samples();
        if masked.len() != self.series.n_series() * n_samples {
            return Err(CoreError::invalid("the mask must have the shape of the values"));
        }
        let only_y = Roles { y: true, ..Roles::default() };
        if roles == Roles::default() || !masked.contains(&true) {
            return Ok(self);
        }
        let of_first = &masked[..n_samples];
        if roles == only_y && self.series.is_complete() && masked.chunks(n_samples).all(|m| m == of_first) {
            self.drop_rows(of_first);
            return Ok(self);
        }
        self.mask = Some(Mask { masked, n_samples, roles });
        Ok(self)
    }

    /// Each test also loses the `n_after` rows of the data set that follow one with a missing sample.
    #[must_use]
    pub fn losing_after_missing(mut self, n_after: usize) -> Self {
        self.after_missing = n_after;
        self
    }

    fn drop_rows(&mut self, dropped: &[bool]) {
        let rows: Vec<usize> = self.rows.iter().cloned().flatten().collect();
        let mut start = 0;
        let by_set = std::mem::take(&mut self.set_ends).into_iter().map(|end| {
            let left: Vec<usize> = rows[start..end].iter().copied().filter(|&t| !dropped[t]).collect();
            start = end;
            runs(&left)
        });
        self.set_rows(by_set);
    }

    fn set_rows(&mut self, by_set: impl Iterator<Item = Vec<Range<usize>>>) {
        (self.rows, self.set_ends) = (Vec::new(), Vec::new());
        for runs in by_set.filter(|runs| !runs.is_empty()) {
            self.set_ends.push(self.n_rows() + runs.iter().map(Range::len).sum::<usize>());
            self.rows.extend(runs);
        }
    }

    /// Whether every test uses all rows.
    pub fn is_shared(&self) -> bool {
        self.mask.is_none() && self.series.is_complete()
    }

    /// The mask, if it can exclude anything.
    pub fn mask(&self) -> Option<Mask<'a>> {
        self.mask
    }

    /// How many rows after one with a missing sample are lost too.
    pub fn after_missing(&self) -> usize {
        self.after_missing
    }

    /// Number of rows up to the end of each data set that has any.
    pub fn set_ends(&self) -> &[usize] {
        &self.set_ends
    }

    /// The data behind the window.
    pub fn series(&self) -> &'a Series<'a> {
        self.series
    }

    /// Largest lag that may be read.
    pub fn max_lag(&self) -> usize {
        self.max_lag
    }

    /// Rows as runs of consecutive sample indices, one per data set unless only some samples were asked for.
    pub fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// Number of rows, all data sets together.
    pub fn n_rows(&self) -> usize {
        self.set_ends.last().copied().unwrap_or(0)
    }

    /// The pieces of column (i, lag): the samples of series `i` at t - lag, one slice per run of rows.
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

/// Sample indices as runs of consecutive ones.
fn runs(samples: &[usize]) -> Vec<Range<usize>> {
    samples.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[0] + run.len()).collect()
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

    fn rows(window: &Window) -> Vec<usize> {
        window.rows().iter().cloned().flatten().collect()
    }

    #[test]
    fn samples_keep_their_order_and_number_within_their_data_set() {
        let x = vec![0.0; 20];
        let series = Series::new(&x, None, 1, 20, vec![0..8, 8..10, 10..20]).unwrap();
        let window = Window::of_samples(&series, 1, 2, &[15, 4, 3, 3, 4, 1, 9, 11, 16, 12]).unwrap();
        // 1 and 11 have too little past, 9 is in a set that is too short.
        assert_eq!(rows(&window), [4, 3, 3, 4, 15, 16, 12]);
        assert_eq!((window.set_ends(), window.n_rows()), (&[4, 7][..], 7));
        assert_eq!(window.rows(), [4..5, 3..4, 3..5, 15..17, 12..13]);
        assert!(Window::of_samples(&series, 1, 2, &[20]).is_err());
    }

    #[test]
    fn a_mask_of_all_targets_alike_drops_rows_for_every_test() {
        let x = vec![0.0; 2 * 9];
        let one: Vec<bool> = (0..9).map(|t| t % 3 == 0).collect();
        let mut masked = [one.clone(), one].concat();
        let series = Series::new(&x, None, 2, 9, vec![0..4, 4..9]).unwrap();
        let (y, xy) = (Roles { y: true, ..Roles::default() }, Roles { x: true, y: true, z: false });
        let window = || Window::new(&series, 0, 1).unwrap();
        let same = window().masked(&masked, y).unwrap();
        assert_eq!((rows(&same), same.set_ends()), (vec![1, 2, 5, 7, 8], &[2, 5][..]));
        assert!(same.is_shared() && !window().masked(&masked, xy).unwrap().is_shared());
        assert!(window().masked(&masked, Roles::default()).unwrap().is_shared());
        masked[1] = true;
        let differs = window().masked(&masked, y).unwrap();
        assert!(!differs.is_shared() && differs.n_rows() == 7);
        assert!(window().masked(&masked[1..], y).is_err());
    }

    #[test]
    fn constants_are_judged_against_their_magnitude() {
        assert!(is_constant([1e6, 1e6 + 1e-7].into_iter()));
        assert!(!is_constant([1e-3, 1e-3 + 1e-7].into_iter()));
        assert!(is_constant([0.0, 0.0].into_iter()) && is_constant([].into_iter()));
    }
}
