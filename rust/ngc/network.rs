//! The parameters of one target's network: one hidden layer of rectified units, one output.

use super::kernel::LANES;
use super::stream::Stream;

/// Parameters, or a gradient by them. Hidden units are padded with ones that are 0 throughout and stay so, because
/// neither their activation nor their gradient ever leaves 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Column by column, its weight into every unit.
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
    pub outgoing: Vec<f32>,
    pub offset: f32,
    units: usize,
}

impl Network {
    /// Zeros, for `columns` inputs and at least `hidden` units.
    pub fn zeros(columns: usize, hidden: usize) -> Self {
        let units = hidden.next_multiple_of(LANES);
        Self {
            weights: vec![0.0; columns * units],
            bias: vec![0.0; units],
            outgoing: vec![0.0; units],
            offset: 0.0,
            units,
        }
    }

    /// Every parameter uniform on +-1 / sqrt(inputs of its layer), from the seed and the names that it belongs to:
    /// weights of a column do not depend on what other columns there are, but for their number.
    ///
    /// `columns` holds the key of the source and the lag of every column.
    pub fn random(seed: u64, target: u64, columns: &[(u64, usize)], hidden: usize) -> Self {
        let mut network = Self::zeros(columns.len(), hidden);
        let units = network.units;
        let (first, second) = (bound(columns.len()), bound(hidden));
        for (weights, &(source, lag)) in network.weights.chunks_exact_mut(units).zip(columns) {
            let mut stream = Stream::new(seed, &[target, source, lag as u64]);
            weights[..hidden].fill_with(|| stream.uniform(first));
        }
        let mut stream = Stream::new(seed, &[target]);
        network.bias[..hidden].fill_with(|| stream.uniform(first));
        network.outgoing[..hidden].fill_with(|| stream.uniform(second));
        network.offset = stream.uniform(second);
        network
    }

    /// Hidden units, padding included.
    pub fn units(&self) -> usize {
        self.units
    }

    /// Inputs.
    pub fn columns(&self) -> usize {
        self.weights.len() / self.units
    }

    /// Weights of one column into all units.
    pub fn column(&self, k: usize) -> &[f32] {
        &self.weights[k * self.units..][..self.units]
    }

    /// As [`Network::column`], to change them.
    pub fn column_mut(&mut self, k: usize) -> &mut [f32] {
        &mut self.weights[k * self.units..][..self.units]
    }

    /// Sum of squares of a column's weights.
    pub fn square(&self, k: usize) -> f64 {
        sum_of_squares(self.column(k))
    }

    /// Set everything to 0.
    pub fn clear(&mut self) {
        self.weights.fill(0.0);
        self.bias.fill(0.0);
        self.outgoing.fill(0.0);
        self.offset = 0.0;
    }

    /// `self += factor * other`.
    pub fn add(&mut self, factor: f32, other: &Self) {
        let add = |a: &mut [f32], b: &[f32]| a.iter_mut().zip(b).for_each(|(a, &b)| *a += factor * b);
        add(&mut self.weights, &other.weights);
        add(&mut self.bias, &other.bias);
        add(&mut self.outgoing, &other.outgoing);
        self.offset += factor * other.offset;
    }

    /// Multiply what goes into the units by `scale` and what comes out of them by its inverse: the network computes the
    /// same, because a rectifier commutes with positive factors.
    pub fn rescale(&mut self, scale: f32) {
        self.weights.iter_mut().chain(&mut self.bias).for_each(|x| *x *= scale);
        self.outgoing.iter_mut().for_each(|x| *x /= scale);
    }
}

/// Sum of squares.
pub fn sum_of_squares(x: &[f32]) -> f64 {
    x.iter().map(|&x| f64::from(x) * f64::from(x)).sum()
}

fn bound(inputs: usize) -> f32 {
    1.0 / (inputs.max(1) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_starts_the_same_whatever_stands_beside_it() {
        let two = Network::random(1, 7, &[(3, 1), (4, 2)], 10);
        let swapped = Network::random(1, 7, &[(4, 2), (3, 1)], 10);
        assert_eq!(two.column(0), swapped.column(1));
        assert_eq!((&two.bias, &two.outgoing, two.offset), (&swapped.bias, &swapped.outgoing, swapped.offset));
        assert_ne!(two.column(0), two.column(1));
        assert_ne!(two, Network::random(2, 7, &[(3, 1), (4, 2)], 10));
        assert_ne!(two, Network::random(1, 8, &[(3, 1), (4, 2)], 10));
        assert_eq!(two.units(), LANES);
        assert!(two.column(0)[..10].iter().all(|&w| w != 0.0) && two.column(0)[10..].iter().all(|&w| w == 0.0));
    }
}
