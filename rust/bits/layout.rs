//! Where each sample lives in a packed row.

use std::ops::Range;

/// Maps samples to bit positions: data sets one after another, `gap` unused bits between two of them.
///
/// A row shifted by at most `gap` bits never carries a sample of one data set onto a sample of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Data sets in samples, and the bit of their first sample.
    blocks: Vec<(Range<usize>, usize)>,
    gap: usize,
    n_bits: usize,
}

impl Layout {
    /// Lay out `segments` (ordered, disjoint) for shifts up to `gap`.
    pub fn new(segments: &[Range<usize>], gap: usize) -> Self {
        let mut n_bits = 0;
        let mut blocks = Vec::with_capacity(segments.len());
        for segment in segments {
            let first = if blocks.is_empty() { 0 } else { n_bits + gap };
            blocks.push((segment.clone(), first));
            n_bits = first + segment.len();
        }
        Self { blocks, gap, n_bits }
    }

    /// Words of a row; the bits behind the last sample, its tail, are always 0.
    pub fn words(&self) -> usize {
        self.n_bits.div_ceil(64)
    }

    /// The largest shift that keeps data sets apart; one data set alone has no limit.
    pub fn largest_lag(&self) -> usize {
        if self.blocks.len() > 1 { self.gap } else { usize::MAX }
    }

    /// Every (sample, bit), in order.
    pub fn positions(&self) -> impl Iterator<Item = (usize, usize)> {
        self.blocks.iter().flat_map(|(segment, first)| segment.clone().zip(*first..))
    }

    /// Number of samples laid out.
    pub fn n_samples(&self) -> usize {
        self.blocks.iter().map(|(segment, _)| segment.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_kept_apart() {
        let layout = Layout::new(&[2..5, 5..5, 7..9], 4);
        let expected = [(2, 0), (3, 1), (4, 2), (7, 11), (8, 12)];
        assert_eq!(layout.positions().collect::<Vec<_>>(), expected);
        assert_eq!((layout.words(), layout.n_samples(), layout.largest_lag()), (1, 5, 4));
        assert_eq!(Layout::new(&[0..65], 4).words(), 2);
        assert_eq!(Layout::new(&[], 4).words(), 0);
    }
}
