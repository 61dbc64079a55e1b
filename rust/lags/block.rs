//! The counts of some sources against a tile of targets at one lag, and the rows of associations they give.

use super::association::{agreement, joint_agreement, mutual_information};
use super::margin::{LagMargins, Margin};
use crate::bits::kernel::{Centring, Kernel, TILE};

/// Where scans collect disagreements. An association: the weighted sum over all pairs of planes.
pub const WEIGHTED: usize = 0;
/// A scan of leading planes, alone; a joint scan of two planes: first planes, second planes and their products.
pub const LEADING: usize = 0;
pub const SECOND: usize = 1;
pub const PRODUCT: usize = 2;
pub const MAX_SLOTS: usize = 3;

/// Counts of `len` sources against a tile of targets at one lag. Tables are `[k * lanes + first_lane + s]`, target `k`,
/// source `s`.
#[derive(Debug)]
pub struct Block<'a> {
    pub kernel: Kernel,
    pub lag: usize,
    pub first_source: usize,
    pub len: usize,
    pub lanes: usize,
    pub first_lane: usize,
    /// Weight of all pairs of planes together.
    pub weight: u32,
    /// Disagreements, one table a slot; for uniform planes `surplus[slot][k]` too many.
    pub disagreements: &'a [Vec<u32>],
    pub surplus: &'a [[u32; TILE]; MAX_SLOTS],
    pub margins: Margins<'a>,
}

/// Common samples and one-sided counts.
#[derive(Debug)]
pub enum Margins<'a> {
    /// The same for every pair: margins of all sources (of the whole scan) and of the tile's targets.
    Uniform { n: u32, sources: &'a LagMargins, targets: [Margin; TILE] },
    /// Each pair has its own, as tables.
    Pairwise { n: &'a [u32], sources: &'a [Margin], targets: &'a [Margin] },
}

impl Block<'_> {
    /// Margin-centred z of every source with target `k`:
    /// the sum over plane pairs (a, b) of `w_a w_b (n - 2 d_ab - s_a s_b / n)`, divided by `sd_x sd_y sqrt(n)`, where s
    /// is ones minus zeros of a plane and sd the standard deviation of the weighted code. Here times n / n, so that the
    /// numerator is an integer.
    pub fn z(&self, k: usize, out: &mut [f64]) {
        let weighted = &self.disagreements[WEIGHTED][self.pair(k, 0)..self.pair(k, self.len)];
        let weight = f64::from(self.weight);
        match self.margins {
            Margins::Uniform { n, sources, targets } => {
                let here = self.first_source..self.first_source + self.len;
                let (sums, inverses) = (&sources.sums[here.clone()], &sources.inverses[here]);
                let n = f64::from(n);
                let common = Centring {
                    most: n * (n * weight + 2.0 * f64::from(self.surplus[WEIGHTED][k])),
                    twice_n: 2.0 * n,
                    sum: targets[k].sum,
                    scale: n.sqrt() * targets[k].inverse,
                };
                self.kernel.centre(weighted, sums, inverses, common, out);
            }
            Margins::Pairwise { n, sources, targets } => {
                for (s, (z, &d)) in out.iter_mut().zip(weighted).enumerate() {
                    let pair = self.pair(k, s);
                    let (n, source, target) = (f64::from(n[pair]), sources[pair], targets[pair]);
                    let covariance = n * (n * weight - 2.0 * f64::from(d)) - source.sum * target.sum;
                    *z = covariance * source.inverse * (n.sqrt() * target.inverse);
                }
            }
        }
    }

    /// Where source `s` and target `k` stand in tables.
    fn pair(&self, k: usize, s: usize) -> usize {
        k * self.lanes + self.first_lane + s
    }

    /// Common samples of source `s` and target `k`.
    pub fn common(&self, k: usize, s: usize) -> u32 {
        self.leading_margins(k, s).0
    }

    /// Mutual information in nats of the leading planes of every source with target `k`.
    pub fn mutual_information(&self, k: usize, nlogn: &[f64], out: &mut [f64]) {
        for (s, out) in out.iter_mut().enumerate() {
            let (n, a, b) = self.leading_margins(k, s);
            *out = mutual_information(n, a, b, self.disagreement(LEADING, k, s), nlogn);
        }
    }

    /// Agreement of the leading planes of every source with target `k`.
    pub fn agreement(&self, k: usize, out: &mut [f64]) {
        for (s, out) in out.iter_mut().enumerate() {
            *out = agreement(self.leading_margins(k, s).0, self.disagreement(LEADING, k, s));
        }
    }

    /// Agreement of two planes at once of every source with target `k`; for joint scans.
    pub fn joint_agreement(&self, k: usize, out: &mut [f64]) {
        for (s, out) in out.iter_mut().enumerate() {
            let d = |slot| self.disagreement(slot, k, s);
            *out = joint_agreement(self.leading_margins(k, s).0, d(LEADING), d(SECOND), d(PRODUCT));
        }
    }

    fn disagreement(&self, slot: usize, k: usize, s: usize) -> u32 {
        self.disagreements[slot][self.pair(k, s)] - self.surplus[slot][k]
    }

    /// Common samples and ones of the leading planes of one pair.
    fn leading_margins(&self, k: usize, s: usize) -> (u32, u32, u32) {
        match self.margins {
            Margins::Uniform { n, sources, targets } => (n, sources.ones[self.first_source + s], targets[k].ones),
            Margins::Pairwise { n, sources, targets } => {
                let pair = self.pair(k, s);
                (n[pair], sources[pair].ones, targets[pair].ones)
            }
        }
    }
}
