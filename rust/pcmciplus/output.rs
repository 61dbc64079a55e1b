//! What a run hands back.

use super::colliders::Triple;
use super::graph::{Graph, Mark, assumed_mark};
use super::skeleton::{Separators, Target};
use crate::cov::Form;
use crate::pcmci::{Links, Selection, Status};

/// Everything that was found; arrays are indexed by [`Links::index`].
#[derive(Debug, Clone)]
pub struct Output {
    pub numbers: Numbers,
    pub graph: Graph,
    /// What PC1 found, a selection per target that it got to.
    pub selections: Vec<Option<Selection>>,
    pub separators: Separators,
    /// Triples of which it stayed open whether they are colliders.
    pub ambiguous: Vec<Triple>,
    /// The level that was used.
    pub pc_alpha: f64,
    pub n_rows: usize,
    /// The form of the correlations that tests read; `None` where each read its rows.
    pub form: Option<Form>,
    pub tests: Counts,
    /// Whether all phases were run; otherwise somebody stopped them.
    pub complete: bool,
    pub timings: Timings,
}

/// Tests run in each phase, at all levels together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub pc1: usize,
    pub skeleton: usize,
    pub colliders: usize,
}

impl Counts {
    pub fn add(&mut self, other: Self) {
        self.pc1 += other.pc1;
        self.skeleton += other.skeleton;
        self.colliders += other.colliders;
    }
}

/// Seconds spent in each phase, at all levels together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timings {
    pub matrix: f64,
    pub pc1: f64,
    pub skeleton: f64,
    pub orientation: f64,
}

impl Timings {
    pub fn add(&mut self, other: Self) {
        self.matrix += other.matrix;
        self.pc1 += other.pc1;
        self.skeleton += other.skeleton;
        self.orientation += other.orientation;
    }
}

/// Of every link: value, p-value and status of its least significant test, in the skeleton phase if it got there.
#[derive(Debug, Clone)]
pub struct Numbers {
    pub val: Vec<f64>,
    pub p: Vec<f64>,
    pub status: Vec<u8>,
}

impl Numbers {
    /// Nothing tested yet.
    pub fn new(links: &Links) -> Self {
        let size = links.n_series() * links.n_series() * (links.tau_max() + 1);
        let not_asked = Status::NotAsked as u8;
        let mut numbers = Self { val: vec![0.0; size], p: vec![1.0; size], status: vec![not_asked; size] };
        for target in 0..links.n_series() {
            for x in links.into_target(target) {
                numbers.status[links.index(x.series, target, x.lag)] = Status::NotTested as u8;
            }
        }
        numbers
    }

    /// Enter PC1's numbers.
    pub fn enter_pc1(&mut self, links: &Links, selections: &[Option<Selection>]) {
        for (target, selection) in selections.iter().enumerate() {
            for candidate in selection.iter().flat_map(|s| &s.candidates) {
                let (x, test) = (candidate.node, candidate.weakest);
                self.set(links.index(x.series, target, x.lag), (test.val, candidate.p_max, test.status as u8));
            }
        }
    }

    /// Enter the numbers of the skeleton phase; they replace those of PC1.
    pub fn enter_skeleton(&mut self, links: &Links, targets: &[Target]) {
        for (target, found) in targets.iter().enumerate() {
            for link in found.links.iter().filter(|link| link.status != Status::NotTested) {
                let at = links.index(link.x.series, target, link.x.lag);
                self.set(at, (link.val, link.p, link.status as u8));
            }
        }
        self.symmetrise(links);
    }

    /// Give both directions of a pair at lag 0 the numbers of the larger p-value, or of the direction it may have.
    fn symmetrise(&mut self, links: &Links) {
        for i in 0..links.n_series() {
            for j in 0..links.n_series() {
                let (there, back) = (links.index(i, j, 0), links.index(j, i, 0));
                let copies = match assumed_mark(links, i, j) {
                    Mark::Undirected => self.p[there] >= self.p[back],
                    mark => mark == Mark::Forward,
                };
                if copies {
                    self.set(back, (self.val[there], self.p[there], self.status[there]));
                }
            }
        }
    }

    fn set(&mut self, at: usize, numbers: (f64, f64, u8)) {
        (self.val[at], self.p[at], self.status[at]) = numbers;
    }
}
