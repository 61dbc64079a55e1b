//! Coded series as packed rows of bits.

use rayon::prelude::*;

use super::layout::Layout;
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;

/// The code of a sample that must never be counted.
pub const INVALID: u8 = u8::MAX;

/// N coded series. A code has up to three bits; bit `a`, counted from the most significant, is plane `a`.
///
/// Each series has rows of [`Planes::words`] words: its planes, then the XOR of every two planes (their products,
/// in the order (0, 1), (0, 2), (1, 2)), then its validity. Bits behind an invalid sample, between data sets and
/// behind the last sample are 0 in every row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planes {
    layout: Layout,
    weights: Vec<u32>,
    n_series: usize,
    rows: Vec<u64>,
    /// Every series is valid at the same samples.
    uniform: bool,
}

impl Planes {
    /// Pack the codes of `n_series` series, in parallel over series. `code(i, codes)` fills in the code of every
    /// sample of series `i`; what it leaves alone stays [`INVALID`]. Plane `a` counts with `weights[a]`.
    pub fn pack(
        layout: Layout,
        weights: &[u32],
        (n_series, n_samples): (usize, usize),
        monitor: &Monitor,
        code: impl Fn(usize, &mut [u8]) + Sync,
    ) -> Result<Self> {
        if !(1..=3).contains(&weights.len()) {
            return Err(CoreError::invalid("a code has 1 to 3 bits"));
        }
        let mut planes = Self { layout, weights: weights.to_vec(), n_series, rows: Vec::new(), uniform: true };
        let stride = planes.rows_each() * planes.words();
        let mut rows = vec![0; n_series * stride];
        rows.par_chunks_mut(stride.max(1)).enumerate().try_for_each(|(i, rows)| {
            monitor.check()?;
            let mut codes = vec![INVALID; n_samples];
            code(i, &mut codes);
            planes.fill(&codes, rows);
            Ok(())
        })?;
        planes.rows = rows;
        planes.uniform = (1..n_series).all(|i| planes.validity(i) == planes.validity(0));
        Ok(planes)
    }

    /// Write the rows of one series.
    fn fill(&self, codes: &[u8], rows: &mut [u64]) {
        let (words, bits) = (self.words(), self.bits());
        let validity = (self.rows_each() - 1) * words;
        for (sample, position) in self.layout.positions() {
            let code = codes[sample];
            if code == INVALID {
                continue;
            }
            let (word, shift) = (position / 64, position % 64);
            for a in 0..bits {
                rows[a * words + word] |= u64::from(code >> (bits - 1 - a) & 1) << shift;
            }
            rows[validity + word] |= 1 << shift;
        }
        let (planes, products) = rows.split_at_mut(bits * words);
        for ((a, b), product) in self.plane_pairs().zip(products.chunks_exact_mut(words.max(1))) {
            for (w, bit) in product.iter_mut().enumerate() {
                *bit = planes[a * words + w] ^ planes[b * words + w];
            }
        }
    }

    /// Pairs of different planes, in the order of the product rows.
    pub fn plane_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let bits = self.bits();
        (0..bits).flat_map(move |a| (a + 1..bits).map(move |b| (a, b)))
    }

    /// Number of series N.
    pub fn n_series(&self) -> usize {
        self.n_series
    }

    /// Planes of a series.
    pub fn bits(&self) -> usize {
        self.weights.len()
    }

    /// Weight of each plane.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// Words of a row.
    pub fn words(&self) -> usize {
        self.layout.words()
    }

    /// Where samples live in a row.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Rows of a series: planes, products, validity.
    pub fn rows_each(&self) -> usize {
        let bits = self.bits();
        bits + bits * (bits - 1) / 2 + 1
    }

    /// Whether every series is valid at the same samples.
    pub fn is_uniform(&self) -> bool {
        self.uniform
    }

    /// All rows of all series, series by series.
    pub fn all_rows(&self) -> &[u64] {
        &self.rows
    }

    /// Row `row` of series `i`.
    pub fn row(&self, i: usize, row: usize) -> &[u64] {
        let start = (i * self.rows_each() + row) * self.words();
        &self.rows[start..start + self.words()]
    }

    /// Validity of series `i`.
    pub fn validity(&self, i: usize) -> &[u64] {
        self.row(i, self.rows_each() - 1)
    }

    /// Series `i` alone.
    #[must_use]
    pub fn single(&self, i: usize) -> Self {
        let stride = self.rows_each() * self.words();
        let rows = self.rows[i * stride..(i + 1) * stride].to_vec();
        Self { layout: self.layout.clone(), weights: self.weights.clone(), n_series: 1, rows, uniform: true }
    }

    /// Codes sample by sample, series by series; -1 where a sample has none.
    pub fn codes(&self, n_samples: usize) -> Vec<i8> {
        let mut codes = vec![-1; self.n_series * n_samples];
        let bit = |row: &[u64], position: usize| (row[position / 64] >> (position % 64) & 1) as i8;
        for (i, codes) in codes.chunks_exact_mut(n_samples.max(1)).enumerate() {
            for (sample, position) in self.layout.positions() {
                if bit(self.validity(i), position) == 1 {
                    codes[sample] = (0..self.bits()).fold(0, |code, a| 2 * code + bit(self.row(i, a), position));
                }
            }
        }
        codes
    }
}

/// Move every bit of `row` to the position `lag` higher; what leaves the row is lost.
pub fn delay(row: &[u64], lag: usize, out: &mut [u64]) {
    let (words, shift) = (lag / 64, lag % 64);
    let (empty, out) = out.split_at_mut(words.min(out.len()));
    empty.fill(0);
    let Some((first, rest)) = out.split_first_mut() else { return };
    *first = row[0] << shift;
    // Shifted in two steps, since a shift by 64 is not allowed.
    for (out, pair) in rest.iter_mut().zip(row.windows(2)) {
        *out = pair[1] << shift | pair[0] >> 1 >> (63 - shift);
    }
}

/// Move every bit of `row` to the position `lag` lower, the opposite of [`delay`].
pub fn advance(row: &[u64], lag: usize, out: &mut [u64]) {
    let (words, shift) = (lag / 64, lag % 64);
    let word = |w: usize| row.get(w).copied().unwrap_or(0);
    for (w, out) in out.iter_mut().enumerate() {
        let (low, high) = (word(w + words), word(w + words + 1));
        *out = low >> shift | high << 1 << (63 - shift);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;

    fn bit(row: &[u64], position: usize) -> bool {
        row.get(position / 64).is_some_and(|w| w >> (position % 64) & 1 == 1)
    }

    fn pack(codes: &[Vec<u8>], bits: usize, segments: &[Range<usize>], gap: usize) -> Planes {
        let layout = Layout::new(segments, gap);
        let shape = (codes.len(), codes[0].len());
        Planes::pack(layout, &[3, 2, 1][..bits], shape, &Monitor::default(), |i, out| out.copy_from_slice(&codes[i]))
            .unwrap()
    }

    proptest! {
        #[test]
        fn shifts_move_every_bit(row in prop::collection::vec(any::<u64>(), 0..5), lag in 0_usize..300) {
            let (mut later, mut earlier) = (vec![7; row.len()], vec![7; row.len()]);
            delay(&row, lag, &mut later);
            advance(&row, lag, &mut earlier);
            for p in 0..row.len() * 64 {
                prop_assert_eq!(bit(&later, p), p >= lag && bit(&row, p - lag));
                prop_assert_eq!(bit(&earlier, p), bit(&row, p + lag));
            }
        }

        #[test]
        fn rows_hold_the_codes_and_nothing_else(
            codes in prop::collection::vec(prop_oneof![0_u8..8, Just(INVALID)], 130..=130),
            stop in 60_usize..70,
            start in 70_usize..75,
        ) {
            let segments = [0..stop, start..130];
            let planes = pack(std::slice::from_ref(&codes), 3, &segments, 5);
            let mut expected = vec![0; planes.rows_each() * planes.words()];
            for (sample, p) in planes.layout().positions().filter(|(s, _)| codes[*s] != INVALID) {
                let [a, b, c] = [2, 1, 0].map(|s| u64::from(codes[sample] >> s & 1));
                for (row, bit) in [a, b, c, a ^ b, a ^ c, b ^ c, 1].into_iter().enumerate() {
                    expected[row * planes.words() + p / 64] |= bit << (p % 64);
                }
            }
            prop_assert_eq!(planes.all_rows(), expected);
        }
    }

    #[test]
    fn the_tail_stays_zero_at_every_length() {
        for length in [1, 63, 64, 65, 127, 128, 129] {
            let planes = pack(&[vec![7; length]], 3, &[0..length], 9);
            for row in [0, 6] {
                let ones: u32 = planes.row(0, row).iter().map(|w| w.count_ones()).sum();
                assert_eq!(ones as usize, length);
            }
            assert!(!bit(planes.row(0, 0), length));
        }
    }

    #[test]
    fn uniform_means_equally_valid() {
        let complete = pack(&[vec![0; 70], vec![1; 70]], 1, &[0..70], 3);
        assert!(complete.is_uniform());
        let mut holed = vec![1; 70];
        holed[66] = INVALID;
        assert!(!pack(&[vec![0; 70], holed], 1, &[0..70], 3).is_uniform());
    }

    #[test]
    fn four_bits_are_refused() {
        let result = Planes::pack(Layout::new(&[0..4], 0), &[1; 4], (1, 4), &Monitor::default(), |_, _| ());
        assert!(matches!(result, Err(CoreError::Invalid(_))));
    }
}
