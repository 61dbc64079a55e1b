//! What a run hands back, complete or stopped half-way.

use crate::pcmci::{Links, Node, Status};

/// Test of one lagged column given the rest of its model: partial correlation and two-sided p of t.
#[derive(Debug, Clone, Copy)]
pub struct LinkTest {
    pub val: f64,
    pub p: f64,
    pub status: Status,
}

/// Test of all columns of one source: `ln(RSS_r / RSS_f)` in nats, F and its p.
#[derive(Debug, Clone, Copy)]
pub struct PairTest {
    pub val: f64,
    pub p: f64,
    pub f: f64,
    /// Columns tested.
    pub df_num: usize,
    /// Rows less the parameters of the full model.
    pub df_denom: usize,
    pub status: Status,
}

impl LinkTest {
    /// No test, for this reason.
    pub fn failed(status: Status) -> Self {
        Self { val: 0.0, p: 1.0, status }
    }
}

impl PairTest {
    /// No test, for this reason.
    pub fn failed(status: Status) -> Self {
        Self { val: 0.0, p: 1.0, f: 0.0, df_num: 0, df_denom: 0, status }
    }
}

/// Everything that was found about one target.
#[derive(Default)]
pub struct Found {
    pub links: Vec<(Node, LinkTest)>,
    pub pairs: Vec<(usize, PairTest)>,
}

impl Found {
    /// Links that could not be tested; so could their sources as a whole, unless a test of theirs is entered later.
    pub fn fail_all(&mut self, links: impl Iterator<Item = Node>, status: Status) {
        for node in links {
            self.links.push((node, LinkTest::failed(status)));
            self.pairs.push((node.series, PairTest::failed(status)));
        }
    }
}

/// Results: of links, indexed by [`Links::index`], and of pairs, at `source * N + target`.
pub struct Output {
    pub links: Vec<LinkTest>,
    pub pairs: Vec<PairTest>,
    pub n_rows: usize,
    /// Seconds for the correlations and for the tests.
    pub seconds: [f64; 2],
}

impl Output {
    /// Nothing has been tested yet; required links never are.
    pub fn new(links: &Links, n_rows: usize) -> Self {
        let n = links.n_series();
        let mut output = Self {
            links: vec![LinkTest::failed(Status::NotAsked); n * n * (links.tau_max() + 1)],
            pairs: vec![PairTest::failed(Status::NotAsked); n * n],
            n_rows,
            seconds: [0.0; 2],
        };
        for target in 0..n {
            for x in links.into_target(target).filter(|x| !links.requires(x.series, target, x.lag)) {
                output.links[links.index(x.series, target, x.lag)].status = Status::NotTested;
                output.pairs[x.series * n + target].status = Status::NotTested;
            }
        }
        output
    }

    /// Enter what was found about a target.
    pub fn enter(&mut self, links: &Links, target: usize, found: &Found) {
        for (x, test) in &found.links {
            self.links[links.index(x.series, target, x.lag)] = *test;
        }
        for (source, test) in &found.pairs {
            self.pairs[source * links.n_series() + target] = *test;
        }
    }
}
