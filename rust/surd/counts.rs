//! How often each state of some agents meets each state of the target.

use crate::bits::kernel::{Kernel, TILE};

/// Tables with at most this many cells are counted with bit planes, 64 rows at a time; larger ones row by row.
const PLANES_UP_TO: usize = 256;

/// The target's states on the rows, as they are or shifted.
#[derive(Debug, Clone)]
pub struct Target {
    states: Vec<u8>,
    /// A plane per state, set where the target has it; padded with empty ones to a multiple of the kernel's tile.
    planes: Vec<u64>,
    n_states: usize,
}

impl Target {
    /// The target with these states, all below `n_states`.
    pub fn new(states: Vec<u8>, n_states: usize) -> Self {
        let planes = planes(states.iter().map(|&y| usize::from(y)), states.len(), n_states.next_multiple_of(TILE));
        Self { states, planes, n_states }
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.states.len()
    }
}

/// A plane per state, set at the rows that have it.
fn planes(states: impl Iterator<Item = usize>, n_rows: usize, n_states: usize) -> Vec<u64> {
    let words = n_rows.div_ceil(64);
    let mut planes = vec![0; n_states * words];
    for (row, state) in states.enumerate() {
        planes[state * words + row / 64] |= 1 << (row % 64);
    }
    planes
}

/// The joint state of some agents on every row, ready to meet any number of targets.
pub struct Joint<'a> {
    states: &'a [u32],
    n_states: usize,
    /// The planes in the kernel's arrangement, where they pay.
    planes: Option<Vec<u64>>,
    kernel: Kernel,
}

impl<'a> Joint<'a> {
    /// Joint states below `n_states`, to meet targets with `n_target_states`.
    pub fn new(states: &'a [u32], n_states: usize, n_target_states: usize, kernel: Kernel) -> Self {
        let small = n_states * n_target_states <= PLANES_UP_TO;
        let planes = small.then(|| {
            let mut arranged = Vec::new();
            let packed = planes(states.iter().map(|&id| id as usize), states.len(), n_states);
            kernel.arrange(&packed, states.len().div_ceil(64), &mut arranged);
            arranged
        });
        Self { states, n_states, planes, kernel }
    }

    /// Fill `table` with counts: target state `y` and joint state `c` met on `table[y * n_states + c]` rows.
    pub fn count(&self, target: &Target, table: &mut Vec<u32>) {
        table.clear();
        table.resize(target.n_states.next_multiple_of(TILE) * self.n_states, 0);
        match &self.planes {
            Some(planes) => self.count_planes(planes, target, table),
            None => {
                for (&y, &id) in target.states.iter().zip(self.states) {
                    table[usize::from(y) * self.n_states + id as usize] += 1;
                }
            }
        }
        table.truncate(target.n_states * self.n_states);
    }

    fn count_planes(&self, planes: &[u64], target: &Target, table: &mut [u32]) {
        let words = target.n_rows().div_ceil(64);
        let tiles = target.planes.chunks_exact(TILE * words);
        for (rows, table) in tiles.zip(table.chunks_exact_mut(TILE * self.n_states)) {
            let tile = std::array::from_fn(|k| &rows[k * words..][..words]);
            self.kernel.count_and(planes, words, &tile, 1, table);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bits::kernel::available;

    proptest! {
        #[test]
        fn planes_and_rows_count_alike(
            rows in prop::collection::vec((0_u32..9, 0_u8..7), 1..300),
            n_target_states in 7_usize..9,
        ) {
            let (ids, states): (Vec<u32>, Vec<u8>) = rows.iter().copied().unzip();
            let mut expected = vec![0; 9 * n_target_states];
            for &(id, y) in &rows {
                expected[usize::from(y) * 9 + id as usize] += 1;
            }
            let target = Target::new(states, n_target_states);
            let mut table = vec![7; 3];
            for kernel in available() {
                for n_claimed in [n_target_states, PLANES_UP_TO] {
                    let joint = Joint::new(&ids, 9, n_claimed, kernel);
                    prop_assert_eq!(joint.planes.is_some(), n_claimed < PLANES_UP_TO);
                    joint.count(&target, &mut table);
                    prop_assert_eq!(&table, &expected, "{}", kernel.name());
                }
            }
        }
    }
}
