//! Counting with AVX2, which looks the ones of four samples up for 32 pairs at once.
//!
//! A byte of a vector belongs to one row `x`. Four bits of a row of the tile choose a table, and the same four bits of the
//! rows `x` are looked up in it: one shuffle and one addition, whatever two bits combine to.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi8, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_set_epi64x, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi8,
    _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use super::{Centring, TILE, centre_all};

/// Rows that lie side by side, a byte each.
const LANES: usize = 32;
/// Nibbles of a word.
const NIBBLES: usize = 16;
/// Nibbles until a byte may overflow: each adds at most 4 to its 255.
const CHUNK: usize = 63;
/// Nibbles until two bytes may overflow.
const LONG_CHUNK: usize = 65_535 / 4;

/// Nibbles of [`LANES`] rows at one position.
type Lanes = [u8; LANES];
/// What every nibble of a row `x` counts with nibble `y` of a row of the tile: from `16 y` on.
type Table = [u8; 256 + 16];

static XOR: Table = table(false);
static AND: Table = table(true);

const fn table(and: bool) -> Table {
    let mut table = [0; 256 + 16];
    let mut i = 0;
    while i < 256 {
        let (x, y) = (i % 16, i / 16);
        table[i] = if and { x & y } else { x ^ y }.count_ones() as u8;
        i += 1;
    }
    table
}

#[target_feature(enable = "avx2")]
pub(super) fn xor(xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]) {
    count(xs, words, tile, weight, counts, &XOR);
}

#[target_feature(enable = "avx2")]
pub(super) fn and(xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32]) {
    count(xs, words, tile, weight, counts, &AND);
}

#[target_feature(enable = "avx2")]
pub(super) fn centre(d: &[u32], sums: &[f64], inverses: &[f64], common: Centring, z: &mut [f64]) {
    centre_all(d, sums, inverses, common, z);
}

/// Nibbles of rows: [`LANES`] rows side by side, position by position, then the next ones; missing rows are 0.
#[target_feature(enable = "avx2")]
pub(super) fn arrange(rows: &[u64], words: usize) -> Vec<u64> {
    let group = LANES * words.max(1);
    let mut arranged = vec![0; 2 * rows.len().next_multiple_of(group)];
    for (rows, out) in rows.chunks(group).zip(arranged.chunks_exact_mut(2 * group)) {
        for (w, out) in as_lanes_mut(out).as_chunks_mut::<NIBBLES>().0.iter_mut().enumerate() {
            let mut column = [0; LANES];
            for (bits, row) in column.iter_mut().zip(rows.chunks_exact(words)) {
                *bits = row[w];
            }
            for (bytes, [low, high]) in bytes_of(&column).into_iter().zip(out.as_chunks_mut().0) {
                let nibble = _mm256_set1_epi8(15);
                *low = store(_mm256_and_si256(bytes, nibble));
                *high = store(_mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble));
            }
        }
    }
    arranged
}

/// The first bytes of all words, then their second ones, and so on.
#[target_feature(enable = "avx2")]
#[inline]
fn bytes_of(words: &[u64; LANES]) -> [__m256i; 8] {
    let zero = _mm256_setzero_si256();
    let (mut rows, mut pairs, mut fours, mut eights, mut bytes) =
        ([zero; 8], [zero; 8], [zero; 8], [zero; 8], [zero; 8]);
    for (i, row) in rows.iter_mut().enumerate() {
        let [a, b, c, d] = [words[i], words[i + 8], words[i + 16], words[i + 24]];
        *row = _mm256_set_epi64x(d.cast_signed(), c.cast_signed(), b.cast_signed(), a.cast_signed());
    }
    // Words 0 to 7 and 16 to 23 in the lower half of the arrays, 8 to 15 and 24 to 31 in the upper half.
    for i in 0..4 {
        pairs[i] = _mm256_unpacklo_epi8(rows[2 * i], rows[2 * i + 1]);
        pairs[i + 4] = _mm256_unpackhi_epi8(rows[2 * i], rows[2 * i + 1]);
    }
    for i in 0..4 {
        fours[2 * i] = _mm256_unpacklo_epi16(pairs[2 * i], pairs[2 * i + 1]);
        fours[2 * i + 1] = _mm256_unpackhi_epi16(pairs[2 * i], pairs[2 * i + 1]);
    }
    for half in [0, 4] {
        for i in 0..2 {
            eights[half + 2 * i] = _mm256_unpacklo_epi32(fours[half + i], fours[half + i + 2]);
            eights[half + 2 * i + 1] = _mm256_unpackhi_epi32(fours[half + i], fours[half + i + 2]);
        }
    }
    for i in 0..4 {
        bytes[2 * i] = _mm256_unpacklo_epi64(eights[i], eights[i + 4]);
        bytes[2 * i + 1] = _mm256_unpackhi_epi64(eights[i], eights[i + 4]);
    }
    bytes
}

#[target_feature(enable = "avx2")]
#[inline]
fn count(xs: &[u64], words: usize, tile: &[&[u64]; TILE], weight: u32, counts: &mut [u32], table: &Table) {
    if words == 0 || counts.is_empty() {
        return;
    }
    let mut nibbles = vec![[0; NIBBLES]; TILE * words];
    for (word, nibbles) in tile.iter().flat_map(|row| &row[..words]).zip(&mut nibbles) {
        for (byte, nibbles) in word.to_le_bytes().iter().zip(nibbles.as_chunks_mut().0) {
            *nibbles = [byte << 4, byte & 0xf0];
        }
    }
    let (n, nibbles) = (counts.len() / TILE, nibbles.as_flattened());
    let group = LANES * 2 * words;
    let mut groups = xs.chunks_exact(group);
    for first in (0..n).step_by(2 * LANES) {
        match (groups.next(), groups.next()) {
            (Some(a), Some(b)) => count_groups([a, b], nibbles, weight, first, counts, table),
            (Some(a), None) => count_groups([a], nibbles, weight, first, counts, table),
            _ => (),
        }
    }
}

/// `G` groups of rows, the first of which is row `first`; `nibbles` has 16 times those of one row of the tile after
/// another.
#[target_feature(enable = "avx2")]
#[inline]
fn count_groups<const G: usize>(
    groups: [&[u64]; G],
    nibbles: &[u8],
    weight: u32,
    first: usize,
    counts: &mut [u32],
    table: &Table,
) {
    let (n, length) = (counts.len() / TILE, nibbles.len() / TILE);
    for start in (0..length).step_by(LONG_CHUNK) {
        let end = (start + LONG_CHUNK).min(length);
        let mut sums = [[[0_u16; LANES]; G]; TILE];
        for start in (start..end).step_by(CHUNK) {
            let here = start..(start + CHUNK).min(end);
            let (mut x, mut y) = ([&[][..]; G], [&[][..]; TILE]);
            for (x, group) in x.iter_mut().zip(groups) {
                *x = &as_lanes(group)[here.clone()];
            }
            for (y, row) in y.iter_mut().zip(nibbles.chunks_exact(length)) {
                *y = &row[here.clone()];
            }
            let bytes = count_bytes(x, y, table);
            for (sums, bytes) in sums.as_flattened_mut().iter_mut().zip(bytes.as_flattened()) {
                for (sum, byte) in sums.iter_mut().zip(store(*bytes)) {
                    *sum += u16::from(byte);
                }
            }
        }
        for (counts, sums) in counts.chunks_exact_mut(n).zip(&sums) {
            for (count, sum) in counts[first..].iter_mut().zip(sums.as_flattened()) {
                *count += weight * u32::from(*sum);
            }
        }
    }
}

/// At most [`CHUNK`] positions.
#[target_feature(enable = "avx2")]
#[inline]
fn count_bytes<const G: usize>(x: [&[Lanes]; G], y: [&[u8]; TILE], table: &Table) -> [[__m256i; G]; TILE] {
    let mut sums = [[_mm256_setzero_si256(); G]; TILE];
    let [y0, y1, y2, y3] = y;
    for (p, (((&y0, &y1), &y2), &y3)) in y0.iter().zip(y1).zip(y2).zip(y3).enumerate() {
        let mut lanes = [_mm256_setzero_si256(); G];
        for (lanes, x) in lanes.iter_mut().zip(x) {
            *lanes = load(&x[p]);
        }
        for (sums, y) in sums.iter_mut().zip([y0, y1, y2, y3]) {
            let row = table_row(&table[usize::from(y)..usize::from(y) + 16]);
            for (sum, lanes) in sums.iter_mut().zip(lanes) {
                *sum = _mm256_add_epi8(*sum, _mm256_shuffle_epi8(row, lanes));
            }
        }
    }
    sums
}

#[allow(unsafe_code)]
fn as_lanes(xs: &[u64]) -> &[Lanes] {
    // SAFETY: bytes have no alignment, and any bits are legal.
    unsafe { xs.align_to().1 }
}

#[allow(unsafe_code)]
fn as_lanes_mut(xs: &mut [u64]) -> &mut [Lanes] {
    // SAFETY: as above.
    unsafe { xs.align_to_mut().1 }
}

#[target_feature(enable = "avx2")]
#[inline]
#[allow(unsafe_code)]
fn load(lanes: &Lanes) -> __m256i {
    // SAFETY: the reference is to 32 bytes.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
#[allow(unsafe_code)]
fn table_row(row: &[u8]) -> __m256i {
    assert!(row.len() == 16);
    // SAFETY: the reference is to 16 bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(row.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
#[inline]
#[allow(unsafe_code)]
fn store(bytes: __m256i) -> Lanes {
    // SAFETY: as many bytes, of which any bits are legal.
    unsafe { std::mem::transmute(bytes) }
}
