//! From values to states.

use crate::error::{CoreError, Result};
use crate::series::Series;
use crate::weave::Ranking;

/// How the range of a series is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binning {
    /// Bins of equal numbers of samples.
    Quantile,
    /// Bins of equal width between the smallest and the largest value.
    Width,
}

/// Every sample of every series as one of a few states.
#[derive(Debug, Clone)]
pub struct Bins {
    /// Series by series, as the values.
    states: Vec<u8>,
    n_samples: usize,
    /// Number of different states of each series.
    counts: Vec<usize>,
}

impl Bins {
    /// Cut every series into at most `bins` bins, from all of its samples.
    pub fn new(series: &Series, bins: usize, binning: Binning) -> Result<Self> {
        if !(2..=256).contains(&bins) {
            return Err(CoreError::invalid("a series is cut into 2 to 256 bins"));
        }
        if !series.is_complete() {
            return Err(CoreError::invalid("a missing sample has no state"));
        }
        let (n_series, n_samples) = (series.n_series(), series.n_samples());
        let mut states = vec![0; n_series * n_samples];
        let mut counts = Vec::with_capacity(n_series);
        for (i, states) in states.chunks_exact_mut(n_samples.max(1)).enumerate() {
            cut(series.series(i), series.samples(i), bins, binning, states);
            counts.push(renumber(series.samples(i), states));
        }
        Ok(Self { states, n_samples, counts })
    }

    /// States of series `i`, numbered from 0 without a gap.
    pub fn of(&self, i: usize) -> &[u8] {
        &self.states[i * self.n_samples..][..self.n_samples]
    }

    /// Number of different states of series `i`.
    pub fn count(&self, i: usize) -> usize {
        self.counts[i]
    }

    /// The largest number of states of any series.
    pub fn most(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// With at most `bins` distinct values each is a bin. Otherwise a value of mid-rank r of n falls into the bin
/// floor(bins (r - 1/2) / n), or, by width, into floor(bins (x - min) / (max - min)), the maximum into the last one.
fn cut(x: &[f64], samples: impl Iterator<Item = usize>, bins: usize, binning: Binning, states: &mut [u8]) {
    let ranking = Ranking::new(x, samples);
    let (n, few) = (ranking.len(), ranking.ties().count() <= bins);
    let end = |value: Option<&f64>| value.copied().unwrap_or(0.0);
    let (low, high) = (end(ranking.values().first()), end(ranking.values().last()));
    for (k, tie) in ranking.ties().enumerate() {
        let bin = match binning {
            _ if few => k,
            Binning::Quantile => bins * (tie.twice_mid_rank() - 1) / (2 * n),
            // Halves, since the range of finite numbers can be infinite.
            Binning::Width => {
                let value = x[tie.samples[0] as usize];
                let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
                ((bins as f64 * share) as usize).min(bins - 1)
            }
        };
        tie.samples.iter().for_each(|&t| states[t as usize] = bin as u8);
    }
}

/// Number the bins that hold samples from 0, in order; returns how many there are.
fn renumber(samples: impl Iterator<Item = usize> + Clone, states: &mut [u8]) -> usize {
    let mut used = [false; 256];
    samples.clone().for_each(|t| used[usize::from(states[t])] = true);
    let mut number = [0_u8; 256];
    let mut count = 0;
    for bin in (0..256).filter(|&bin| used[bin]) {
        number[bin] = count as u8;
        count += 1;
    }
    samples.for_each(|t| states[t] = number[usize::from(states[t])]);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_one(x: &[f64], bins: usize, binning: Binning) -> (Vec<u8>, usize) {
        let series = Series::new(x, None, 1, x.len(), vec![]).unwrap();
        let bins = Bins::new(&series, bins, binning).unwrap();
        (bins.of(0).to_vec(), bins.count(0))
    }

    #[test]
    fn quantile_bins_hold_equally_many_samples() {
        let x: Vec<f64> = (0..60).map(|t| f64::from(t * 37 % 61).exp()).collect();
        let (mut states, count) = cut_one(&x, 4, Binning::Quantile);
        states.sort_unstable();
        assert_eq!((states, count), ([[0; 15], [1; 15], [2; 15], [3; 15]].concat(), 4));
    }

    #[test]
    fn wide_bins_are_equally_wide_and_empty_ones_are_left_out() {
        let x = [0.0, 0.1, 0.24, 0.26, 0.8, 1.0];
        assert_eq!(cut_one(&x, 4, Binning::Width), (vec![0, 0, 0, 1, 2, 2], 3));
        assert_eq!(cut_one(&[-1.7e308, 1.7e308, 0.1e308], 2, Binning::Width), (vec![0, 1, 1], 2));
    }

    #[test]
    fn few_values_are_states_of_their_own_and_ties_stay_together() {
        for binning in [Binning::Quantile, Binning::Width] {
            assert_eq!(cut_one(&[7.0, -1.0, 7.0, 100.0], 4, binning), (vec![1, 0, 1, 2], 3));
        }
        let (states, count) = cut_one(&[0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0], 2, Binning::Quantile);
        assert_eq!((states, count), (vec![0, 0, 0, 0, 1, 1, 1, 1], 2));
    }
}
