//! One-sided counts: what a code looks like on the samples that it shares with another at some lag.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::bits::{Planes, advance, delay};
use crate::error::Result;
use crate::parallel::Monitor;

/// A weighted code on n samples; the value of a sample is the sum of its planes' weights, minus where a bit is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Margin {
    /// Ones of the leading plane.
    pub ones: u32,
    /// Sum of the values.
    pub sum: f64,
    /// One over n times their standard deviation, or 0 without variance: such a code is never associated.
    pub inverse: f64,
}

impl Margin {
    /// From the number of samples and the ones of each plane and product row.
    pub fn new(planes: &Planes, n: u32, ones: impl Fn(usize) -> u32) -> Self {
        let weights = planes.weights();
        let excess = |row: usize| 2 * i64::from(ones(row)) - i64::from(n);
        let weight = |a: usize| i64::from(weights[a]);
        let sum: i64 = (0..weights.len()).map(|a| weight(a) * excess(a)).sum();
        let squares: i64 = (0..weights.len()).map(|a| weight(a) * weight(a) * i64::from(n)).sum();
        let products = planes.plane_pairs().zip(weights.len()..);
        let cross: i64 = products.map(|((a, b), row)| -2 * weight(a) * weight(b) * excess(row)).sum();
        // n^2 times the variance, exactly.
        let spread = i64::from(n) * (squares + cross) - sum * sum;
        let inverse = if spread > 0 { 1.0 / (spread as f64).sqrt() } else { 0.0 };
        Self { ones: ones(0), sum: sum as f64, inverse }
    }
}

/// Margins of all series at one lag, one array a field.
#[derive(Debug, Clone, Default)]
pub struct LagMargins {
    pub ones: Vec<u32>,
    pub sums: Vec<f64>,
    pub inverses: Vec<f64>,
}

impl LagMargins {
    fn new(planes: &Planes, counts: &Counts, mask: usize, n: u32) -> Self {
        let series = 0..planes.n_series();
        let margins = series.map(|i| Margin::new(planes, n, |row| counts.get(i * planes.rows_each() + row, mask)));
        let mut all = Self {
            ones: Vec::with_capacity(planes.n_series()),
            sums: Vec::with_capacity(planes.n_series()),
            inverses: Vec::with_capacity(planes.n_series()),
        };
        for margin in margins {
            all.ones.push(margin.ones);
            all.sums.push(margin.sum);
            all.inverses.push(margin.inverse);
        }
        all
    }

    /// Margin of series `i`.
    pub fn get(&self, i: usize) -> Margin {
        Margin { ones: self.ones[i], sum: self.sums[i], inverse: self.inverses[i] }
    }
}

/// What does not depend on the pair when all sources are valid at the same samples, and all targets too.
#[derive(Debug)]
pub struct UniformMargins {
    /// Common samples at each lag.
    pub n: Vec<u32>,
    /// At each lag.
    pub sources: Vec<LagMargins>,
    pub targets: Vec<LagMargins>,
    target_ones: Counts,
    all_target_ones: Counts,
}

impl UniformMargins {
    /// Count for every lag. Neighbouring lags share nearly all of their samples, so that a lag costs a few bits.
    pub fn new(sources: &Planes, targets: &Planes, lags: Range<usize>, monitor: &Monitor) -> Result<Self> {
        let (valid_source, valid_target) = (common_validity(sources), common_validity(targets));
        let masks = |shift: fn(&[u64], usize, &mut [u64]), fixed: &[u64], moving: &[u64]| -> Vec<Vec<u64>> {
            let one = |lag| {
                let mut mask = vec![0; fixed.len()];
                shift(moving, lag, &mut mask);
                mask.iter_mut().zip(fixed).for_each(|(mask, fixed)| *mask &= fixed);
                mask
            };
            lags.clone().map(one).collect()
        };
        let source_masks = masks(advance, &valid_source, &valid_target);
        let target_masks = masks(delay, &valid_target, &valid_source);
        let n: Vec<u32> = target_masks.iter().map(|mask| mask.iter().map(|w| w.count_ones()).sum()).collect();
        let margins = |planes: &Planes, counts: &Counts| -> Vec<LagMargins> {
            n.iter().enumerate().map(|(mask, &n)| LagMargins::new(planes, counts, mask, n)).collect()
        };
        let source_ones = Counts::new(sources, &source_masks, monitor)?;
        let target_ones = Counts::new(targets, &target_masks, monitor)?;
        Ok(Self {
            sources: margins(sources, &source_ones),
            targets: margins(targets, &target_ones),
            all_target_ones: Counts::new(targets, &[valid_target], monitor)?,
            target_ones,
            n,
        })
    }

    /// Ones of a target's row at valid samples that meet no valid source sample at the lag in position `at`. XOR with
    /// the zeros there counts them, and the scan takes them off again.
    pub fn unmatched(&self, row: usize, at: usize) -> u32 {
        self.all_target_ones.get(row, 0) - self.target_ones.get(row, at)
    }
}

/// Margins of one code with itself, counted when a search first needs them and kept for the next one: z, agreement and
/// information of the same lags share them.
#[derive(Debug, Default)]
pub struct KeptMargins(Mutex<Option<(Range<usize>, Arc<UniformMargins>)>>);

impl KeptMargins {
    /// Those of `planes` (always the same ones, and uniform) at `lags`.
    pub fn get(&self, planes: &Planes, lags: Range<usize>, monitor: &Monitor) -> Result<Arc<UniformMargins>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, margins)) if *of == lags => Ok(Arc::clone(margins)),
            _ => {
                let margins = Arc::new(UniformMargins::new(planes, planes, lags.clone(), monitor)?);
                *kept = Some((lags, Arc::clone(&margins)));
                Ok(margins)
            }
        }
    }
}

/// Validity of every series of uniform planes; without a series nothing is valid.
pub fn common_validity(planes: &Planes) -> Vec<u64> {
    if planes.n_series() == 0 { vec![0; planes.words()] } else { planes.validity(0).to_vec() }
}

/// Ones of every row of every series under several masks.
#[derive(Debug)]
struct Counts {
    /// `[series * rows + row][mask]`
    ones: Vec<u32>,
    n_masks: usize,
}

impl Counts {
    /// In parallel over rows; the first mask is counted in full, every next one by the bits in which it differs from
    /// the one before. Validity rows are left out: under a mask they are as many as the mask.
    fn new(planes: &Planes, masks: &[Vec<u64>], monitor: &Monitor) -> Result<Self> {
        let changes: Vec<Changes> = masks.windows(2).map(|pair| Changes::new(&pair[0], &pair[1])).collect();
        let mut ones = vec![0; planes.n_series() * planes.rows_each() * masks.len()];
        let (words, n_masks) = (planes.words().max(1), masks.len().max(1));
        let (bits, counts) = (planes.all_rows().par_chunks(words), ones.par_chunks_mut(n_masks));
        let rows = bits.zip(counts).enumerate().filter(|(row, _)| (row + 1) % planes.rows_each() != 0);
        rows.try_for_each(|(_, (bits, counts))| {
            monitor.check()?;
            let full = |mask: &Vec<u64>| bits.iter().zip(mask).map(|(b, m)| (b & m).count_ones()).sum::<u32>();
            counts[0] = masks.first().map_or(0, full);
            for (at, change) in changes.iter().enumerate() {
                counts[at + 1] = counts[at] + ones_in(bits, &change.gained) - ones_in(bits, &change.lost);
            }
            Ok(())
        })?;
        Ok(Self { ones, n_masks })
    }

    fn get(&self, row: usize, mask: usize) -> u32 {
        self.ones[row * self.n_masks + mask]
    }
}

/// Bits that one mask has and another has not, as words that have any and their positions.
struct Changes {
    gained: Vec<(usize, u64)>,
    lost: Vec<(usize, u64)>,
}

impl Changes {
    fn new(before: &[u64], after: &[u64]) -> Self {
        let only = |mask: &[u64], other: &[u64]| {
            let words = mask.iter().zip(other).map(|(m, o)| m & !o).enumerate();
            words.filter(|(_, bits)| *bits != 0).collect()
        };
        Self { gained: only(after, before), lost: only(before, after) }
    }
}

/// Ones of a row among some bits.
fn ones_in(row: &[u64], bits: &[(usize, u64)]) -> u32 {
    bits.iter().map(|&(word, bits)| (row[word] & bits).count_ones()).sum()
}
