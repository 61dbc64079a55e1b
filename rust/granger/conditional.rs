//! Every source given all others: one model a target, with all of its links.

use rayon::prelude::*;

use super::columns::Columns;
use super::fit::{Block, Design, degrees};
use super::output::Found;
use crate::error::Result;
use crate::parallel::Monitor;
use crate::pcmci::{Links, Node, Status};

/// Targets whose models have the same columns, the same of them tested: one factorisation serves all.
pub struct Group {
    targets: Vec<usize>,
    nodes: Vec<Node>,
    /// Whether a link from each column is tested; required ones are not.
    tested: Vec<bool>,
}

/// Put targets with equal links together.
pub fn groups(links: &Links) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for target in 0..links.n_series() {
        let nodes: Vec<Node> = links.into_target(target).collect();
        let tested: Vec<bool> = nodes.iter().map(|n| !links.requires(n.series, target, n.lag)).collect();
        match groups.iter_mut().find(|g| g.nodes == nodes && g.tested == tested) {
            Some(group) => group.targets.push(target),
            None => groups.push(Group { targets: vec![target], nodes, tested }),
        }
    }
    groups
}

impl Group {
    /// Multiplications that it takes to correlate the group's columns on so many rows.
    pub fn cost_on_rows(&self, n_rows: usize) -> f64 {
        let size = (self.nodes.len() + self.targets.len()) as f64;
        size * size * n_rows as f64
    }

    /// What is found about each target of the group; targets that come after a stop are missing.
    pub fn test(&self, columns: &Columns, monitor: &Monitor) -> Vec<(usize, Found)> {
        let Ok(model) = self.model(columns, monitor) else { return Vec::new() };
        let test = |&target: &usize| {
            monitor.check().ok()?;
            let found = self.test_target(target, columns, model.as_ref());
            monitor.step();
            Some((target, found))
        };
        self.targets.par_iter().filter_map(test).collect()
    }

    /// The factored columns with one block for each source; `None` if there are too few rows for them.
    fn model(&self, columns: &Columns, monitor: &Monitor) -> Result<Option<Model>> {
        let varying = self.nodes.iter().zip(&self.tested).filter(|(n, _)| columns.varies(**n));
        let (nodes, tested): (Vec<Node>, Vec<bool>) = varying.unzip();
        if degrees(columns.n_rows(), nodes.len()).is_none() {
            return Ok(None);
        }
        let mut members: Vec<(usize, Vec<usize>)> = Vec::new();
        for (k, node) in nodes.iter().enumerate().filter(|(k, _)| tested[*k]) {
            match members.last_mut().filter(|(source, _)| *source == node.series) {
                Some((_, of_source)) => of_source.push(k),
                None => members.push((node.series, vec![k])),
            }
        }
        let design = Design::new(columns, nodes, monitor)?;
        let block = |(source, members): &(usize, Vec<usize>)| Ok((*source, design.block(members, monitor)?));
        let blocks = members.par_iter().map(block).collect::<Result<_>>()?;
        Ok(degrees(columns.n_rows(), design.rank()).map(|df| Model { design, tested, blocks, df }))
    }

    fn test_target(&self, target: usize, columns: &Columns, model: Option<&Model>) -> Found {
        let mut found = Found::default();
        let y = Node { series: target, lag: 0 };
        let (true, Some(model)) = (columns.varies(y), model) else {
            found.fail_all(self.tested(), if columns.varies(y) { Status::TooFewRows } else { Status::Constant });
            return found;
        };
        found.fail_all(self.tested().filter(|&n| !columns.varies(n)), Status::Constant);
        let fit = model.design.fit(&columns.correlations(&model.design.nodes, &[y]), 1.0);
        let tested = model.design.nodes.iter().enumerate().filter(|(k, _)| model.tested[*k]);
        found.links.extend(tested.map(|(k, &n)| (n, fit.link(k, model.df))));
        found.pairs.extend(model.blocks.iter().map(|(source, block)| (*source, fit.block(block, model.df))));
        found
    }

    fn tested(&self) -> impl Iterator<Item = Node> + '_ {
        self.nodes.iter().zip(&self.tested).filter(|(_, tested)| **tested).map(|(&n, _)| n)
    }
}

struct Model {
    /// Of the columns that vary.
    design: Design,
    /// Which of them are tested.
    tested: Vec<bool>,
    blocks: Vec<(usize, Block)>,
    df: usize,
}
