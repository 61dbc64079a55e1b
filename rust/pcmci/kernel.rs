//! Elimination in small matrices: plain bodies, compiled once per instruction set, chosen at run time.
//!
//! Numbers come in fours, rows padded. `unsafe` is calling a function that was compiled for instructions which the
//! machine has been checked to have.

use std::sync::OnceLock;

use crate::fused::multiply_add;

/// Four numbers of a row, or one number of each of four tests.
pub type Four = [f64; 4];

/// Four of these: what a loop holds in registers.
pub type Tile = [Four; 4];

/// Of the first `k` of `m` variables, in this order, each takes itself out of those after it, in the upper triangle of
/// `rows` (`width` blocks each); false, and the matrix is spoilt, where a pivot is at most `weak`.
type Eliminate = unsafe fn(rows: &mut [Four], width: usize, m: usize, k: usize, weak: f64) -> bool;

/// `row = (row - sum_e weights[e] done[e]) scale`, `done` being rows as long as `row`.
type Project = unsafe fn(row: &mut [Tile], done: &[Tile], weights: &[f64], scale: f64);

/// Four Cholesky factorisations at once, one a lane. `rows` of `width` tiles are `n_done` rows of the factors, then the
/// upper triangle of what is to be factored, which the rows before are taken off first. Variables beyond `keep` take
/// nothing off those after them, nor do lanes where `keep` is 0. Returns the smallest pivot of every lane.
type Factor = unsafe fn(rows: &mut [Tile], width: usize, n_done: usize, keep: &[Four]) -> Four;

/// The functions of one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    eliminate: Eliminate,
    project: Project,
    factor: Factor,
}

impl Kernel {
    /// See [`Eliminate`].
    pub fn eliminate(&self, rows: &mut [Four], width: usize, m: usize, k: usize, weak: f64) -> bool {
        #[allow(unsafe_code)]
        // SAFETY: a `Kernel` is only made by `available`, which has checked that the machine can run it.
        unsafe {
            (self.eliminate)(rows, width, m, k, weak)
        }
    }

    /// See [`Project`].
    pub fn project(&self, row: &mut [Tile], done: &[Tile], weights: &[f64], scale: f64) {
        #[allow(unsafe_code)]
        // SAFETY: as in `eliminate`.
        unsafe {
            (self.project)(row, done, weights, scale);
        }
    }

    /// See [`Factor`].
    pub fn factor(&self, rows: &mut [Tile], width: usize, n_done: usize, keep: &[Four]) -> Four {
        #[allow(unsafe_code)]
        // SAFETY: as in `eliminate`.
        unsafe {
            (self.factor)(rows, width, n_done, keep)
        }
    }
}

/// Runs anywhere.
const PLAIN: Kernel = Kernel { eliminate: plain::eliminate, project: plain::project, factor: plain::factor };

/// Every kernel that this machine can run, the fastest last.
pub fn available() -> Vec<Kernel> {
    let mut kernels = vec![PLAIN];
    #[cfg(target_arch = "x86_64")]
    if crate::fused::is_available() {
        kernels.push(Kernel { eliminate: avx2::eliminate, project: avx2::project, factor: avx2::factor });
    }
    kernels
}

/// The fastest kernel, looked for once.
pub fn best() -> Kernel {
    static BEST: OnceLock<Kernel> = OnceLock::new();
    *BEST.get_or_init(|| available().pop().unwrap_or(PLAIN))
}

/// The loop that every instruction set compiles in its own way: it has to be inlined to be compiled with its features.
#[allow(clippy::inline_always)]
#[inline(always)]
fn eliminate<const FUSED: bool>(rows: &mut [Four], width: usize, m: usize, k: usize, weak: f64) -> bool {
    for j in 0..k {
        let (above, below) = rows.split_at_mut((j + 1) * width);
        let pivots = &above[j * width..];
        let pivot = pivots[j / 4][j % 4];
        if pivot <= weak {
            return false;
        }
        let inverse = pivot.recip();
        for (i, row) in (j + 1..m).zip(below.chunks_exact_mut(width)) {
            let factor = -pivots[i / 4][i % 4] * inverse;
            for (value, pivot) in row[i / 4..].iter_mut().zip(&pivots[i / 4..]) {
                for lane in 0..4 {
                    value[lane] = multiply_add::<FUSED>(factor, pivot[lane], value[lane]);
                }
            }
        }
    }
    true
}

/// Compiled as [`eliminate`] is.
#[allow(clippy::inline_always)]
#[inline(always)]
fn project<const FUSED: bool>(row: &mut [Tile], done: &[Tile], weights: &[f64], scale: f64) {
    let width = row.len();
    for (at, out) in row.iter_mut().enumerate() {
        let mut rest = *out;
        for (done, &weight) in done.chunks_exact(width).zip(weights) {
            subtract::<FUSED>(&mut rest, [weight; 4], &done[at]);
        }
        *out = rest.map(|four| four.map(|v| v * scale));
    }
}

/// Compiled as [`eliminate`] is.
#[allow(clippy::inline_always)]
#[inline(always)]
fn factor<const FUSED: bool>(rows: &mut [Tile], width: usize, n_done: usize, keep: &[Four]) -> Four {
    let mut least = [f64::INFINITY; 4];
    for p in 0..rows.len() / width - n_done {
        let (above, below) = rows.split_at_mut((n_done + p) * width);
        let (above, row) = (&above[..(n_done + p.min(keep.len())) * width], &mut below[..width]);
        let pairs = row[p / 4..].chunks_mut(2).zip((p / 4..width).step_by(2));
        for (out, first) in pairs {
            // Two tiles where there are two: their eight sums keep the processor busy.
            if let [one, two] = out {
                let mut rest = (*one, *two);
                for done in above.chunks_exact(width) {
                    let weight = done[p / 4][p % 4];
                    subtract::<FUSED>(&mut rest.0, weight, &done[first]);
                    subtract::<FUSED>(&mut rest.1, weight, &done[first + 1]);
                }
                (*one, *two) = rest;
            } else {
                let mut rest = out[0];
                for done in above.chunks_exact(width) {
                    subtract::<FUSED>(&mut rest, done[p / 4][p % 4], &done[first]);
                }
                out[0] = rest;
            }
        }
        let Some(keep) = keep.get(p) else { continue };
        let (pivot, mut scale) = (row[p / 4][p % 4], [0.0; 4]);
        for lane in 0..4 {
            let kept = keep[lane] > 0.0;
            scale[lane] = if kept { 1.0 / pivot[lane].sqrt() } else { 0.0 };
            least[lane] = least[lane].min(if kept { pivot[lane] } else { f64::INFINITY });
        }
        for value in row[p / 4..].as_flattened_mut() {
            for lane in 0..4 {
                value[lane] *= scale[lane];
            }
        }
    }
    least
}

/// `rest -= weight values`, lane by lane.
#[allow(clippy::inline_always)]
#[inline(always)]
fn subtract<const FUSED: bool>(rest: &mut Tile, weight: Four, values: &Tile) {
    for (rest, value) in rest.iter_mut().zip(values) {
        for lane in 0..4 {
            rest[lane] = multiply_add::<FUSED>(-weight[lane], value[lane], rest[lane]);
        }
    }
}

/// One module per instruction set.
macro_rules! kernel {
    ($name:ident, $fused:literal $(, $features:literal)?) => {
        mod $name {
            use super::{Four, Tile};

            $(#[target_feature(enable = $features)])?
            pub(super) fn eliminate(rows: &mut [Four], width: usize, m: usize, k: usize, weak: f64) -> bool {
                super::eliminate::<$fused>(rows, width, m, k, weak)
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn project(row: &mut [Tile], done: &[Tile], weights: &[f64], scale: f64) {
                super::project::<$fused>(row, done, weights, scale);
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn factor(rows: &mut [Tile], width: usize, n_done: usize, keep: &[Four]) -> Four {
                super::factor::<$fused>(rows, width, n_done, keep)
            }
        }
    };
}

kernel!(plain, false);
#[cfg(target_arch = "x86_64")]
kernel!(avx2, true, "avx2,fma");
