//! What a target may be explained by, gathered: its candidates' values on the rows, standardised.

use super::kernel::ROWS;
use crate::cov::scale_for;
use crate::error::{CoreError, Result};
use crate::pcmci::Links;
use crate::series::Series;

/// One input of a target's network: series `source` at t - `lag`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub source: usize,
    pub lag: usize,
    /// In the model whatever its weight: no sparsity penalty pulls at it.
    pub required: bool,
}

/// Columns of a target by key of the source, then lag.
///
/// Keys stand for names, so that the order of sums, and with it every bit of the result, does not depend on the order
/// in which series come.
pub fn columns_of(links: &Links, target: usize, keys: &[u64]) -> Vec<Column> {
    let column = |node: crate::pcmci::Node| Column {
        source: node.series,
        lag: node.lag,
        required: links.requires(node.series, target, node.lag),
    };
    let mut columns: Vec<Column> = links.into_target(target).map(column).collect();
    columns.sort_by_key(|c| (keys[c.source], c.source, c.lag));
    columns
}

/// All series with mean 0 and variance 1 over all samples, and the rows t in [`tau_max`, end) of every data set.
#[derive(Debug)]
pub struct Samples {
    values: Vec<f32>,
    n_samples: usize,
    rows: Vec<usize>,
}

impl Samples {
    /// Refuses missing values and series that do not vary.
    pub fn new(series: &Series, tau_max: usize) -> Result<Self> {
        if !series.is_complete() {
            return Err(CoreError::invalid("neural Granger causality takes complete data only"));
        }
        let scaled = (0..series.n_series()).map(|i| standardised(series, i)).collect::<Result<Vec<_>>>()?;
        let rows: Vec<usize> = series.segments().iter().flat_map(|s| (s.start + tau_max).min(s.end)..s.end).collect();
        if rows.is_empty() {
            return Err(CoreError::invalid(format!("no row is left: no data set has more than tau_max = {tau_max}")));
        }
        Ok(Self { values: scaled.concat(), n_samples: series.n_samples(), rows })
    }

    /// Rows n.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Values of a target on the rows, padded with zeros to whole blocks of [`ROWS`].
    pub fn target(&self, target: usize) -> Vec<f32> {
        let x = self.of(target);
        let mut y: Vec<f32> = self.rows.iter().map(|&t| x[t]).collect();
        y.resize(self.rows.len().next_multiple_of(ROWS), 0.0);
        y
    }

    /// Values of the columns as the kernel reads them: blocks of [`ROWS`] rows, in each block column by column.
    pub fn inputs(&self, columns: &[Column]) -> Vec<f32> {
        let mut z = vec![0.0; self.rows.len().next_multiple_of(ROWS) * columns.len()];
        for (k, column) in columns.iter().enumerate() {
            let x = self.of(column.source);
            for (r, &t) in self.rows.iter().enumerate() {
                z[(r / ROWS * columns.len() + k) * ROWS + r % ROWS] = x[t - column.lag];
            }
        }
        z
    }

    fn of(&self, i: usize) -> &[f32] {
        &self.values[i * self.n_samples..][..self.n_samples]
    }
}

/// Samples outside every data set are 0: no row reads them.
fn standardised(series: &Series, i: usize) -> Result<Vec<f32>> {
    let x = series.series(i);
    let n = series.samples(i).count() as f64;
    let scale = scale_for(series.samples(i).map(|t| x[t].abs()).fold(0.0, f64::max));
    let near_one = || series.samples(i).map(|t| x[t] * scale);
    // Twice, because the first mean of large numbers is off by their rounding.
    let first = near_one().sum::<f64>() / n;
    let mean = first + near_one().map(|v| v - first).sum::<f64>() / n;
    let deviation = (near_one().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    if !(deviation > 0.0 && deviation.is_finite()) {
        return Err(CoreError::invalid(format!("series {i} does not vary")));
    }
    let mut scaled = vec![0.0; x.len()];
    series.samples(i).for_each(|t| scaled[t] = ((x[t] * scale - mean) / deviation) as f32);
    Ok(scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_reaches_across_data_sets_and_columns_are_shifted_back() {
        let x: Vec<f64> = (0..20).map(|t| f64::from(t * 7 % 20)).collect();
        let series = Series::new(&x, None, 1, 20, vec![0..8, 8..10, 12..20]).unwrap();
        let samples = Samples::new(&series, 2).unwrap();
        assert_eq!(samples.n_rows(), 6 + 6);
        let whole = standardised(&series, 0).unwrap();
        let rows: Vec<usize> = (2..8).chain(14..20).collect();
        let at = |lag: usize| rows.iter().map(|t| whole[t - lag]).collect::<Vec<_>>();
        assert_eq!(samples.target(0)[..12], at(0));
        let columns = [1, 2].map(|lag| Column { source: 0, lag, required: false });
        let z = samples.inputs(&columns);
        for (k, lag) in [1, 2].into_iter().enumerate() {
            let column: Vec<f32> = (0..12).map(|r| z[(r / ROWS * 2 + k) * ROWS + r % ROWS]).collect();
            assert_eq!(column, at(lag));
        }
    }

    #[test]
    fn columns_follow_keys_not_positions() {
        let flags: Vec<bool> = (0..2 * 2 * 3).map(|at| at % 3 > 0).collect();
        let links = Links::new(&flags, None, 2, 2).unwrap();
        let order = |keys: [u64; 2]| columns_of(&links, 0, &keys).iter().map(|c| (c.source, c.lag)).collect::<Vec<_>>();
        assert_eq!(order([1, 9]), [(0, 1), (0, 2), (1, 1), (1, 2)]);
        assert_eq!(order([9, 1]), [(1, 1), (1, 2), (0, 1), (0, 2)]);
    }

    #[test]
    fn units_do_not_matter_and_constants_are_refused() {
        let x: Vec<f64> = (0..50).map(|t| f64::from(t * 13 % 50)).collect();
        let far: Vec<f64> = x.iter().map(|x| 3e-5 * x + 1e6).collect();
        let of = |x: &[f64]| standardised(&Series::new(x, None, 1, 50, vec![]).unwrap(), 0);
        for (a, b) in of(&x).unwrap().iter().zip(of(&far).unwrap()) {
            assert!((a - b).abs() < 1e-4);
        }
        assert!(of(&[2.0; 50]).is_err());
    }
}
