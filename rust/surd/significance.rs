//! p-values from what agents are credited with after shifts of the target.

/// With at least this many shifts as extreme as the observation their share is the p-value.
const COUNTED: usize = 10;

/// p-value of `observed` given the credits after shifts, for large credits.
///
/// `(1 + k) / (1 + n)` with k of n shifts reaching the observation. Where fewer than [`COUNTED`] do, the tail is
/// extrapolated: information counted from independent samples is a sum of chi-squares, whose tail is exponential, so the
/// excesses of the largest quarter of the shifts over the next largest are taken for a sample of m from an exponential law
/// of unknown mean; one more value exceeds x times the sample's mean with probability `(1 + x / m)^-m`.
pub fn p_value(observed: i128, shifted: &[i128]) -> f64 {
    let n = shifted.len();
    let reaching = shifted.iter().filter(|&&s| s >= observed).count();
    let counted = (1 + reaching) as f64 / (1 + n) as f64;
    if reaching >= COUNTED {
        return counted;
    }
    extrapolated(observed, shifted).unwrap_or(counted)
}

/// None if there are too few shifts with any credit, or if they are all alike.
fn extrapolated(observed: i128, shifted: &[i128]) -> Option<f64> {
    let mut descending: Vec<i128> = shifted.iter().copied().filter(|&s| s > 0).collect();
    descending.sort_unstable_by(|a, b| b.cmp(a));
    let m = (shifted.len() / 4).min(descending.len());
    if m < COUNTED {
        return None;
    }
    let base = descending.get(m).copied().unwrap_or(0);
    let sum: i128 = descending[..m].iter().map(|s| s - base).sum();
    if sum == 0 || observed <= base {
        return None;
    }
    let tail = (1.0 + (observed - base) as f64 / sum as f64).powi(-(m as i32));
    Some((1 + m) as f64 / (1 + shifted.len()) as f64 * tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of the exponential law.
    fn exponential(n: usize) -> Vec<i128> {
        (0..n).map(|k| (-1e6 * (1.0 - (k as f64 + 0.5) / n as f64).ln()) as i128).collect()
    }

    #[test]
    fn common_values_are_counted() {
        let shifted = exponential(200);
        assert_eq!(p_value(0, &shifted), 1.0);
        assert_eq!(p_value(shifted[100], &shifted), 101.0 / 201.0);
        assert_eq!(p_value(shifted[190], &shifted), 11.0 / 201.0);
    }

    #[test]
    fn rare_values_follow_the_tail() {
        let shifted = exponential(1000);
        for x in [6.0, 8.0, 10.0_f64] {
            let p = p_value((x * 1e6) as i128, &shifted);
            assert!((0.5..2.0).contains(&(p / (-x).exp())), "{x}: {p}");
        }
    }

    #[test]
    fn few_or_equal_values_are_never_extrapolated() {
        assert_eq!(p_value(10_i128.pow(9), &exponential(39)), 1.0 / 40.0);
        assert_eq!(p_value(10, &[5; 100]), 1.0 / 101.0);
        let mut rarely = vec![0; 195];
        rarely.extend([3, 4, 5, 6, 7]);
        assert_eq!(p_value(10, &rarely), 1.0 / 201.0);
    }
}
