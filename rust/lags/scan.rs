//! The scan itself: every source at every lag against every target.
//!
//! Sources are delayed once per lag and reused for all targets; targets are taken four at a time, so that a source row
//! is read once for four of them. Work is split by target: results do not depend on the number of threads.

use std::ops::{Range, RangeInclusive};

use rayon::prelude::*;

use super::block::{Block, LEADING, MAX_SLOTS, Margins, PRODUCT, SECOND, WEIGHTED};
use super::margin::{Margin, UniformMargins, common_validity};
use crate::bits::Planes;
use crate::bits::kernel::{Kernel, TILE};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;

/// Delayed rows that are held at once: bounds memory, and keeps them in the last-level cache.
const GROUP_BYTES: usize = 8 << 20;
/// Source rows that stay in the second-level cache while all targets of a thread pass by.
const BLOCK_BYTES: usize = 128 << 10;
/// Pieces a thread gets, so that uneven threads even out.
const PIECES: usize = 4;

/// What collects the results of one target.
pub trait Sink: Send {
    /// Take the counts of target `k` of the tile. Lags come in ascending order, sources in ascending order within.
    fn take(&mut self, block: &Block, k: usize);
}

/// A pair of rows to compare, and the slot to which `weight` times their disagreements is added.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    source_row: usize,
    target_row: usize,
    slot: usize,
    weight: u32,
}

/// What is compared with what.
#[derive(Debug, Clone)]
pub struct Plan {
    comparisons: Vec<Comparison>,
    slots: usize,
}

impl Plan {
    /// Every plane with every plane, weighted and summed.
    pub fn association(sources: &Planes, targets: &Planes) -> Self {
        let mut comparisons = Vec::new();
        for (source_row, v) in sources.weights().iter().enumerate() {
            for (target_row, w) in targets.weights().iter().enumerate() {
                comparisons.push(Comparison { source_row, target_row, slot: WEIGHTED, weight: v * w });
            }
        }
        Self { comparisons, slots: 1 }
    }

    /// The leading planes alone.
    pub fn leading() -> Self {
        let comparisons = vec![Comparison { source_row: 0, target_row: 0, slot: LEADING, weight: 1 }];
        Self { comparisons, slots: 1 }
    }

    /// First planes, second planes and their products, each alone; both sides need two planes.
    pub fn joint() -> Self {
        let slots = [LEADING, SECOND, PRODUCT];
        let comparisons = slots.map(|slot| Comparison { source_row: slot, target_row: slot, slot, weight: 1 }).to_vec();
        Self { comparisons, slots: slots.len() }
    }

    /// How many rows of a source are read, from its first.
    fn source_rows(&self) -> usize {
        1 + self.comparisons.iter().map(|c| c.source_row).max().unwrap_or(0)
    }
}

/// A scan of `sources` against `targets` over `lags`.
#[derive(Debug)]
pub struct Scan<'a> {
    sources: &'a Planes,
    targets: &'a Planes,
    lags: RangeInclusive<usize>,
    plan: Plan,
    kernel: Kernel,
    /// Present when nothing about validity depends on the pair: the fast path.
    uniform: Option<UniformMargins>,
}

impl<'a> Scan<'a> {
    /// Check that the two sides fit each other and the lags, and count what can be counted beforehand.
    pub fn new(
        sources: &'a Planes,
        targets: &'a Planes,
        lags: RangeInclusive<usize>,
        plan: Plan,
        kernel: Kernel,
        monitor: &Monitor,
    ) -> Result<Self> {
        if sources.layout() != targets.layout() {
            return Err(CoreError::invalid("sources and targets must be laid out alike"));
        }
        if lags.is_empty() || *lags.end() > sources.layout().largest_lag() {
            return Err(CoreError::invalid("lags must not be empty nor reach beyond the gap between data sets"));
        }
        let uniform = sources.is_uniform() && targets.is_uniform();
        let margins = || UniformMargins::new(sources, targets, *lags.start()..lags.end() + 1, monitor);
        let uniform = uniform.then(margins).transpose()?;
        Ok(Self { sources, targets, lags, plan, kernel, uniform })
    }

    /// Run; `sinks` has one entry a target.
    pub fn run<S: Sink>(&self, sinks: &mut [S], monitor: &Monitor) -> Result<()> {
        let rows = if self.uniform.is_some() { 0..self.plan.source_rows() } else { 0..self.sources.rows_each() };
        let inside = self.uniform.is_some().then(|| common_validity(self.targets));
        let bytes_a_row = self.sources.words() * self.kernel.spread() * 8;
        let bytes_a_lag = (rows.len() * self.sources.n_series() * bytes_a_row).max(1);
        let lags: Vec<usize> = self.lags.clone().collect();
        let pieces = PIECES * rayon::current_num_threads();
        let piece = sinks.len().div_ceil(pieces).next_multiple_of(TILE).max(TILE);
        for group in lags.chunks((GROUP_BYTES / bytes_a_lag).max(1)) {
            monitor.check()?;
            let delay =
                |&lag: &usize| (lag, self.kernel.arrange(self.sources.delayed(rows.clone(), lag, inside.as_deref())));
            let delayed: Vec<(usize, Vec<u64>)> = group.par_iter().map(delay).collect();
            sinks.par_chunks_mut(piece).enumerate().try_for_each(|(p, sinks)| {
                let mut counter = Counter::new(self, rows.len());
                for (lag, rows) in &delayed {
                    monitor.check()?;
                    counter.scan_lag(*lag, rows, p * piece, sinks);
                }
                if group.last() == lags.last() {
                    for _ in sinks.iter() {
                        monitor.step();
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Row `row` of some series among delayed rows.
    fn rows<'r>(&self, delayed: &'r [u64], row: usize, series: &Range<usize>) -> &'r [u64] {
        let (first, words) = (row * self.sources.n_series(), self.sources.words() * self.kernel.spread());
        &delayed[(first + series.start) * words..(first + series.end) * words]
    }
}

/// Buffers of one thread.
struct Counter<'a> {
    scan: &'a Scan<'a>,
    block: usize,
    disagreements: Vec<Vec<u32>>,
    pairwise: Pairwise,
}

/// Tables of the general path, `[k * len + s]`.
#[derive(Default)]
struct Pairwise {
    n: Vec<u32>,
    /// Ones of each plane and product row of a source where the target is valid, and the reverse.
    source_ones: Vec<Vec<u32>>,
    target_ones: Vec<Vec<u32>>,
    sources: Vec<Margin>,
    targets: Vec<Margin>,
}

impl<'a> Counter<'a> {
    fn new(scan: &'a Scan, rows: usize) -> Self {
        let bytes_a_row = scan.sources.words() * scan.kernel.spread() * 8;
        let block = (BLOCK_BYTES / (rows * bytes_a_row).max(1)).clamp(8, 256);
        Self { scan, block, disagreements: vec![Vec::new(); scan.plan.slots], pairwise: Pairwise::default() }
    }

    /// All sources at one lag against the targets from `first_target` on.
    fn scan_lag<S: Sink>(&mut self, lag: usize, delayed: &[u64], first_target: usize, sinks: &mut [S]) {
        let n_sources = self.scan.sources.n_series();
        for first in (0..n_sources).step_by(self.block) {
            let sources = first..(first + self.block).min(n_sources);
            for (tile, sinks) in sinks.chunks_mut(TILE).enumerate() {
                let start = first_target + tile * TILE;
                // A tile that is not full repeats its last target.
                let targets = std::array::from_fn(|k| start + k.min(sinks.len() - 1));
                self.tile(lag, delayed, sources.clone(), targets, sinks);
            }
        }
    }

    fn tile<S: Sink>(
        &mut self,
        lag: usize,
        delayed: &[u64],
        sources: Range<usize>,
        targets: [usize; TILE],
        sinks: &mut [S],
    ) {
        let (scan, len) = (self.scan, sources.len());
        let (v, w) = (scan.sources.weights(), scan.targets.weights());
        for table in &mut self.disagreements {
            table.clear();
            table.resize(TILE * len, 0);
        }
        let mut surplus = [[0; TILE]; MAX_SLOTS];
        let margins = if let Some(uniform) = &scan.uniform {
            let at = lag - scan.lags.start();
            let unmatched = |row| uniform.unmatched(row, at);
            self.count_uniform(delayed, &sources, &targets, unmatched, &mut surplus);
            let targets = targets.map(|t| uniform.targets[at].get(t));
            Margins::Uniform { n: uniform.n[at], sources: &uniform.sources[at], targets }
        } else {
            self.count_pairwise(delayed, &sources, &targets);
            let p = &self.pairwise;
            Margins::Pairwise { n: &p.n, sources: &p.sources, targets: &p.targets }
        };
        let block = Block {
            kernel: scan.kernel,
            lag,
            first_source: sources.start,
            len,
            weight: v.iter().sum::<u32>() * w.iter().sum::<u32>(),
            disagreements: &self.disagreements,
            surplus: &surplus,
            margins,
        };
        sinks.iter_mut().enumerate().for_each(|(k, sink)| sink.take(&block, k));
    }

    /// No validity to look at: XOR alone, and take off what valid target samples meet beyond the sources' samples.
    fn count_uniform(
        &mut self,
        delayed: &[u64],
        sources: &Range<usize>,
        targets: &[usize; TILE],
        unmatched: impl Fn(usize) -> u32,
        surplus: &mut [[u32; TILE]; MAX_SLOTS],
    ) {
        let (scan, words) = (self.scan, self.scan.sources.words());
        for c in &scan.plan.comparisons {
            let xs = scan.rows(delayed, c.source_row, sources);
            let tile = targets.map(|t| scan.targets.row(t, c.target_row));
            scan.kernel.count_xor(xs, words, &tile, c.weight, &mut self.disagreements[c.slot]);
            for (surplus, t) in surplus[c.slot].iter_mut().zip(targets) {
                *surplus += c.weight * unmatched(t * scan.targets.rows_each() + c.target_row);
            }
        }
    }

    /// Every pair on its own common samples. Rows are 0 where a series is not valid, so that x & y counts the common
    /// ones n11 of valid pairs only, and d = a + b - 2 n11.
    fn count_pairwise(&mut self, delayed: &[u64], sources: &Range<usize>, targets: &[usize; TILE]) {
        let (scan, words, len) = (self.scan, self.scan.sources.words(), sources.len());
        let (source_validity, target_validity) = (scan.sources.rows_each() - 1, scan.targets.rows_each() - 1);
        let count = |source_row: usize, target_row: usize, weight: u32, counts: &mut Vec<u32>| {
            counts.resize(TILE * len, 0);
            let xs = scan.rows(delayed, source_row, sources);
            let tile = targets.map(|t| scan.targets.row(t, target_row));
            scan.kernel.count_and(xs, words, &tile, weight, counts);
        };
        let p = &mut self.pairwise;
        p.n.clear();
        count(source_validity, target_validity, 1, &mut p.n);
        p.source_ones.resize(source_validity, Vec::new());
        p.target_ones.resize(target_validity, Vec::new());
        for (row, ones) in p.source_ones.iter_mut().enumerate() {
            ones.clear();
            count(row, target_validity, 1, ones);
        }
        for (row, ones) in p.target_ones.iter_mut().enumerate() {
            ones.clear();
            count(source_validity, row, 1, ones);
        }
        let margins = |planes: &Planes, ones: &[Vec<u32>], margins: &mut Vec<Margin>| {
            margins.clear();
            margins.extend(p.n.iter().enumerate().map(|(pair, &n)| Margin::new(planes, n, |row| ones[row][pair])));
        };
        margins(scan.sources, &p.source_ones, &mut p.sources);
        margins(scan.targets, &p.target_ones, &mut p.targets);
        for c in &scan.plan.comparisons {
            let (mut common, table) = (Vec::new(), &mut self.disagreements[c.slot]);
            count(c.source_row, c.target_row, 1, &mut common);
            for (pair, d) in table.iter_mut().enumerate() {
                let (a, b) = (p.source_ones[c.source_row][pair], p.target_ones[c.target_row][pair]);
                *d += c.weight * (a + b - 2 * common[pair]);
            }
        }
    }
}
