//! One number for every pair at every lag.

use std::ops::RangeInclusive;

use super::association::entropy_table;
use super::block::Block;
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
    search_with(planes, lags, measure, kernel::best(), monitor)
}

/// [`search`] with a kernel of one's choice.
pub(super) fn search_with(
    planes: &Planes,
    lags: RangeInclusive<usize>,
    measure: Measure,
    kernel: Kernel,
    monitor: &Monitor,
) -> Result<Vec<f64>> {
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
    let mut found = vec![0.0; n * stride];
    let rows = found.chunks_mut(stride).enumerate();
    let mut sinks: Vec<_> = rows.map(|(target, row)| Dense { n, target, measure, nlogn: &nlogn, row }).collect();
    Scan::new(planes, planes, lags, plan, kernel, monitor)?.run(&mut sinks, monitor)?;
    Ok(found)
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
