//! Every source alone: the target's own lags, then one source's.
//!
//! All sources of a target share the factor of its own lags. What those leave of a source's columns C is
//! `A_CC - W^T W` with `W = M A_oC`, and of their products with the target `g_C - W^T z`.

use super::columns::Columns;
use super::fit::{Design, Fit, degrees};
use super::output::Found;
use crate::cov::{View, multiply_add};
use crate::error::Result;
use crate::parallel::Monitor;
use crate::pcmci::{Links, Node, Status};

/// Which lags are in the models of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lags {
    /// Own lags 1 to `tau_max`, and the source's from this one to `tau_max`, if any link from it is tested.
    Block { tau_min: usize },
    /// Those of the links only.
    Links,
}

/// The own lags of one target, factored.
struct Own<'a> {
    target: Node,
    columns: &'a Columns<'a>,
    links: &'a Links<'a>,
    lags: Lags,
    design: Design,
}

/// Test every link into `target`.
pub fn test_target(target: usize, columns: &Columns, links: &Links, lags: Lags, monitor: &Monitor) -> Result<Found> {
    let mut found = Found::default();
    let y = Node { series: target, lag: 0 };
    let nodes = own_nodes(target, links, lags);
    let varying: Vec<Node> = nodes.into_iter().filter(|&n| columns.varies(n)).collect();
    let tested = || links.into_target(target).filter(|n| !links.requires(n.series, target, n.lag));
    if !columns.varies(y) || degrees(columns.n_rows(), varying.len()).is_none() {
        let status = if columns.varies(y) { Status::TooFewRows } else { Status::Constant };
        found.fail_all(tested(), status);
        return Ok(found);
    }
    let design = Design::new(columns, varying, monitor)?;
    let own = Own { target: y, columns, links, lags, design };
    let fit = own.design.fit(&columns.correlations(&own.design.nodes, &[y]), 1.0);
    let mut sources: Vec<usize> = tested().map(|n| n.series).collect();
    sources.dedup();
    for source in sources {
        monitor.check()?;
        found.fail_all(tested().filter(|n| n.series == source && !columns.varies(*n)), Status::Constant);
        if source == target {
            own.test_own(&fit, &mut found, monitor)?;
        } else {
            own.test(source, &fit, &mut found, monitor)?;
        }
    }
    Ok(found)
}

/// Columns of every model of a target: its own lags, and links that are required.
fn own_nodes(target: usize, links: &Links, lags: Lags) -> Vec<Node> {
    let own = |lag| Node { series: target, lag };
    let mut nodes: Vec<Node> = match lags {
        Lags::Block { .. } => (1..=links.tau_max()).map(own).collect(),
        Lags::Links => links.into_target(target).filter(|n| n.series == target).collect(),
    };
    let required = links.into_target(target).filter(|n| links.requires(n.series, target, n.lag));
    nodes.extend(required.filter(|n| n.series != target));
    nodes
}

impl Own<'_> {
    fn is_tested(&self, node: Node) -> bool {
        let (target, lag) = (self.target.series, node.lag);
        self.links.assumes(node.series, target, lag) && !self.links.requires(node.series, target, lag)
    }

    fn is_required(&self, node: Node) -> bool {
        self.links.requires(node.series, self.target.series, node.lag)
    }

    /// The own lags as a block, given what is required.
    fn test_own(&self, fit: &Fit, found: &mut Found, monitor: &Monitor) -> Result<()> {
        let of_own =
            |k: &usize| self.design.nodes[*k].series == self.target.series && !self.is_required(self.design.nodes[*k]);
        let members: Vec<usize> = (0..self.design.nodes.len()).filter(of_own).collect();
        let Some(df) = degrees(self.columns.n_rows(), self.design.rank()) else {
            found.fail_all(
                members.iter().map(|&k| self.design.nodes[k]).filter(|&n| self.is_tested(n)),
                Status::TooFewRows,
            );
            return Ok(());
        };
        let tested = members.iter().filter(|&&k| self.is_tested(self.design.nodes[k]));
        found.links.extend(tested.map(|&k| (self.design.nodes[k], fit.link(k, df))));
        if !members.is_empty() {
            found.pairs.push((self.target.series, fit.block(&self.design.block(&members, monitor)?, df)));
        }
        Ok(())
    }

    /// One source given the own lags.
    fn test(&self, source: usize, own_fit: &Fit, found: &mut Found, monitor: &Monitor) -> Result<()> {
        let nodes = self.source_nodes(source);
        let tested: Vec<(usize, Node)> =
            nodes.iter().copied().enumerate().filter(|&(_, n)| self.is_tested(n)).collect();
        if nodes.is_empty() {
            return Ok(());
        }
        if degrees(self.columns.n_rows(), self.design.nodes.len() + nodes.len()).is_none() {
            found.fail_all(tested.into_iter().map(|(_, n)| n), Status::TooFewRows);
            return Ok(());
        }
        let (left, with_target) = self.left_of(&nodes, own_fit);
        let design = Design::from_correlations(nodes, left, monitor)?;
        let Some(df) = degrees(self.columns.n_rows(), self.design.rank() + design.rank()) else {
            found.fail_all(tested.into_iter().map(|(_, n)| n), Status::TooFewRows);
            return Ok(());
        };
        let fit = design.fit(&with_target, own_fit.unexplained);
        found.links.extend(tested.into_iter().map(|(k, n)| (n, fit.link(k, df))));
        found.pairs.push((source, fit.pair(fit.explained, design.rank(), df)));
        Ok(())
    }

    /// Columns of the source that vary and are not in every model anyway.
    fn source_nodes(&self, source: usize) -> Vec<Node> {
        let (links, target) = (self.links, self.target.series);
        let enters = |lag: &usize| match self.lags {
            Lags::Block { tau_min } => *lag >= tau_min,
            Lags::Links => links.assumes(source, target, *lag),
        };
        let nodes = (0..=links.tau_max()).filter(enters).map(|lag| Node { series: source, lag });
        nodes.filter(|&n| !self.is_required(n) && self.columns.varies(n)).collect()
    }

    /// What the own lags leave of the products of `nodes` with each other and with the target.
    fn left_of(&self, nodes: &[Node], own_fit: &Fit) -> (Vec<f64>, Vec<f64>) {
        let (m, q) = (self.design.nodes.len(), nodes.len());
        let mut left = self.columns.correlations(nodes, nodes);
        let mut with_target = self.columns.correlations(nodes, &[self.target]);
        let with_own = self.columns.correlations(nodes, &self.design.nodes);
        // -W^T, one row a column of the source.
        let mut minus = vec![0.0; q * m];
        let view = |data, row_stride: usize, col_stride: usize| View {
            data,
            start: 0,
            row_stride: row_stride as isize,
            col_stride: col_stride as isize,
        };
        let negated: Vec<f64> = with_own.iter().map(|v| -v).collect();
        multiply_add([q, m, m], view(&negated, m, 1), view(self.design.inverse.values(), 1, m), &mut minus, m);
        let plus: Vec<f64> = minus.iter().map(|v| -v).collect();
        multiply_add([q, m, q], view(&minus, m, 1), view(&plus, 1, m), &mut left, q);
        multiply_add([q, m, 1], view(&minus, m, 1), view(&own_fit.coordinates, 1, 1), &mut with_target, 1);
        (left, with_target)
    }
}
