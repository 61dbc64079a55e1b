//! Every association of every pair at every lag.

use std::ops::RangeInclusive;

use super::association::entropy_table;
use super::block::Block;
use super::scan::{Plan, Scan, Sink};
use crate::bits::Planes;
use crate::bits::kernel::{self, Kernel};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;

/// Arrays `[target][lag][source]` with lags from 0 to the largest scanned; 0 at lags that were not scanned and for a
/// series with itself at lag 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Associations {
    /// Share of the common samples on which the leading bits agree, or are opposite: the larger one.
    pub agreement: Vec<f64>,
    /// Margin-centred z of the weighted codes.
    pub z: Vec<f64>,
    /// Mutual information of the leading bits, in nats.
    pub mutual_information: Vec<f64>,
}

/// Search every pair of `planes` at every lag.
pub fn search(planes: &Planes, lags: RangeInclusive<usize>, monitor: &Monitor) -> Result<Associations> {
    search_with(planes, lags, kernel::best(), monitor)
}

/// [`search`] with a kernel of one's choice.
pub(super) fn search_with(
    planes: &Planes,
    lags: RangeInclusive<usize>,
    kernel: Kernel,
    monitor: &Monitor,
) -> Result<Associations> {
    let n = planes.n_series();
    let size = n * n * (lags.end() + 1);
    let mut found =
        Associations { agreement: vec![0.0; size], z: vec![0.0; size], mutual_information: vec![0.0; size] };
    let nlogn = entropy_table(planes.layout().n_samples());
    let stride = (n * (lags.end() + 1)).max(1);
    let rows = found.agreement.chunks_mut(stride).zip(found.z.chunks_mut(stride));
    let rows = rows.zip(found.mutual_information.chunks_mut(stride)).enumerate();
    let mut sinks: Vec<_> = rows
        .map(|(target, ((agreement, z), information))| Dense { n, target, nlogn: &nlogn, agreement, z, information })
        .collect();
    let plan = Plan::association(planes, planes);
    Scan::new(planes, planes, lags, plan, kernel, monitor)?.run(&mut sinks, monitor)?;
    Ok(found)
}

/// Agreement of both bits of two-bit codes: the share of samples on which both agree, or both are opposite, whichever
/// is larger; `[target][lag][source]` as in [`Associations`]. For trend codes this is the score of the paper.
pub fn agreement(planes: &Planes, lags: RangeInclusive<usize>, monitor: &Monitor) -> Result<Vec<f64>> {
    if planes.bits() != 2 {
        return Err(CoreError::invalid("joint agreement needs codes of two bits"));
    }
    let n = planes.n_series();
    let stride = (n * (lags.end() + 1)).max(1);
    let mut found = vec![0.0; n * stride];
    let mut sinks: Vec<_> =
        found.chunks_mut(stride).enumerate().map(|(target, row)| Joint { n, target, row }).collect();
    Scan::new(planes, planes, lags, Plan::joint(), kernel::best(), monitor)?.run(&mut sinks, monitor)?;
    Ok(found)
}

/// Where the results of one target go.
struct Dense<'a> {
    n: usize,
    target: usize,
    nlogn: &'a [f64],
    agreement: &'a mut [f64],
    z: &'a mut [f64],
    information: &'a mut [f64],
}

impl Sink for Dense<'_> {
    fn take(&mut self, block: &Block, k: usize) {
        let start = block.lag * self.n + block.first_source;
        let here = start..start + block.len;
        block.agreement(k, &mut self.agreement[here.clone()]);
        block.z(k, &mut self.z[here.clone()]);
        block.mutual_information(k, self.nlogn, &mut self.information[here.clone()]);
        if block.lag == 0 && here.contains(&self.target) {
            for row in [&mut *self.agreement, &mut *self.z, &mut *self.information] {
                row[self.target] = 0.0;
            }
        }
    }
}

struct Joint<'a> {
    n: usize,
    target: usize,
    row: &'a mut [f64],
}

impl Sink for Joint<'_> {
    fn take(&mut self, block: &Block, k: usize) {
        let start = block.lag * self.n + block.first_source;
        let here = start..start + block.len;
        block.joint_agreement(k, &mut self.row[here.clone()]);
        if block.lag == 0 && here.contains(&self.target) {
            self.row[self.target] = 0.0;
        }
    }
}
