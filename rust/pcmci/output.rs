//! What a run hands back, complete or stopped half-way.

use super::links::{Links, Node};
use super::mci::Found;
use super::pc1::Selection;
use super::test::Status;
use crate::cov::Form;

/// Seconds spent in each phase.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timings {
    pub matrix: f64,
    pub pc1: f64,
    pub mci: f64,
    pub p_values: f64,
}

/// Results; arrays are indexed by [`Links::index`], both directions of a lag-0 pair as their own tests found them.
#[derive(Debug, Clone)]
pub struct Output {
    pub val: Vec<f64>,
    pub p: Vec<f64>,
    /// Degrees of freedom, 0 where nothing was tested.
    pub df: Vec<u64>,
    pub status: Vec<u8>,
    /// Parents used as conditions, a list per target; `None` for a target that PC1 did not get to.
    pub parents: Vec<Option<Vec<Node>>>,
    /// What PC1 found, a selection per target that it got to; empty if the parents were given.
    pub selections: Vec<Option<Selection>>,
    pub n_rows: usize,
    pub pc1_tests: usize,
    pub mci_tests: usize,
    /// The form of the correlations that tests read; `None` where each read its rows.
    pub form: Option<Form>,
    pub timings: Timings,
}

impl Output {
    /// An output in which no link has been tested yet.
    pub fn new(links: &Links, parents: Vec<Option<Vec<Node>>>, selections: Vec<Option<Selection>>) -> Self {
        let size = links.n_series() * links.n_series() * (links.tau_max() + 1);
        let mut status = vec![Status::NotAsked as u8; size];
        for target in 0..links.n_series() {
            for x in links.into_target(target) {
                status[links.index(x.series, target, x.lag)] = Status::NotTested as u8;
            }
        }
        Self {
            val: vec![0.0; size],
            p: vec![1.0; size],
            df: vec![0; size],
            status,
            pc1_tests: selections.iter().flatten().map(|s| s.tests).sum(),
            parents,
            selections,
            n_rows: 0,
            mci_tests: 0,
            form: None,
            timings: Timings::default(),
        }
    }

    /// Enter MCI's tests, a list per target.
    pub fn enter(&mut self, links: &Links, found: &[Found]) {
        for (target, found) in found.iter().enumerate() {
            self.mci_tests += found.count;
            for ((x, test), &p) in found.tests.iter().zip(&found.p) {
                let at = links.index(x.series, target, x.lag);
                (self.val[at], self.p[at], self.status[at]) = (test.val, p, test.status as u8);
                if test.status == Status::Ok && !links.requires(x.series, target, x.lag) {
                    self.df[at] = test.df as u64;
                }
            }
        }
    }
}

impl Timings {
    /// Split the time that MCI took as its parts add up over the targets, which may have run side by side.
    pub fn set_mci(&mut self, seconds: f64, found: &[Found]) {
        let [tests, p_values] = [0, 1].map(|part| found.iter().map(|f| f.seconds[part]).sum::<f64>());
        self.p_values = if p_values > 0.0 { seconds * p_values / (tests + p_values) } else { 0.0 };
        self.mci = seconds - self.p_values;
    }
}
