//! What a run hands back, complete or stopped half-way.

use crate::pcmci::{End, Law, Links, Node, Selection, Status};

/// Results; arrays are indexed by [`Links::index`].
#[derive(Debug, Clone)]
pub struct Output {
    /// Partial correlation of the link's least significant test, and its p-value.
    pub val: Vec<f64>,
    pub p: Vec<f64>,
    pub status: Vec<u8>,
    /// Links left into each target, the strongest first: not yet decided where the search ended early.
    pub parents: Vec<Vec<Node>>,
    /// How the search ended for each target.
    pub ends: Vec<End>,
    /// Target, source and conditions of each link that was dropped given something.
    pub separators: Vec<(usize, Node, Vec<Node>)>,
    pub tests: usize,
    pub n_rows: usize,
    pub has_matrix: bool,
    /// Of the matrix and of the search.
    pub seconds: [f64; 2],
}

impl Output {
    /// Enter what was found for every target; links that no search was started with are copies of others.
    pub fn new(links: &Links, selections: Vec<Selection>, law: Law) -> Self {
        let size = links.n_series() * links.n_series() * (links.tau_max() + 1);
        let mut output = Self {
            val: vec![0.0; size],
            p: vec![1.0; size],
            status: vec![Status::NotAsked as u8; size],
            parents: Vec::new(),
            ends: Vec::new(),
            separators: Vec::new(),
            tests: 0,
            n_rows: 0,
            has_matrix: false,
            seconds: [0.0; 2],
        };
        for (target, selection) in selections.into_iter().enumerate() {
            for x in links.into_target(target) {
                output.status[links.index(x.series, target, x.lag)] = Status::Collinear as u8;
            }
            output.enter(links, target, selection, law);
        }
        output
    }

    fn enter(&mut self, links: &Links, target: usize, selection: Selection, law: Law) {
        for candidate in selection.candidates {
            let x = candidate.node;
            let at = links.index(x.series, target, x.lag);
            let open = candidate.kept && !links.requires(x.series, target, x.lag);
            self.status[at] = match selection.end {
                End::Stopped if open => Status::NotTested,
                End::MaxTests if open => Status::OverBudget,
                _ => candidate.weakest.status,
            } as u8;
            if self.status[at] == Status::Ok as u8 {
                (self.val[at], self.p[at]) = (candidate.weakest.val, law.p(&candidate.weakest));
            }
            if !candidate.separator.is_empty() {
                self.separators.push((target, x, candidate.separator));
            }
        }
        self.tests += selection.tests;
        self.parents.push(selection.parents);
        self.ends.push(selection.end);
    }
}
