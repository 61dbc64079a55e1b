//! Elimination and products of small matrices: plain bodies, compiled once per instruction set, chosen at run time.
//!
//! Matrices are stored in blocks of four numbers, rows padded with zeros. `unsafe` is calling a function that was
//! compiled for instructions which the machine has been checked to have.

use std::sync::OnceLock;

/// Four numbers of a row.
pub type Four = [f64; 4];

/// Of the first `k` of `m` variables, in this order, each takes itself out of those after it, in the upper triangle of
/// `rows` (`width` blocks each); false, and the matrix is spoilt, where a pivot is at most `weak`.
type Eliminate = unsafe fn(rows: &mut [Four], width: usize, m: usize, k: usize, weak: f64) -> bool;

/// `rows -= u u^T` in the upper triangle, for `m` vectors of `length` blocks each, and zeros up to the next multiple of
/// four vectors.
type SubtractProducts = unsafe fn(rows: &mut [Four], width: usize, m: usize, u: &[Four], length: usize);

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
    pub fn subtract_products(&self, rows: &mut [Four], width: usize, m: usize, u: &[Four], length: usize) {
        #[allow(unsafe_code)]
        // SAFETY: as in `eliminate`.
        unsafe {
            (self.subtract_products)(rows, width, m, u, length);
        }
    }
}

/// Runs anywhere.
const PLAIN: Kernel = Kernel { eliminate: plain::eliminate, subtract_products: plain::subtract_products };

/// Every kernel that this machine can run, the fastest last.
pub fn available() -> Vec<Kernel> {
    let mut kernels = vec![PLAIN];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        kernels.push(Kernel { eliminate: avx2::eliminate, subtract_products: avx2::subtract_products });
    }
    kernels
}

/// The fastest kernel, looked for once.
pub fn best() -> Kernel {
    static BEST: OnceLock<Kernel> = OnceLock::new();
    *BEST.get_or_init(|| available().pop().unwrap_or(PLAIN))
}

/// `a b + c`, rounded once where the machine has an instruction for it: without one, `mul_add` is a slow call.
#[allow(clippy::inline_always)]
#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
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

/// Compiled as [`eliminate`] is. Four products at a time share the row's vector.
#[allow(clippy::inline_always)]
#[inline(always)]
fn subtract_products<const FUSED: bool>(rows: &mut [Four], width: usize, m: usize, u: &[Four], length: usize) {
    for (i, row) in rows.chunks_exact_mut(width).take(m).enumerate() {
        let own = &u[i * length..][..length];
        for (block, values) in row.iter_mut().enumerate().skip(i / 4) {
            let others = &u[4 * block * length..][..4 * length];
            let (first, second) = others.split_at(2 * length);
            let ((a, b), (c, d)) = (first.split_at(length), second.split_at(length));
            let mut sums = [[0.0; 4]; 4];
            for ((((x, a), b), c), d) in own.iter().zip(a).zip(b).zip(c).zip(d) {
                for lane in 0..4 {
                    sums[0][lane] = multiply_add::<FUSED>(x[lane], a[lane], sums[0][lane]);
                    sums[1][lane] = multiply_add::<FUSED>(x[lane], b[lane], sums[1][lane]);
                    sums[2][lane] = multiply_add::<FUSED>(x[lane], c[lane], sums[2][lane]);
                    sums[3][lane] = multiply_add::<FUSED>(x[lane], d[lane], sums[3][lane]);
                }
            }
            for (value, sum) in values.iter_mut().zip(sums) {
                *value -= (sum[0] + sum[2]) + (sum[1] + sum[3]);
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
            pub(super) fn subtract_products(rows: &mut [Four], width: usize, m: usize, u: &[Four], length: usize) {
                super::subtract_products::<$fused>(rows, width, m, u, length);
            }
        }
    };
}

kernel!(plain, false);
#[cfg(target_arch = "x86_64")]
kernel!(avx2, true, "avx2,fma");
