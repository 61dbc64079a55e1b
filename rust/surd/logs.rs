//! Logarithms of counts in fixed point.

/// One bit of information.
pub const ONE_BIT: i64 = 1 << 50;

/// Base-2 logarithms of 1 to n, in units of 2^-50.
///
/// Those of primes are rounded and those of products added up: if a b = c d, then log a + log b = log c + log d in every
/// digit. Equal probabilities written as different fractions therefore give equal information.
#[derive(Debug, Clone)]
pub struct Logs(Vec<i64>);

impl Logs {
    /// The table for counts up to `n`.
    pub fn up_to(n: usize) -> Self {
        let mut smallest_factor = vec![0_u32; n + 1];
        let mut logs = vec![0_i64; n + 1];
        for k in 2..=n {
            if smallest_factor[k] == 0 {
                logs[k] = ((k as f64).log2() * ONE_BIT as f64).round() as i64;
                for multiple in (k..=n).step_by(k) {
                    if smallest_factor[multiple] == 0 {
                        smallest_factor[multiple] = k as u32;
                    }
                }
            } else {
                let factor = smallest_factor[k] as usize;
                logs[k] = logs[factor] + logs[k / factor];
            }
        }
        Self(logs)
    }

    /// The logarithm of `count`, which must not be 0.
    pub fn of(&self, count: usize) -> i64 {
        debug_assert!(count > 0);
        self.0[count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_and_add_up() {
        let logs = Logs::up_to(3000);
        for k in 1..=3000_usize {
            assert!((logs.of(k) as f64 / ONE_BIT as f64 - (k as f64).log2()).abs() < 1e-14, "{k}");
        }
        for a in 1..50 {
            assert!((1..50).all(|b| logs.of(a * b) == logs.of(a) + logs.of(b)));
        }
    }
}
