//! Counting with AVX2, which looks the ones of nibbles up and so counts per byte.
//!
//! The plain body, compiled for AVX2, takes nibbles apart for every pair, sums bytes to words at once and words to a count
//! after every row. Here nibbles are apart before anything is paired, a lane is a row of the tile, and bytes are summed
//! once in [`CHUNK`] words.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_or_si256, _mm256_sad_epu8, _mm256_set_epi64x,
    _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi64,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::{Centring, TILE, centre_all, nibbles};

/// Words until a byte may overflow: each adds at most 8 to its 255.
const CHUNK: usize = 31;
/// Rows that are counted at once.
const ROWS: usize = 4;

#[target_feature(enable = "avx2")]
pub(super) fn xor(xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]) {
    count(xs, words, tile, weight, counts, |x, y| _mm256_xor_si256(x, y));
}

#[target_feature(enable = "avx2")]
pub(super) fn and(xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]) {
    count(xs, words, tile, weight, counts, |x, y| _mm256_and_si256(x, y));
}

#[target_feature(enable = "avx2")]
pub(super) fn centre(d: &[u32], sums: &[f64], inverses: &[f64], common: Centring, z: &mut [f64]) {
    centre_all(d, sums, inverses, common, z);
}

#[target_feature(enable = "avx2")]
#[inline]
fn count(
    xs: &[u64],
    words: usize,
    tile: &[&[u64]; TILE],
    weight: u32,
    counts: &mut [u32],
    combine: impl Fn(__m256i, __m256i) -> __m256i,
) {
    if words == 0 {
        return;
    }
    let n = xs.len() / (2 * words);
    let mut lanes = [[_mm256_setzero_si256(); 2]; CHUNK];
    let chunk = words.div_ceil(words.div_ceil(CHUNK));
    for start in (0..words).step_by(chunk) {
        let here = start..(start + chunk).min(words);
        let lanes = &mut lanes[..here.len()];
        for (w, lane) in here.clone().zip(lanes.iter_mut()) {
            let [y0, y1, y2, y3] = tile.map(|y| nibbles(y[w]).map(u64::cast_signed));
            *lane = [0, 1].map(|half| _mm256_set_epi64x(y3[half], y2[half], y1[half], y0[half]));
        }
        for first in (0..n).step_by(ROWS) {
            // A group of rows that is not full repeats its last one.
            let row = |r: usize| {
                let x = &xs[(first + r).min(n - 1) * 2 * words..][2 * here.start..2 * here.end];
                x.as_chunks::<2>().0
            };
            let (x0, x1, x2, x3) = (row(0), row(1), row(2), row(3));
            let mut bytes = [_mm256_setzero_si256(); ROWS];
            for ((((y, x0), x1), x2), x3) in lanes.iter().zip(x0).zip(x1).zip(x2).zip(x3) {
                for (bytes, x) in bytes.iter_mut().zip([x0, x1, x2, x3]) {
                    let low = ones(combine(_mm256_set1_epi64x(x[0].cast_signed()), y[0]));
                    let high = ones(combine(_mm256_set1_epi64x(x[1].cast_signed()), y[1]));
                    *bytes = _mm256_add_epi8(*bytes, _mm256_add_epi8(low, high));
                }
            }
            let sums = sums_by_lane(bytes).map(|sums| sums.map(|sum| weight * sum));
            for (k, sums) in sums.iter().enumerate() {
                let counts = &mut counts[k * n + first..(k + 1) * n];
                if let Some(counts) = counts.first_chunk_mut::<ROWS>() {
                    (0..ROWS).for_each(|r| counts[r] += sums[r]);
                } else {
                    counts.iter_mut().zip(sums).for_each(|(count, sum)| *count += sum);
                }
            }
        }
    }
}

/// Ones of every nibble.
#[target_feature(enable = "avx2")]
#[inline]
fn ones(nibbles: __m256i) -> __m256i {
    let ones = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    _mm256_shuffle_epi8(ones, nibbles)
}

/// Sums of the bytes of a lane, `[lane][row]`.
#[target_feature(enable = "avx2")]
#[inline]
fn sums_by_lane(bytes: [__m256i; ROWS]) -> [[u32; ROWS]; TILE] {
    let zero = _mm256_setzero_si256();
    let [a, b, c, d] = bytes.map(|bytes| _mm256_sad_epu8(bytes, zero));
    let ab = _mm256_or_si256(a, _mm256_slli_epi64::<32>(b));
    let cd = _mm256_or_si256(c, _mm256_slli_epi64::<32>(d));
    let (even, odd) = (_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
    #[allow(unsafe_code)]
    // SAFETY: plain numbers, of which any bits are legal.
    let [[k0, k2], [k1, k3]]: [[[u32; ROWS]; 2]; 2] = unsafe { std::mem::transmute([even, odd]) };
    [k0, k1, k2, k3]
}
