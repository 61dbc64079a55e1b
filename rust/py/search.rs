//! What the searches take from Python and hand back to it alike.

use numpy::ndarray::Array3;
use numpy::{Element, IntoPyArray, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cov::{Form, Marginals, Roles};
use crate::error::{CoreError, Result};
use crate::pcmci::{Links, Node, Rows, Selection};

/// Lists of (series, lag), one per target.
pub type NodeLists = Vec<Vec<(usize, usize)>>;

/// `RowSpec.core_arrays` in `rows.py`: reference rows, mask (N, T), roles in which it counts, and whether rows after a
/// missing sample are lost.
pub type PyRows<'py> = (Option<PyReadonlyArray1<'py, u64>>, Option<PyReadonlyArray2<'py, bool>>, String, bool);

/// The rows that the tuple asks for.
pub fn rows_of<'a>((reference, mask, mask_type, lose_after_missing): &'a PyRows) -> Result<Rows<'a>> {
    let flags =
        |m: &'a PyReadonlyArray2<bool>| m.as_slice().map_err(|_| CoreError::invalid("the mask must be C-contiguous"));
    let [x, y, z] = ['x', 'y', 'z'].map(|role| mask_type.contains(role));
    Ok(Rows {
        samples: reference.as_ref().map(|r| r.as_array().iter().map(|&t| t as usize).collect()),
        mask: mask.as_ref().map(flags).transpose()?.map(|masked| (masked, Roles { x, y, z })),
        lose_after_missing: *lose_after_missing,
    })
}

/// What tests look at.
pub fn marginals(normal_scores: bool) -> Marginals {
    if normal_scores { Marginals::NormalScores } else { Marginals::Raw }
}

/// What Python calls the form of the correlations that tests read.
pub fn form_name(form: Option<Form>) -> &'static str {
    match form {
        Some(Form::Matrix) => "matrix",
        Some(Form::Differences) => "differences",
        Some(Form::Pairs) => "pairs",
        None => "rows",
    }
}

/// The assumed links, in the order given or by series, then lag.
pub fn links_of<'a>(
    links: &'a PyReadonlyArray3<'_, bool>,
    required: Option<&'a PyReadonlyArray3<'_, bool>>,
    order: Option<NodeLists>,
) -> Result<Links<'a>> {
    let shape = links.shape();
    if shape[0] != shape[1] || shape[2] == 0 || required.is_some_and(|r| r.shape() != shape) {
        return Err(CoreError::invalid("links and required must have shape (N, N, tau_max + 1)"));
    }
    let assumed = Links::new(flags(links)?, required.map(flags).transpose()?, shape[0], shape[2] - 1)?;
    match order {
        Some(order) => assumed.in_order(nodes(order)),
        None => Ok(assumed),
    }
}

/// The lists in the core's words.
pub fn nodes(lists: NodeLists) -> Vec<Vec<Node>> {
    let node = |(series, lag)| Node { series, lag };
    lists.into_iter().map(|list| list.into_iter().map(node).collect()).collect()
}

fn flags<'a>(array: &'a PyReadonlyArray3<'_, bool>) -> Result<&'a [bool]> {
    array.as_slice().map_err(|_| CoreError::invalid("links must be C-contiguous"))
}

/// Put an array of a run into the result, in the shape of the links.
pub fn set_cube<T: Element>(result: &Bound<'_, PyDict>, key: &str, links: &Links, values: Vec<T>) -> PyResult<()> {
    let shape = (links.n_series(), links.n_series(), links.tau_max() + 1);
    let cube = Array3::from_shape_vec(shape, values).map_err(|e| CoreError::invalid(e.to_string()))?;
    result.set_item(key, cube.into_pyarray(result.py()))
}

/// Of every link PC1 tested: val and p of its least significant test, and its smallest |val|; 0, 1, 0 elsewhere.
pub fn pc1_arrays<'a>(
    links: &Links,
    selections: impl Iterator<Item = Option<&'a Selection>>,
) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let size = links.n_series() * links.n_series() * (links.tau_max() + 1);
    let (mut val, mut p, mut val_min) = (vec![0.0; size], vec![1.0; size], vec![0.0; size]);
    for (target, selection) in selections.enumerate() {
        for candidate in selection.into_iter().flat_map(|s| &s.candidates) {
            let at = links.index(candidate.node.series, target, candidate.node.lag);
            (val[at], p[at], val_min[at]) = (candidate.weakest.val, candidate.p_max, candidate.val_min);
        }
    }
    (val, p, val_min)
}
