//! Counting the bits of many pairs of rows, and what turns counts into z: plain bodies, compiled once per instruction
//! set, chosen at run time.
//!
//! `unsafe` is calling a function that was compiled for instructions which the machine has been checked to have; beside
//! it and its AVX2 form only `cov::gemm`, `lingam::kernel` and `pcmci::kernel` have any.

use std::sync::OnceLock;

/// Rows `y` that are combined with each row `x` while it is at hand.
pub const TILE: usize = 4;

/// Arguments of a kernel: arranged rows `xs`, `words` words each, against a tile of rows; `weight` times the count of
/// row `x` and tile row `k` is added to `counts[k * n + x]`, with n the number of rows.
type Count = unsafe fn(xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]);

/// Numbers that all sources have in common when the disagreements with one target become z.
#[derive(Debug, Clone, Copy)]
pub struct Centring {
    pub most: f64,
    pub twice_n: f64,
    pub sum: f64,
    pub scale: f64,
}

/// `z = (most - twice_n * d - s * sum) * inverse * scale` for disagreements `d`, sums `s` and inverses of many sources.
type Centre = unsafe fn(disagreements: &[u32], sums: &[f64], inverses: &[f64], common: Centring, z: &mut [f64]);

/// Puts rows of so many words into the form that a kernel takes as `xs`, over whatever is in the buffer.
type Arrange = unsafe fn(rows: &[u64], words: usize, arranged: &mut Vec<u64>);

/// The functions of one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    name: &'static str,
    /// None: rows as they are.
    arrange: Option<Arrange>,
    /// Words that a word of a row takes then.
    spread: usize,
    xor: Count,
    and: Count,
    centre: Centre,
}

impl Kernel {
    /// The instruction set.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Put rows of `words` words each into the form that the counting functions take as `xs`, in a buffer that keeps its
    /// memory.
    pub fn arrange(&self, rows: &[u64], words: usize, arranged: &mut Vec<u64>) {
        let Some(arrange) = self.arrange else {
            arranged.clear();
            arranged.extend_from_slice(rows);
            return;
        };
        #[allow(unsafe_code)]
        // SAFETY: as in `count_xor`.
        unsafe {
            arrange(rows, words, arranged);
        }
    }

    /// Words that one word of a row takes once arranged.
    pub fn spread(&self) -> usize {
        self.spread
    }

    /// Add `weight * popcount(x ^ y)` of every pair; `xs` are [arranged](Kernel::arrange).
    pub fn count_xor(&self, xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]) {
        #[allow(unsafe_code)]
        // SAFETY: a `Kernel` is only made by `available`, which has checked that the machine can run it.
        unsafe {
            (self.xor)(xs, words, tile, weight, counts);
        }
    }

    /// Add `weight * popcount(x & y)` of every pair; `xs` are [arranged](Kernel::arrange).
    pub fn count_and(&self, xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]) {
        #[allow(unsafe_code)]
        // SAFETY: as in `count_xor`.
        unsafe {
            (self.and)(xs, words, tile, weight, counts);
        }
    }

    /// z of every source from its disagreements.
    pub fn centre(&self, disagreements: &[u32], sums: &[f64], inverses: &[f64], common: Centring, z: &mut [f64]) {
        #[allow(unsafe_code)]
        // SAFETY: as in `count_xor`.
        unsafe {
            (self.centre)(disagreements, sums, inverses, common, z);
        }
    }
}

macro_rules! kernel_of {
    ($name:ident) => {
        kernel_of!($name, None, 1)
    };
    ($name:ident, $arrange:expr, $spread:expr) => {
        Kernel {
            name: stringify!($name),
            arrange: $arrange,
            spread: $spread,
            xor: $name::xor,
            and: $name::and,
            centre: $name::centre,
        }
    };
}

/// Runs anywhere.
const SCALAR: Kernel = kernel_of!(scalar);

/// Every kernel that this machine can run, the fastest last.
pub fn available() -> Vec<Kernel> {
    let mut kernels = vec![SCALAR];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("popcnt") {
            kernels.push(kernel_of!(popcnt));
        }
        if is_x86_feature_detected!("avx2") {
            kernels.push(kernel_of!(avx2, Some(avx2::arrange), 2));
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            kernels.push(kernel_of!(avx512));
        }
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        kernels.push(kernel_of!(neon));
    }
    kernels
}

/// The fastest kernel, looked for once.
pub fn best() -> Kernel {
    static BEST: OnceLock<Kernel> = OnceLock::new();
    *BEST.get_or_init(|| available().pop().unwrap_or(SCALAR))
}

/// The loop that every instruction set compiles in its own way: it has to be inlined to be compiled with its features.
#[allow(clippy::inline_always)]
#[inline(always)]
fn count(
    xs: &[u64],
    words: usize,
    tile: &[&[u64]; TILE],
    weight: u32,
    counts: &mut [u32],
    combine: impl Fn(u64, u64) -> u64,
) {
    if words == 0 {
        return;
    }
    let n = xs.len() / words;
    let [y0, y1, y2, y3] = tile.map(|y| &y[..words]);
    for (s, x) in xs.chunks_exact(words).enumerate() {
        let mut sums = [0_u64; TILE];
        for ((((&x, &y0), &y1), &y2), &y3) in x.iter().zip(y0).zip(y1).zip(y2).zip(y3) {
            sums[0] += u64::from(combine(x, y0).count_ones());
            sums[1] += u64::from(combine(x, y1).count_ones());
            sums[2] += u64::from(combine(x, y2).count_ones());
            sums[3] += u64::from(combine(x, y3).count_ones());
        }
        for (k, sum) in sums.into_iter().enumerate() {
            counts[k * n + s] += weight * sum as u32;
        }
    }
}

/// Compiled as [`count`] is.
#[allow(clippy::inline_always)]
#[inline(always)]
fn centre_all(disagreements: &[u32], sums: &[f64], inverses: &[f64], common: Centring, z: &mut [f64]) {
    let Centring { most, twice_n, sum, scale } = common;
    for (((z, &d), &s), &inverse) in z.iter_mut().zip(disagreements).zip(sums).zip(inverses) {
        // Counts stay far below 2^31, and signed ones convert faster.
        *z = (most - twice_n * f64::from(d.cast_signed()) - s * sum) * inverse * scale;
    }
}

/// One module per instruction set, each with the counting body compiled for XOR and for AND.
macro_rules! kernel {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use super::{Centring, TILE, centre_all, count};

            $(#[target_feature(enable = $features)])?
            pub(super) fn xor(xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]) {
                count(xs, words, tile, weight, counts, |x, y| x ^ y);
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn and(xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]) {
                count(xs, words, tile, weight, counts, |x, y| x & y);
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn centre(d: &[u32], sums: &[f64], inverses: &[f64], common: Centring, z: &mut [f64]) {
                centre_all(d, sums, inverses, common, z);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;

kernel!(scalar);
#[cfg(target_arch = "x86_64")]
kernel!(popcnt, "popcnt");
#[cfg(target_arch = "x86_64")]
kernel!(avx512, "avx512f,avx512vpopcntdq,popcnt");
#[cfg(target_arch = "aarch64")]
kernel!(neon, "neon");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_kernel_counts_bit_by_bit(
            words in 1_usize..40,
            n in 0_usize..70,
            weight in 1_u32..10,
            bits in prop::collection::vec(any::<u64>(), 74 * 40),
        ) {
            let xs = &bits[..n * words];
            let tile: [&[u64]; TILE] = std::array::from_fn(|k| &bits[(n + k) * words..(n + k + 1) * words]);
            let expected = |combine: fn(bool, bool) -> bool| {
                let bit = |row: &[u64], p: usize| row[p / 64] >> (p % 64) & 1 == 1;
                let ones = |x: &[u64], y: &[u64]| (0..words * 64).filter(|&p| combine(bit(x, p), bit(y, p))).count();
                let row = |y: &&[u64]| xs.chunks(words).map(|x| 5 + weight * ones(x, y) as u32).collect::<Vec<_>>();
                tile.iter().flat_map(row).collect::<Vec<_>>()
            };
            // A buffer that is used again: nothing that is left in it may count.
            let mut arranged = vec![u64::MAX; 100];
            for kernel in available() {
                kernel.arrange(xs, words, &mut arranged);
                let xs = &arranged;
                let (mut xor, mut and) = (vec![5; TILE * n], vec![5; TILE * n]);
                kernel.count_xor(xs, words, &tile, weight, &mut xor);
                kernel.count_and(xs, words, &tile, weight, &mut and);
                prop_assert_eq!(xor, expected(|x, y| x != y), "{}", kernel.name());
                prop_assert_eq!(and, expected(|x, y| x && y), "{}", kernel.name());
            }
        }
    }

    #[test]
    fn long_rows_overflow_nothing() {
        let words = 1100;
        let (zeros, ones) = (vec![0; words], vec![u64::MAX; words]);
        for kernel in available() {
            let mut xs = Vec::new();
            kernel.arrange(&[zeros.as_slice(), &ones].concat(), words, &mut xs);
            let mut counts = vec![0; 2 * TILE];
            kernel.count_xor(&xs, words, &[&ones; TILE], 2, &mut counts);
            assert_eq!(counts, [2 * 64 * words as u32, 0].repeat(TILE), "{}", kernel.name());
        }
    }

    #[test]
    fn the_best_kernel_is_the_last_available() {
        assert_eq!(available()[0].name(), "scalar");
        assert_eq!(best().name(), available().last().unwrap().name());
        best().count_xor(&[], 0, &[&[]; TILE], 1, &mut []);
    }
}
