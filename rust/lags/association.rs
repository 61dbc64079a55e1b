//! What counts say about a pair of codes. Every formula reads (n, a, b, d) of the lag at hand, since margins change
//! with the lag.

/// n ln n for n = 0, 1, ..., `largest`: the only transcendental that mutual information needs.
pub fn entropy_table(largest: usize) -> Vec<f64> {
    (0..=largest).map(|n| if n == 0 { 0.0 } else { n as f64 * (n as f64).ln() }).collect()
}

/// Mutual information in nats of two binary codes, from `n` common samples, `a` and `b` ones and `d` disagreements;
/// `nlogn` is an [`entropy_table`].
///
/// The table is n11 = (a + b - d) / 2, n10 = (a - b + d) / 2, n01 = (b - a + d) / 2, n00 = n - (a + b + d) / 2.
pub fn mutual_information(n: u32, a: u32, b: u32, d: u32, nlogn: &[f64]) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let f = |count: u32| nlogn[count as usize];
    let both = (a + b - d) / 2;
    let joint = f(both) + f(a - both) + f(b - both) + f(n + both - a - b);
    let margins = f(a) + f(n - a) + f(b) + f(n - b);
    ((joint - margins + f(n)) / f64::from(n)).max(0.0)
}

/// Share of `n` samples on which two bits agree or on which they are opposite, whichever is larger.
pub fn agreement(n: u32, d: u32) -> f64 {
    if n == 0 { 0.0 } else { f64::from(d.max(n - d)) / f64::from(n) }
}

/// The same for two bits at once, from the disagreements of the first bits, of the second bits and of their products:
/// `first + second - product` is twice the samples on which both are opposite.
pub fn joint_agreement(n: u32, first: u32, second: u32, product: u32) -> f64 {
    let opposite = (first + second - product) / 2;
    let equal = n - (first + second + product) / 2;
    if n == 0 { 0.0 } else { f64::from(opposite.max(equal)) / f64::from(n) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independence_and_the_counter_example_of_unbalanced_margins() {
        let table = entropy_table(100);
        // a = b = 20: d = 32 is exact independence although it is far from 50; d = 40 is not although it is near.
        assert!(mutual_information(100, 20, 20, 32, &table) < 1e-15);
        assert!((mutual_information(100, 20, 20, 40, &table) - 0.0505).abs() < 5e-5);
        assert!((mutual_information(100, 20, 20, 22, &table) - 0.0425).abs() < 5e-5);
    }

    #[test]
    fn information_of_equal_bits_is_their_entropy() {
        let table = entropy_table(64);
        for (a, d) in [(32, 0), (32, 64)] {
            assert!((mutual_information(64, a, 32, d, &table) - 2f64.ln()).abs() < 1e-15);
        }
        assert_eq!(mutual_information(64, 64, 10, 54, &table), 0.0);
        assert_eq!(mutual_information(0, 0, 0, 0, &table), 0.0);
    }

    #[test]
    fn agreement_takes_the_larger_share() {
        assert_eq!((agreement(10, 2), agreement(10, 8), agreement(0, 0)), (0.8, 0.8, 0.0));
        // Ten samples: first bits differ on 4, second bits on 3, both on 2; so the products differ on 3.
        assert_eq!(joint_agreement(10, 4, 3, 3), 0.5);
        assert_eq!(joint_agreement(10, 10, 10, 0), 1.0);
    }
}
