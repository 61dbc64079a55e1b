//! Elimination and products of small matrices: plain bodies, compiled once per instruction set, chosen at run time.
//!
//! Matrices are stored in blocks of four numbers, rows padded with zeros. `unsafe` is calling a function that was
//! compiled for instructions which the machine has been checked to have.

use std::sync::OnceLock;

use crate::fused::multiply_add;

/// Four numbers of a row.
pub type Four = [f64; 4];

/// Of the first `k` of `m` variables, in this order, each takes itself out of those after it, in the upper triangle of
/// `rows` (`width` blocks each); false, and the matrix is spoilt, where a pivot is at most `weak`.
type Eliminate = unsafe fn(rows: &mut [Four], width: usize, m: usize, k: usize, weak: f64) -> bool;

/// `rows -= u^T u` in the upper triangle; `u` has rows of `width` blocks, too.
type SubtractProducts = unsafe fn(rows: &mut [Four], width: usize, m: usize, u: &[Four]);

/// The functions of one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    eliminate: Eliminate,
    subtract_products: SubtractProducts,
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

    /// See [`SubtractProducts`].
    pub fn subtract_products(&self, rows: &mut [Four], width: usize, m: usize, u: &[Four]) {
        #[allow(unsafe_code)]
        // SAFETY: as in `eliminate`.
        unsafe {
            (self.subtract_products)(rows, width, m, u);
        }
    }
}

/// Runs anywhere.
const PLAIN: Kernel = Kernel { eliminate: plain::eliminate, subtract_products: plain::subtract_products };

/// Every kernel that this machine can run, the fastest last.
pub fn available() -> Vec<Kernel> {
    let mut kernels = vec![PLAIN];
    #[cfg(target_arch = "x86_64")]
    if crate::fused::is_available() {
        kernels.push(Kernel { eliminate: avx2::eliminate, subtract_products: avx2::subtract_products });
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
fn subtract_products<const FUSED: bool>(rows: &mut [Four], width: usize, m: usize, u: &[Four]) {
    for (i, row) in rows.chunks_exact_mut(width).take(m).enumerate() {
        for others in u.chunks_exact(width) {
            let factor = -others[i / 4][i % 4];
            for (value, other) in row[i / 4..].iter_mut().zip(&others[i / 4..]) {
                for lane in 0..4 {
                    value[lane] = multiply_add::<FUSED>(factor, other[lane], value[lane]);
                }
            }
        }
    }
}

/// One module per instruction set.
macro_rules! kernel {
    ($name:ident, $fused:literal $(, $features:literal)?) => {
        mod $name {
            use super::Four;

            $(#[target_feature(enable = $features)])?
            pub(super) fn eliminate(rows: &mut [Four], width: usize, m: usize, k: usize, weak: f64) -> bool {
                super::eliminate::<$fused>(rows, width, m, k, weak)
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn subtract_products(rows: &mut [Four], width: usize, m: usize, u: &[Four]) {
                super::subtract_products::<$fused>(rows, width, m, u);
            }
        }
    };
}

kernel!(plain, false);
#[cfg(target_arch = "x86_64")]
kernel!(avx2, true, "avx2,fma");
