//! The scan itself: every source at every lag against every target.
//!
//! Sources are delayed once per lag and reused for all targets; a source at a lag is a lane, and lanes are numbered lag
//! by lag, so that few sources fill a kernel too. Targets are taken four at a time, so that a lane is read once for four
//! of them. Work is split by target: results do not depend on the number of threads.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use rayon::prelude::*;

use super::block::{Block, LEADING, MAX_SLOTS, Margins, PRODUCT, SECOND, WEIGHTED};
use super::margin::{KeptMargins, Margin, UniformMargins, common_validity};
use crate::bits::kernel::{Kernel, TILE};
use crate::bits::{Planes, delay};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;

/// Lanes that are delayed at once by a thread, and stay in the second-level cache while all targets pass by: about so
/// many bytes, a multiple of so many lanes, and no more than keeps their counts in the first-level cache. The buffer is
/// used again for the next ones, and small enough for allocators not to hand it back to the system after every scan.
const BLOCK_BYTES: usize = 96 << 10;
const LANES: usize = 64;
const MOST_LANES: usize = 1024;
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
    uniform: Option<Arc<UniformMargins>>,
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
        let count = |lags| UniformMargins::new(sources, targets, lags, monitor).map(Arc::new);
        Self::with_margins(sources, targets, lags, plan, kernel, count)
    }

    /// The same of a code with itself, with what may have been counted before.
    pub fn of_one(
        planes: &'a Planes,
        kept: &KeptMargins,
        lags: RangeInclusive<usize>,
        plan: Plan,
        kernel: Kernel,
        monitor: &Monitor,
    ) -> Result<Self> {
        Self::with_margins(planes, planes, lags, plan, kernel, |lags| kept.get(planes, lags, monitor))
    }

    fn with_margins(
        sources: &'a Planes,
        targets: &'a Planes,
        lags: RangeInclusive<usize>,
        plan: Plan,
        kernel: Kernel,
        margins: impl FnOnce(Range<usize>) -> Result<Arc<UniformMargins>>,
    ) -> Result<Self> {
        if sources.layout() != targets.layout() {
            return Err(CoreError::invalid("sources and targets must be laid out alike"));
        }
        if lags.is_empty() || *lags.end() > sources.layout().largest_lag() {
            return Err(CoreError::invalid("lags must not be empty nor reach beyond the gap between data sets"));
        }
        let uniform = sources.is_uniform() && targets.is_uniform();
        let uniform = uniform.then(|| margins(*lags.start()..lags.end() + 1)).transpose()?;
        Ok(Self { sources, targets, lags, plan, kernel, uniform })
    }

    /// Run; `sinks` has one entry a target.
    pub fn run<S: Sink>(&self, sinks: &mut [S], monitor: &Monitor) -> Result<()> {
        let threads = rayon::current_num_threads();
        let piece = sinks.len().div_ceil(PIECES * threads).next_multiple_of(TILE).max(TILE);
        let mut counters: Vec<_> = sinks.chunks(piece).map(|_| Counter::new(self)).collect();
        let inside = self.uniform.is_some().then(|| common_validity(self.targets));
        let blocks = self.blocks();
        let mut buffers = vec![Delayed::default(); threads.min(blocks.len())];
        let (mut done, n_blocks) = (0, blocks.len());
        for blocks in blocks.chunks(threads) {
            let delayed = &mut buffers[..blocks.len()];
            delayed
                .par_iter_mut()
                .zip(blocks)
                .for_each(|(delayed, lanes)| self.delay(lanes, inside.as_deref(), delayed));
            let pieces = sinks.par_chunks_mut(piece).zip(&mut counters).enumerate();
            pieces.try_for_each(|(p, (sinks, counter))| {
                for delayed in &*delayed {
                    monitor.check()?;
                    counter.scan(delayed, p * piece, sinks);
                }
                Ok(())
            })?;
            // All targets move on together: progress is their share.
            let share = |blocks| blocks * sinks.len() / n_blocks;
            for _ in share(done)..share(done + blocks.len()) {
                monitor.step();
            }
            done += blocks.len();
        }
        Ok(())
    }

    /// How many rows of a source are read, from its first.
    fn source_rows(&self) -> usize {
        if self.uniform.is_some() { self.plan.source_rows() } else { self.sources.rows_each() }
    }

    /// All lanes in blocks of about one size; lane `l` is source `l % N` at the lag in position `l / N`.
    fn blocks(&self) -> Vec<Range<usize>> {
        let bytes_a_lane = (self.source_rows() * self.sources.words() * self.kernel.spread() * 8).max(1);
        let most = (BLOCK_BYTES / bytes_a_lane / LANES * LANES).clamp(LANES, MOST_LANES);
        let n_lanes = self.lags.clone().count() * self.sources.n_series();
        let size = n_lanes.div_ceil(n_lanes.div_ceil(most).max(1)).next_multiple_of(LANES);
        (0..n_lanes).step_by(size.max(1)).map(|start| start..(start + size).min(n_lanes)).collect()
    }

    /// The rows of a block of lanes, if asked for cut to the samples `inside`.
    fn delay(&self, lanes: &Range<usize>, inside: Option<&[u64]>, delayed: &mut Delayed) {
        let words = self.sources.words();
        delayed.lanes = lanes.clone();
        let Delayed { plain, rows, .. } = delayed;
        plain.resize(lanes.len() * words, 0);
        rows.resize(self.source_rows(), Vec::new());
        for (row, arranged) in rows.iter_mut().enumerate() {
            let mut out = plain.chunks_exact_mut(words.max(1));
            for (lag, sources) in self.by_lag(lanes) {
                for (source, out) in sources.zip(&mut out) {
                    delay(self.sources.row(source, row), lag, out);
                    if let Some(inside) = inside {
                        out.iter_mut().zip(inside).for_each(|(bits, inside)| *bits &= inside);
                    }
                }
            }
            self.kernel.arrange(plain, words, arranged);
        }
    }

    /// The lags of some lanes, and the sources among them at each.
    fn by_lag(&self, lanes: &Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let (Range { start, end }, n, first) = (lanes.clone(), self.sources.n_series().max(1), *self.lags.start());
        let sources = move |at| start.saturating_sub(at * n)..n.min(end - at * n);
        (start / n..end.div_ceil(n)).map(move |at| (first + at, sources(at)))
    }
}

/// A block of lanes and the buffers that hold it: one row of every lane as it is, and all as the kernel wants them.
#[derive(Debug, Clone, Default)]
struct Delayed {
    lanes: Range<usize>,
    plain: Vec<u64>,
    rows: Vec<Vec<u64>>,
}

/// Buffers of one piece of the targets.
struct Counter<'a> {
    scan: &'a Scan<'a>,
    disagreements: Vec<Vec<u32>>,
    pairwise: Pairwise,
}

/// Tables of the general path, `[k * lanes + lane]`.
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
    fn new(scan: &'a Scan) -> Self {
        Self { scan, disagreements: vec![Vec::new(); scan.plan.slots], pairwise: Pairwise::default() }
    }

    /// A block of lanes against the targets from `first_target` on.
    fn scan<S: Sink>(&mut self, delayed: &Delayed, first_target: usize, sinks: &mut [S]) {
        for (tile, sinks) in sinks.chunks_mut(TILE).enumerate() {
            let start = first_target + tile * TILE;
            // A tile that is not full repeats its last target.
            let targets = std::array::from_fn(|k| start + k.min(sinks.len() - 1));
            for table in &mut self.disagreements {
                table.clear();
                table.resize(TILE * delayed.lanes.len(), 0);
            }
            if self.scan.uniform.is_some() {
                self.count_uniform(delayed, &targets);
            } else {
                self.count_pairwise(delayed, &targets);
            }
            self.report(&delayed.lanes, &targets, sinks);
        }
    }

    /// Hand the counts over, lag by lag.
    fn report<S: Sink>(&self, lanes: &Range<usize>, targets: &[usize; TILE], sinks: &mut [S]) {
        let scan = self.scan;
        let (v, w) = (scan.sources.weights(), scan.targets.weights());
        let mut first_lane = 0;
        for (lag, sources) in scan.by_lag(lanes) {
            let at = lag - scan.lags.start();
            let (margins, surplus) = if let Some(uniform) = &scan.uniform {
                let margins = targets.map(|t| uniform.targets[at].get(t));
                let margins = Margins::Uniform { n: uniform.n[at], sources: &uniform.sources[at], targets: margins };
                (margins, self.surplus(targets, |row| uniform.unmatched(row, at)))
            } else {
                let p = &self.pairwise;
                (Margins::Pairwise { n: &p.n, sources: &p.sources, targets: &p.targets }, [[0; TILE]; MAX_SLOTS])
            };
            let block = Block {
                kernel: scan.kernel,
                lag,
                first_source: sources.start,
                len: sources.len(),
                lanes: lanes.len(),
                first_lane,
                weight: v.iter().sum::<u32>() * w.iter().sum::<u32>(),
                disagreements: &self.disagreements,
                surplus: &surplus,
                margins,
            };
            sinks.iter_mut().enumerate().for_each(|(k, sink)| sink.take(&block, k));
            first_lane += block.len;
        }
    }

    /// What XOR counts where valid target samples meet no valid source sample.
    fn surplus(&self, targets: &[usize; TILE], unmatched: impl Fn(usize) -> u32) -> [[u32; TILE]; MAX_SLOTS] {
        let mut surplus = [[0; TILE]; MAX_SLOTS];
        for c in &self.scan.plan.comparisons {
            for (surplus, t) in surplus[c.slot].iter_mut().zip(targets) {
                *surplus += c.weight * unmatched(t * self.scan.targets.rows_each() + c.target_row);
            }
        }
        surplus
    }

    /// No validity to look at: XOR alone.
    fn count_uniform(&mut self, delayed: &Delayed, targets: &[usize; TILE]) {
        let (scan, words) = (self.scan, self.scan.sources.words());
        for c in &scan.plan.comparisons {
            let tile = targets.map(|t| scan.targets.row(t, c.target_row));
            scan.kernel.count_xor(&delayed.rows[c.source_row], words, &tile, c.weight, &mut self.disagreements[c.slot]);
        }
    }

    /// Every pair on its own common samples. Rows are 0 where a series is not valid, so that x & y counts the common
    /// ones n11 of valid pairs only, and d = a + b - 2 n11.
    fn count_pairwise(&mut self, delayed: &Delayed, targets: &[usize; TILE]) {
        let (scan, words, len) = (self.scan, self.scan.sources.words(), delayed.lanes.len());
        let (source_validity, target_validity) = (scan.sources.rows_each() - 1, scan.targets.rows_each() - 1);
        let count = |source_row: usize, target_row: usize, weight: u32, counts: &mut Vec<u32>| {
            counts.resize(TILE * len, 0);
            let tile = targets.map(|t| scan.targets.row(t, target_row));
            scan.kernel.count_and(&delayed.rows[source_row], words, &tile, weight, counts);
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
