//! Ranks and normal scores of the samples that tests read.

use super::window::Window;
use crate::series::Series;
use crate::stats::normal::quantile;

/// The largest sample has the empirical distribution function 1, whose quantile is infinite; it gets 1 minus this.
const ABOVE_LARGEST: f64 = 1e-5;

/// The rank of every sample that a row of a window reads among all of them of its series, from 0 on; equal samples share
/// one. With it any choice of rows is ranked by counting instead of sorting.
#[derive(Debug, Clone)]
pub struct Ranking {
    n_samples: usize,
    /// Laid out as the values; 0 where no row reads.
    ranks: Vec<u32>,
    n_ranks: Vec<usize>,
}

impl Ranking {
    /// Rank the samples.
    pub fn new(window: &Window) -> Self {
        let series: &Series = window.series();
        let n_samples = series.n_samples();
        let mut read = vec![false; n_samples];
        for row in window.rows() {
            read[row.start - window.max_lag()..row.end].fill(true);
        }
        let read: Vec<usize> = (0..n_samples).filter(|&t| read[t]).collect();
        let mut ranks = vec![0; series.n_series() * n_samples];
        let rank = |(i, ranks): (usize, &mut [u32])| rank(series.series(i), read.clone(), ranks);
        let n_ranks = ranks.chunks_mut(n_samples.max(1)).enumerate().map(rank).collect();
        Self { n_samples, ranks, n_ranks }
    }

    /// Ranks of the samples of series `i`.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.ranks[i * self.n_samples..][..self.n_samples]
    }

    /// How many different ranks series `i` has.
    pub fn n_ranks(&self, i: usize) -> usize {
        self.n_ranks[i]
    }
}

/// Write the ranks of the samples at these times; returns how many different ones there are.
fn rank(samples: &[f64], mut times: Vec<usize>, ranks: &mut [u32]) -> usize {
    times.sort_unstable_by(|&a, &b| samples[a].total_cmp(&samples[b]));
    let mut n_ranks = 0;
    for tie in times.chunk_by(|&a, &b| samples[a] == samples[b]) {
        for &t in tie {
            ranks[t] = n_ranks;
        }
        n_ranks += 1;
    }
    n_ranks as usize
}

/// Turns ranks into normal scores; the buffers of one thread.
#[derive(Debug, Clone, Default)]
pub struct Scorer {
    /// Scores of samples that are not above 1, 2, ... of all.
    quantiles: Vec<f64>,
    /// Number of samples up to each rank.
    not_above: Vec<u32>,
}

impl Scorer {
    /// Normal scores of samples with these ranks below `n_ranks`: quantiles of the share of them not above each, so that
    /// ties share a score.
    pub fn scores<I>(&mut self, ranks: I, n_ranks: usize) -> impl Iterator<Item = f64>
    where
        I: Iterator<Item = u32> + Clone,
    {
        self.not_above.clear();
        self.not_above.resize(n_ranks, 0);
        let mut n = 0;
        for rank in ranks.clone() {
            self.not_above[rank as usize] += 1;
            n += 1;
        }
        let mut sum = 0;
        for count in &mut self.not_above {
            sum += *count;
            *count = sum;
        }
        self.set_number(n);
        ranks.map(|rank| self.quantiles[self.not_above[rank as usize] as usize - 1])
    }

    fn set_number(&mut self, n: usize) {
        if self.quantiles.len() != n {
            let share = |not_above| if not_above == n { 1.0 - ABOVE_LARGEST } else { not_above as f64 / n as f64 };
            self.quantiles = (1..=n).map(|not_above| quantile(share(not_above))).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_a_score_and_the_largest_is_finite() {
        let x = [2.0, 1.0, 2.0, 3.0, 0.0, -0.0, 9.0];
        let series = Series::new(&x, None, 1, 7, vec![]).unwrap();
        let ranking = Ranking::new(&Window::of_samples(&series, 0, 0, &[0, 1, 2, 3, 4, 5]).unwrap());
        assert_eq!((&ranking.of(0)[..6], ranking.n_ranks(0)), (&[2, 1, 2, 3, 0, 0][..], 4));
        let mut scorer = Scorer::default();
        let mut of = |times: &[usize]| -> Vec<f64> {
            scorer.scores(times.iter().map(|&t| ranking.of(0)[t]), ranking.n_ranks(0)).collect()
        };
        let largest = quantile(1.0 - ABOVE_LARGEST);
        assert_eq!(of(&[0, 1, 2, 3, 4]), [quantile(0.8), quantile(0.4), quantile(0.8), largest, quantile(0.2)]);
        // Rows may repeat, and both zeros are equal.
        assert_eq!(of(&[4, 5, 1, 1]), [quantile(0.5), quantile(0.5), largest, largest]);
    }
}
