//! Differential entropy of a standardised variable by a maximum entropy approximation (Hyvärinen and Smith, 2013).

use std::f64::consts::TAU;

use super::kernel::{Kernel, Sums};

const K1: f64 = 79.047;
const K2: f64 = 7.4129;
/// E ln cosh of a standard normal variable.
const GAMMA: f64 = 0.37457;

/// Entropy of `a x + b y`, which must have mean 0 and variance 1, in nats.
pub fn entropy(kernel: Kernel, x: &[f64], y: &[f64], a: f64, b: f64) -> f64 {
    let Sums { log_cosh, odd } = kernel.sums(x, y, a, b);
    let n = x.len() as f64;
    f64::midpoint(1.0, TAU.ln()) - K1 * (log_cosh / n - GAMMA).powi(2) - K2 * (odd / n).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lingam::kernel::best;

    /// Quantiles of the normal law give its own entropy, those of any other law of variance 1 less.
    #[test]
    fn the_normal_law_has_the_largest_entropy() {
        let levels = (0..5000).map(|k| (f64::from(k) + 0.5) / 5000.0);
        let normal: Vec<f64> = levels.clone().map(crate::stats::normal::quantile).collect();
        let uniform: Vec<f64> = levels.map(|p| (p - 0.5) * 12.0_f64.sqrt()).collect();
        let of = |x: &[f64]| entropy(best(), x, x, 1.0, 0.0);
        assert!((of(&normal) - 1.418_94).abs() < 1e-4);
        assert!(of(&uniform) < of(&normal) - 0.01);
    }
}
