//! One-sided counts: what a code looks like on the samples that it shares with another at some lag.

use std::ops::Range;

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
        let n_wide = i64::from(n);
        let excess = |row: usize| 2 * i64::from(ones(row)) - n_wide;
        let weight = |a: usize| i64::from(weights[a]);
        let sum: i64 = (0..weights.len()).map(|a| weight(a) * excess(a)).sum();
        let squares: i64 = (0..weights.len()).map(|a| weight(a) * weight(a) * n_wide).sum();
        let products = planes.plane_pairs().zip(weights.len()..);
        let cross: i64 = products.map(|((a, b), row)| -2 * weight(a) * weight(b) * excess(row)).sum();
        // n^2 times the variance, exactly.
        let spread = n_wide * (squares + cross) - sum * sum;
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

/// What does not depend on the pair when all sources are valid at the same samples, and all targets too.
#[derive(Debug)]
pub struct UniformMargins {
    /// Common samples at each lag.
    pub n: Vec<u32>,
    /// At each lag.
    pub sources: Vec<LagMargins>,
    pub targets: Vec<LagMargins>,
    /// `[lag][target * rows + row]`: ones of a target's row at valid samples that meet no valid source sample. XOR with
    /// the zeros there counts them, and the scan takes them off again.
    pub unmatched: Vec<Vec<u32>>,
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
        let n = target_masks.iter().map(|mask| mask.iter().map(|w| w.count_ones()).sum()).collect::<Vec<u32>>();
        let source_ones = masked_ones(sources, &source_masks, monitor)?;
        let target_ones = masked_ones(targets, &target_masks, monitor)?;
        let all_target_ones = &masked_ones(targets, &[valid_target], monitor)?[0];
        let missed = |ones: &Vec<u32>| ones.iter().zip(all_target_ones).map(|(part, all)| all - part).collect();
        Ok(Self {
            sources: source_ones.iter().zip(&n).map(|(ones, &n)| lag_margins(sources, n, ones)).collect(),
            targets: target_ones.iter().zip(&n).map(|(ones, &n)| lag_margins(targets, n, ones)).collect(),
            unmatched: target_ones.iter().map(missed).collect(),
            n,
        })
    }
}

/// Validity of every series of uniform planes; without a series nothing is valid.
pub fn common_validity(planes: &Planes) -> Vec<u64> {
    if planes.n_series() == 0 { vec![0; planes.words()] } else { planes.validity(0).to_vec() }
}

fn lag_margins(planes: &Planes, n: u32, ones: &[u32]) -> LagMargins {
    let mut margins = LagMargins::default();
    for ones in ones.chunks_exact(planes.rows_each()) {
        let margin = Margin::new(planes, n, |row| ones[row]);
        margins.ones.push(margin.ones);
        margins.sums.push(margin.sum);
        margins.inverses.push(margin.inverse);
    }
    margins
}

/// `[mask][series * rows + row]`: ones of every row under every mask, in parallel over series.
///
/// The first mask is counted in full, every next one by the bits in which it differs from the one before.
fn masked_ones(planes: &Planes, masks: &[Vec<u64>], monitor: &Monitor) -> Result<Vec<Vec<u32>>> {
    let changes: Vec<Vec<(usize, u64)>> = masks.windows(2).map(|pair| changed_words(&pair[0], &pair[1])).collect();
    let rows = planes.rows_each();
    let of_series = |i: usize| -> Result<Vec<u32>> {
        monitor.check()?;
        let mut counts = Vec::with_capacity(masks.len() * rows);
        for row in 0..rows {
            let bits = planes.row(i, row);
            let full = |mask: &Vec<u64>| bits.iter().zip(mask).map(|(b, m)| (b & m).count_ones()).sum::<u32>();
            let mut ones = masks.first().map_or(0, full);
            counts.push(ones);
            for (change, mask) in changes.iter().zip(masks.iter().skip(1)) {
                for &(word, changed) in change {
                    ones += (bits[word] & changed & mask[word]).count_ones();
                    ones -= (bits[word] & changed & !mask[word]).count_ones();
                }
                counts.push(ones);
            }
        }
        Ok(counts)
    };
    let by_series: Vec<Vec<u32>> = (0..planes.n_series()).into_par_iter().map(of_series).collect::<Result<_>>()?;
    let of_mask =
        |m: usize| by_series.iter().flat_map(|c| (0..rows).map(move |row| c[row * masks.len() + m])).collect();
    Ok((0..masks.len()).map(of_mask).collect())
}

/// Words in which two masks differ, with the differing bits.
fn changed_words(before: &[u64], after: &[u64]) -> Vec<(usize, u64)> {
    before.iter().zip(after).map(|(b, a)| b ^ a).enumerate().filter(|(_, changed)| *changed != 0).collect()
}
