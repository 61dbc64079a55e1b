//! The p-value of a partial correlation, and decisions that don't need it.

use super::test::{Status, Test};
use crate::stats::normal::{quantile, two_sided_tail};
use crate::stats::student_t::critical;

/// The null distribution of a partial correlation r with df degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// r sqrt(df / (1 - r^2)) is Student's t with df degrees of freedom, exactly so for normal samples; tigramite's.
    StudentT,
    /// sqrt(df - 1) |atanh r| is standard normal, Fisher's approximation; causal-learn's, which writes n - |S| - 3.
    FisherZ,
}

impl Law {
    /// Two-sided p-value; 1 where the test could not be done.
    pub fn p(self, test: &Test) -> f64 {
        match self {
            Self::FisherZ if test.status == Status::Ok => two_sided_tail(fisher_z(test)),
            _ => test.p(),
        }
    }

    /// The |r| whose p-value is `alpha`.
    fn critical_correlation(self, alpha: f64, df: usize) -> f64 {
        match self {
            Self::StudentT => {
                let t = critical(alpha, df as f64);
                if t.is_infinite() { 1.0 } else { t / t.hypot((df as f64).sqrt()) }
            }
            Self::FisherZ if alpha <= 0.0 => 1.0,
            Self::FisherZ if alpha >= 1.0 => 0.0,
            Self::FisherZ => (-quantile(alpha / 2.0) / ((df - 1) as f64).sqrt()).tanh(),
        }
    }
}

/// Fisher's statistic; infinite where |r| is 1, whatever the degrees of freedom.
fn fisher_z(test: &Test) -> f64 {
    let r = test.val.abs();
    if r < 1.0 { ((test.df - 1) as f64).sqrt() * r.atanh() } else { f64::INFINITY }
}

/// Decides p <= alpha, and which of two p-values is larger, without computing them: the critical |r| of every number of
/// degrees of freedom is kept.
pub struct Level {
    alpha: f64,
    law: Law,
    n_rows: usize,
    critical: Vec<f64>,
    /// Whether p-values that vanish in tigramite's arithmetic are equal.
    ties: bool,
}

impl Level {
    /// A level of tigramite's tests; `n_rows` is the most rows a test has.
    ///
    /// Where tigramite's p-values vanish they are tied at 0: that is about where the first factor of the incomplete
    /// beta function, p df / 2, leaves the normal numbers.
    pub fn new(alpha: f64, n_rows: usize) -> Self {
        Self { ties: true, ..Self::of_law(alpha, n_rows, Law::StudentT) }
    }

    /// A level of tests by any law, in exact arithmetic.
    pub fn of_law(alpha: f64, n_rows: usize, law: Law) -> Self {
        Self { alpha, law, n_rows, critical: Vec::new(), ties: false }
    }

    /// The level itself.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Whether the test is significant. One that could not be done is not.
    pub fn admits(&mut self, test: &Test) -> bool {
        /// Much more than the errors of r and of its critical value together.
        const CLOSE: f64 = 1e-9;
        if test.status != Status::Ok {
            return false;
        }
        let distance = test.val.abs() - self.critical_correlation(test.df);
        if distance.abs() > CLOSE { distance > 0.0 } else { self.law.p(test) <= self.alpha }
    }

    fn critical_correlation(&mut self, df: usize) -> f64 {
        let used = self.n_rows.saturating_sub(df);
        if self.critical.len() <= used {
            self.critical.resize(used + 1, f64::NAN);
        }
        if self.critical[used].is_nan() {
            self.critical[used] = self.law.critical_correlation(self.alpha, df);
        }
        self.critical[used]
    }

    /// Whether `a` has a larger p-value than `b`; the p-values are only computed where signs don't settle it.
    pub fn less_significant(&self, a: &Test, b: &Test) -> bool {
        if a.status != Status::Ok || b.status != Status::Ok {
            return a.status != Status::Ok && b.status == Status::Ok;
        }
        match self.law {
            Law::StudentT => self.has_larger_t_tail(a, b),
            Law::FisherZ => fisher_z(a) < fisher_z(b),
        }
    }

    fn has_larger_t_tail(&self, a: &Test, b: &Test) -> bool {
        /// A p-value is at least about exp(-t^2 / 2): up to this t^2 it can't have vanished.
        const MAY_VANISH: f64 = 1200.0;
        let squared_t = |t: &Test| t.df as f64 * t.val * t.val / ((1.0 - t.val) * (1.0 + t.val));
        let (t_a, t_b) = (squared_t(a), squared_t(b));
        if t_a >= t_b && a.df >= b.df {
            false
        } else if t_a < t_b && a.df <= b.df && (t_a < MAY_VANISH || !self.ties) {
            true
        } else {
            let p = a.p();
            p > b.p() && (!self.ties || p * a.df as f64 / 2.0 > f64::MIN_POSITIVE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(val: f64, df: usize) -> Test {
        Test { val, df, status: Status::Ok }
    }

    const LAWS: [Law; 2] = [Law::StudentT, Law::FisherZ];

    proptest! {
        #[test]
        fn a_level_decides_as_the_p_value_does(val in -0.6_f64..0.6, df in 1_usize..200, alpha in 0.0_f64..=1.0) {
            for law in LAWS {
                let mut level = Level::of_law(alpha, 202, law);
                prop_assert_eq!(level.admits(&of(val, df)), law.p(&of(val, df)) <= alpha);
                let boundary = of(level.critical_correlation(df), df);
                prop_assert_eq!(level.admits(&boundary), law.p(&boundary) <= alpha);
            }
        }
    }

    #[test]
    fn a_test_that_failed_is_never_significant() {
        for law in LAWS {
            assert!(!Level::of_law(1.0, 10, law).admits(&Test::failed(Status::Constant)));
            assert_eq!(law.p(&Test::failed(Status::Constant)), 1.0);
        }
    }

    #[test]
    fn less_significant_orders_by_p() {
        let tests: Vec<Test> = [0.0, 0.1, -0.3, 0.31, 0.9, 0.998, -0.9981]
            .iter()
            .flat_map(|&val| [3, 10, 50, 500].map(|df| of(val, df)))
            .chain([Test::failed(Status::Collinear)])
            .collect();
        let levels =
            [Level::new(0.1, 600), Level::of_law(0.1, 600, Law::StudentT), Level::of_law(0.1, 600, Law::FisherZ)];
        for level in &levels {
            let p = |test: &Test| level.law.p(test);
            for a in &tests {
                // A test that can't be done has p 1, as r = 0 has.
                for b in tests.iter().filter(|b| b.status == a.status && p(a) > 1e-300 && p(b) > 1e-300) {
                    assert_eq!(level.less_significant(a, b), p(a) > p(b), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn p_values_that_vanish_are_tied_only_as_in_tigramite() {
        let (weaker, stronger) = (of(0.95, 3000), of(0.96, 3000));
        assert!(!Level::new(0.1, 3002).less_significant(&weaker, &stronger));
        assert!(Level::of_law(0.1, 3002, Law::StudentT).less_significant(&weaker, &stronger));
    }

    #[test]
    fn fisher_z_without_a_degree_of_freedom_to_spare_shows_nothing() {
        assert_eq!(Law::FisherZ.p(&of(0.99, 1)), 1.0);
        assert!(!Level::of_law(0.5, 10, Law::FisherZ).admits(&of(0.99, 1)));
        assert_eq!(Law::FisherZ.p(&Test::GIVEN), 0.0);
    }
}
