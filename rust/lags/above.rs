//! Pairs beyond a threshold of their own, and the autocorrelation of codes that such thresholds are made of.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use super::block::Block;
use super::scan::{Plan, Scan, Sink};
use super::top::Pick;
use crate::bits::{Planes, kernel};
use crate::error::Result;
use crate::parallel::Monitor;

/// Every pair (source, lag) with |z| >= `least(source, target)` and z not 0, for every target, in order of lags, then
/// sources.
pub fn above(
    planes: &Planes,
    lags: RangeInclusive<usize>,
    least: impl Fn(usize, usize) -> f64 + Sync,
    monitor: &Monitor,
) -> Result<Vec<Vec<Pick>>> {
    let n = planes.n_series();
    let one = |target| Above { target, n, least: &least, thresholds: Vec::new(), picks: Vec::new(), row: Vec::new() };
    let mut sinks: Vec<_> = (0..n).map(one).collect();
    let plan = Plan::association(planes, planes);
    Scan::new(planes, planes, lags, plan, kernel::best(), monitor)?.run(&mut sinks, monitor)?;
    Ok(sinks.into_iter().map(|sink| sink.picks).collect())
}

struct Above<'a, F> {
    target: usize,
    n: usize,
    least: &'a F,
    /// One per source, from the first block on.
    thresholds: Vec<f64>,
    picks: Vec<Pick>,
    row: Vec<f64>,
}

impl<F: Fn(usize, usize) -> f64 + Sync> Sink for Above<'_, F> {
    fn take(&mut self, block: &Block, k: usize) {
        if self.thresholds.is_empty() {
            self.thresholds = (0..self.n).map(|source| (self.least)(source, self.target)).collect();
        }
        self.row.resize(block.len, 0.0);
        block.z(k, &mut self.row);
        for (s, &z) in self.row.iter().enumerate() {
            let source = block.first_source + s;
            if z.abs() >= self.thresholds[source] && z != 0.0 {
                self.picks.push(Pick { source, lag: block.lag, z });
            }
        }
    }
}

/// Correlation of every series' code with itself, centred at each lag, at lags 1 to `largest`.
pub fn autocorrelations(planes: &Planes, largest: usize, monitor: &Monitor) -> Result<Vec<Vec<f64>>> {
    let of_series = |i: usize| {
        let single = planes.single(i);
        let mut sinks = [Own(Vec::with_capacity(largest))];
        let plan = Plan::association(&single, &single);
        Scan::new(&single, &single, 1..=largest, plan, kernel::best(), monitor)?.run(&mut sinks, monitor)?;
        let [Own(r)] = sinks;
        Ok(r)
    };
    (0..planes.n_series()).into_par_iter().map(of_series).collect()
}

struct Own(Vec<f64>);

impl Sink for Own {
    fn take(&mut self, block: &Block, k: usize) {
        let mut z = [0.0];
        block.z(k, &mut z);
        self.0.push(z[0] / f64::from(block.common(k, 0)).sqrt().max(1.0));
    }
}
