//! Subsets of a given size, one after the other.

/// Subsets of `size` out of `0..n`, in lexicographic order.
pub struct Combinations {
    n: usize,
    current: Vec<usize>,
}

impl Combinations {
    /// The first subset, `0..size`.
    pub fn new(n: usize, size: usize) -> Self {
        Self { n, current: (0..size).collect() }
    }

    /// Positions of the current subset, ascending.
    pub fn current(&self) -> &[usize] {
        &self.current
    }

    /// Step to the next subset; false after the last one.
    pub fn advance(&mut self) -> bool {
        let size = self.current.len();
        let Some(k) = (0..size).rev().find(|&k| self.current[k] < self.n - size + k) else { return false };
        let first = self.current[k] + 1;
        for (value, offset) in self.current[k..].iter_mut().zip(0..) {
            *value = first + offset;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_come_in_lexicographic_order_and_end() {
        let mut sets = Combinations::new(4, 2);
        let mut seen = vec![sets.current().to_vec()];
        while sets.advance() {
            seen.push(sets.current().to_vec());
        }
        assert_eq!(seen, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert!(!Combinations::new(3, 0).advance());
        assert!(!Combinations::new(2, 2).advance());
    }
}
