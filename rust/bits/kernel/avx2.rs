//! Counting with AVX2, which looks the ones of four samples up for 32 pairs at once.
//!
//! A byte of a vector belongs to one row `x`. Four bits of a row of the tile choose a table, and the same four bits of the
//! rows `x` are looked up in it: one shuffle and one addition, whatever two bits combine to. Two vectors share a table.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi8, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_set_epi64x, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi8,
    _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use super::{Centring, TILE, centre_all};

/// Bytes of a vector.
const WIDTH: usize = 32;
/// Rows that lie side by side, a byte each.
const LANES: usize = 2 * WIDTH;
/// Nibbles of a word.
const NIBBLES: usize = 16;
/// Nibbles until a byte may overflow: each adds at most 4 to its 255.
const CHUNK: usize = 63;
/// Nibbles until two bytes may overflow.
const LONG_CHUNK: usize = 65_535 / 4;

/// Nibbles of [`LANES`] rows at one position; a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Lanes([[u8; WIDTH]; 2]);

/// What every nibble of a row `x` counts with nibble `y` of a row of the tile: from `16 y` on. Long enough for any byte
/// to be a place, so that none has to be checked.
#[repr(align(64))]
struct Table([u8; 256 + 16]);

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
    Table(table)
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

/// Nibbles of rows: [`LANES`] rows side by side, position by position, then the next ones; missing rows are 0. They
/// start where a line of the cache does, as the buffer is too long by what that may skip.
#[target_feature(enable = "avx2")]
pub(super) fn arrange(rows: &[u64], words: usize, arranged: &mut Vec<u64>) {
    let (group, nibble) = (LANES * words.max(1), _mm256_set1_epi8(15));
    arranged.resize(2 * rows.len().next_multiple_of(group) + align_of::<Lanes>() / 8 - 1, 0);
    let out = as_lanes_mut(arranged).chunks_exact_mut(NIBBLES * words.max(1));
    for (rows, out) in rows.chunks(group).zip(out) {
        for (w, out) in out.as_chunks_mut::<NIBBLES>().0.iter_mut().enumerate() {
            let mut column = [0; LANES];
            for (bits, row) in column.iter_mut().zip(rows.chunks_exact(words)) {
                *bits = row[w];
            }
            for (half, column) in column.as_chunks().0.iter().enumerate() {
                for (bytes, [low, high]) in bytes_of(column).into_iter().zip(out.as_chunks_mut().0) {
                    low.0[half] = store(_mm256_and_si256(bytes, nibble));
                    high.0[half] = store(_mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble));
                }
            }
        }
    }
}

/// The first bytes of all words, then their second ones, and so on.
#[target_feature(enable = "avx2")]
#[inline]
fn bytes_of(words: &[u64; WIDTH]) -> [__m256i; 8] {
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
    let (n, places) = (counts.len() / TILE, places(tile, words));
    let groups = as_lanes(xs).chunks_exact(NIBBLES * words);
    for (first, lanes) in (0..n).step_by(LANES).zip(groups) {
        for (lanes, places) in lanes.chunks(LONG_CHUNK).zip(places.as_flattened().chunks(LONG_CHUNK)) {
            let sums = if n - first > WIDTH {
                count_lanes::<2>(lanes, places, table)
            } else {
                count_lanes::<1>(lanes, places, table)
            };
            for (counts, sums) in counts.chunks_exact_mut(n).zip(&sums) {
                for (count, sum) in counts[first..].iter_mut().zip(sums) {
                    *count += weight * u32::from(*sum);
                }
            }
        }
    }
}

/// Where every nibble of the tile's rows finds its part of a [`Table`], position by position.
#[target_feature(enable = "avx2")]
#[inline]
fn places(tile: &[&[u64]; TILE], words: usize) -> Vec<[[u8; TILE]; NIBBLES]> {
    let mut places = vec![[[0; TILE]; NIBBLES]; words];
    for (w, places) in places.iter_mut().enumerate() {
        let [a, b, c, d] = tile.map(|row| row[w].to_le_bytes());
        for (i, [low, high]) in places.as_chunks_mut().0.iter_mut().enumerate() {
            let bytes = u32::from_ne_bytes([a[i], b[i], c[i], d[i]]);
            *low = (bytes << 4 & 0xf0f0_f0f0).to_ne_bytes();
            *high = (bytes & 0xf0f0_f0f0).to_ne_bytes();
        }
    }
    places
}

/// At most [`LONG_CHUNK`] positions of the first `V` vectors of lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn count_lanes<const V: usize>(lanes: &[Lanes], places: &[[u8; TILE]], table: &Table) -> [[u16; LANES]; TILE] {
    let mut sums = [[0; LANES]; TILE];
    for (lanes, places) in lanes.chunks(CHUNK).zip(places.chunks(CHUNK)) {
        let mut bytes = [[_mm256_setzero_si256(); V]; TILE];
        for (Lanes(lanes), places) in lanes.iter().zip(places) {
            let lanes: [__m256i; V] = std::array::from_fn(|v| load(&lanes[v]));
            for (bytes, &place) in bytes.iter_mut().zip(places) {
                let row = table_row(table, place);
                for (bytes, lanes) in bytes.iter_mut().zip(lanes) {
                    *bytes = _mm256_add_epi8(*bytes, _mm256_shuffle_epi8(row, lanes));
                }
            }
        }
        for (sums, bytes) in sums.iter_mut().zip(bytes) {
            for (sum, byte) in sums.iter_mut().zip(bytes.map(|bytes| store(bytes)).as_flattened()) {
                *sum += u16::from(*byte);
            }
        }
    }
    sums
}

#[allow(unsafe_code)]
fn as_lanes(xs: &[u64]) -> &[Lanes] {
    // SAFETY: any bits are legal bytes.
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
fn load(lanes: &[u8; WIDTH]) -> __m256i {
    // SAFETY: the reference is to 32 bytes.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

/// The 16 bytes from `place` on, twice.
#[target_feature(enable = "avx2")]
#[inline]
#[allow(unsafe_code)]
fn table_row(table: &Table, place: u8) -> __m256i {
    let row = &table.0[usize::from(place)..usize::from(place) + 16];
    // SAFETY: the reference is to 16 bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(row.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
#[inline]
#[allow(unsafe_code)]
fn store(bytes: __m256i) -> [u8; WIDTH] {
    // SAFETY: as many bytes, of which any bits are legal.
    unsafe { std::mem::transmute(bytes) }
}
