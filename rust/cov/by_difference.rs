//! Single correlations from the sums by lag difference: what the whole matrix holds, formed when it is asked for.
//!
//! An entry adds up to L products at the ends of every data set to a core sum; see `lagged` for the formulas. A row
//! shares the walk through the source's ends.

use super::sums::Sums;
use crate::dot::dot;

impl Sums {
    /// Bytes held for S series, lags up to L, D data sets with more than L rows and R rows in shorter ones:
    /// `8 (S^2 (L+1) + S (L+1) (2 D + R + 3))`.
    pub fn bytes(n_series: usize, max_lag: usize, n_long_sets: usize, n_short: usize) -> usize {
        let columns = n_series.saturating_mul(max_lag + 1);
        let a_column = n_series.saturating_add(2 * n_long_sets).saturating_add(n_short).saturating_add(3);
        columns.saturating_mul(a_column).saturating_mul(8)
    }

    /// Correlation of the columns at `c` and `d`, the same bits in both orders.
    pub fn entry(&self, c: usize, d: usize) -> f64 {
        let (c, d) = (c.min(d), c.max(d));
        if c == d {
            return f64::from(u8::from(self.moments()[c].varies()));
        }
        let (i, j) = (c / self.n_lags, d / self.n_lags);
        let (a, b) = (c % self.n_lags, d % self.n_lags);
        let core = if a >= b { self.core_of(i, j)[a - b] } else { self.core_of(j, i)[b - a] };
        let (shared, after) = (a.min(b), self.n_lags - 1 - a.max(b));
        let at_ends = self.ends.iter().map(|ends| {
            let head = dot(&ends.head[c - shared + 1..][..shared], &ends.head[d - shared + 1..]);
            head + dot(&ends.tail[c..][..after], &ends.tail[d..])
        });
        self.correlation(c, d, core + at_ends.sum::<f64>() + self.short_sum(c, d))
    }

    /// Correlations of the column at `c` with every column.
    pub fn row(&self, c: usize) -> Vec<f64> {
        let (i, a) = (c / self.n_lags, c % self.n_lags);
        let mut row = vec![0.0; self.moments().len()];
        for (j, out) in row.chunks_mut(self.n_lags).enumerate() {
            let (of_i, of_j) = (self.core_of(i, j), self.core_of(j, i));
            let by_lag = of_i[..=a].iter().rev().chain(&of_j[1..self.n_lags - a]);
            out.iter_mut().zip(by_lag).for_each(|(o, core)| *o = *core);
            self.add_ends((i, a), j, out);
            for (b, o) in out.iter_mut().enumerate() {
                let d = j * self.n_lags + b;
                *o = self.correlation(c, d, *o + self.short_sum(c, d));
            }
        }
        row[c] = self.entry(c, c);
        row
    }

    /// Terms at the ends of every data set, for column (i, a) with all columns of series j.
    fn add_ends(&self, (i, a): (usize, usize), j: usize, out: &mut [f64]) {
        let n_lags = self.n_lags;
        for ends in &self.ends {
            let (mine, theirs) = (&ends.head[i * n_lags..], &ends.head[j * n_lags..][..n_lags]);
            for lag in 1..=a {
                add_multiple(&mut out[a + 1 - lag..], mine[lag], &theirs[1..]);
            }
            let (mine, theirs) = (&ends.tail[i * n_lags..], &ends.tail[j * n_lags..]);
            for lag in a..n_lags - 1 {
                add_multiple(out, mine[lag], &theirs[lag - a..n_lags - 1]);
            }
        }
    }

    fn core_of(&self, i: usize, j: usize) -> &[f64] {
        &self.core[(i * self.n_series + j) * self.n_lags..][..self.n_lags]
    }

    fn short_sum(&self, c: usize, d: usize) -> f64 {
        let of = |c: usize| &self.short[c * self.n_short..][..self.n_short];
        if self.n_short > 0 { dot(of(c), of(d)) } else { 0.0 }
    }
}

/// `out += weight * terms`, over the length of the shorter one.
fn add_multiple(out: &mut [f64], weight: f64, terms: &[f64]) {
    for (o, t) in out.iter_mut().zip(terms) {
        *o += weight * t;
    }
}

#[cfg(test)]
mod tests {
    use super::super::lagged::{LaggedCorrelation, centred};
    use super::super::window::Window;
    use super::*;
    use crate::parallel::Monitor;
    use crate::series::Series;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// One long data set, several, and some with fewer rows than lags.
        #[test]
        fn entries_and_rows_are_those_of_the_matrix(
            x in prop::collection::vec(-1.0_f64..1.0, 3 * 60), n in 1_usize..4, max_lag in 0_usize..7,
            cuts in prop::collection::vec(1_usize..20, 0..3),
        ) {
            let n_samples = x.len() / n;
            let mut segments = vec![0..n_samples - 20 * cuts.len()];
            for cut in cuts {
                let start = segments.last().unwrap().end;
                segments.push(start..start + cut);
            }
            let series = Series::new(&x[..n * n_samples], None, n, n_samples, segments).unwrap();
            let window = Window::new(&series, max_lag, max_lag).unwrap();
            prop_assume!(window.n_rows() > 2);
            let matrix = LaggedCorrelation::on(&window, &Monitor::default()).unwrap();
            let sums = Sums::new(&window, &centred(&window), &Monitor::default()).unwrap();
            for c in 0..matrix.n_columns() {
                let row = sums.row(c);
                for (d, expected) in matrix.row_at(c).iter().enumerate() {
                    prop_assert!((row[d] - expected).abs() < 1e-12);
                    prop_assert!((sums.entry(c, d) - expected).abs() < 1e-12);
                    prop_assert_eq!(sums.entry(c, d).to_bits(), sums.entry(d, c).to_bits());
                }
            }
        }
    }
}
