//! One number for every pair at every lag.

use std::ops::RangeInclusive;

use super::association::entropy_table;
use super::block::Block;
use super::margin::KeptMargins;
use super::scan::{Plan, Scan, Sink};
use crate::bits::Planes;
use crate::bits::kernel::{self, Kernel};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;

/// What to say about a pair at a lag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Margin-centred z of the weighted codes.
    Z,
    /// Share of the common samples on which the leading bits agree, or are opposite: the larger one.
    Agreement,
    /// The same of both bits of a two-bit code at once; for trend codes the score of the paper.
    JointAgreement,
    /// Mutual information of the leading bits, in nats.
    MutualInformation,
}

/// Measure every pair of `planes` at every lag: `[target][lag][source]` with lags from 0 to the largest scanned; 0 at
/// lags that were not scanned and for a series with itself at lag 0.
pub fn search(planes: &Planes, lags: RangeInclusive<usize>, measure: Measure, monitor: &Monitor) -> Result<Vec<f64>> {
    let mut found = vec![0.0; planes.n_series().pow(2) * (lags.end() + 1)];
    search_into(planes, &KeptMargins::default(), lags, measure, &mut found, monitor)?;
    Ok(found)
}

/// [`search`] into an array, whatever is in it, with the margins that an earlier search of the planes has left.
pub fn search_into(
    planes: &Planes,
    kept: &KeptMargins,
    lags: RangeInclusive<usize>,
    measure: Measure,
    found: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    search_with(kernel::best(), planes, kept, lags, measure, found, monitor)
}

/// [`search_into`] with a kernel of one's choice.
pub(super) fn search_with(
    kernel: Kernel,
    planes: &Planes,
    kept: &KeptMargins,
    lags: RangeInclusive<usize>,
    measure: Measure,
    found: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    let plan = match measure {
        Measure::Z => Plan::association(planes, planes),
        Measure::Agreement | Measure::MutualInformation => Plan::leading(),
        Measure::JointAgreement if planes.bits() == 2 => Plan::joint(),
        Measure::JointAgreement => return Err(CoreError::invalid("joint agreement needs codes of two bits")),
    };
    let nlogn = match measure {
        Measure::MutualInformation => entropy_table(planes.layout().n_samples()),
        _ => Vec::new(),
    };
    let n = planes.n_series();
    let stride = (n * (lags.end() + 1)).max(1);
    if found.len() != n * stride {
        return Err(CoreError::invalid("the array of results must have shape (targets, lags, sources)"));
    }
    let rows = found.chunks_mut(stride).enumerate();
    let mut sinks: Vec<_> = rows.map(|(target, row)| Dense { n, target, measure, nlogn: &nlogn, row }).collect();
    // The scan writes every other lag.
    for sink in &mut sinks {
        sink.row[..lags.start() * n].fill(0.0);
    }
    Scan::of_one(planes, kept, lags, plan, kernel, monitor)?.run(&mut sinks, monitor)
}

/// Where the numbers of one target go.
struct Dense<'a> {
    n: usize,
    target: usize,
    measure: Measure,
    nlogn: &'a [f64],
    /// `[lag][source]`
    row: &'a mut [f64],
}

impl Sink for Dense<'_> {
    fn take(&mut self, block: &Block, k: usize) {
        let start = block.lag * self.n + block.first_source;
        let here = start..start + block.len;
        let out = &mut self.row[here.clone()];
        match self.measure {
            Measure::Z => block.z(k, out),
            Measure::Agreement => block.agreement(k, out),
            Measure::JointAgreement => block.joint_agreement(k, out),
            Measure::MutualInformation => block.mutual_information(k, self.nlogn, out),
        }
        if block.lag == 0 && here.contains(&self.target) {
            self.row[self.target] = 0.0;
        }
    }
}
