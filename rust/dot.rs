//! Dot products of `f64` slices.

/// Inner product over the length of the shorter one, in eight running sums: fast on plain SSE2, the same on every
/// machine, and its rounding error grows with n / 8.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let mut sums = [0.0; 8];
    let (blocks_a, rest_a) = a[..n].as_chunks::<8>();
    let (blocks_b, rest_b) = b[..n].as_chunks::<8>();
    for (x, y) in blocks_a.iter().zip(blocks_b) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest_a.iter().zip(rest_b).map(|(x, y)| x * y).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::dot;

    #[test]
    fn every_length_and_the_shorter_of_two() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        for n in 0..40 {
            let expected: f64 = x[..n].iter().map(|v| v * (v + 1.0)).sum();
            assert_eq!(dot(&x[..n], &x[1..]), expected);
        }
    }
}
