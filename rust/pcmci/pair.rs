//! Tests of any two lagged columns, in any order: what a search outside this crate asks for, one test at a time.

use super::cholesky::Factor;
use super::from_rows::FromRows;
use super::links::Node;
use super::test::{Status, Test};
use crate::cov::{Correlations, Marginals, Window};

/// Nearer to a correlation of 1 than this, rounding errors of r show in p.
const ALMOST_ONE: f64 = 1e-6;

/// Test x against y given `conditions`: other nodes than these two, nothing twice.
///
/// `None` where the matrix does not hold the answer to ten digits: a node is not in it, a column is constant, variables
/// are nearly dependent, or no degree of freedom is left.
pub fn test_pair(matrix: &Correlations, x: Node, y: Node, conditions: &[Node]) -> Option<Test> {
    let column = |node: &Node| {
        let index = matrix.has(node.series, node.lag).then(|| matrix.index(node.series, node.lag))?;
        matrix.varies_at(index).then_some(index)
    };
    let (x, y) = (column(&x)?, column(&y)?);
    let conditions: Vec<usize> = conditions.iter().map(column).collect::<Option<_>>()?;
    let df = matrix.n_rows().checked_sub(2 + conditions.len()).filter(|&df| df > 0)?;
    let val = Factor::new(matrix, y).partial_correlation(x, &conditions)?;
    (val.abs() < 1.0 - ALMOST_ONE).then_some(Test { val, df, status: Status::Ok })
}

/// As [`test_pair`], on the rows of this test alone: those where none of its samples is missing or masked.
pub fn test_pair_on_rows(window: &Window, marginals: Marginals, x: Node, y: Node, conditions: &[Node]) -> Option<Test> {
    let (n_series, max_lag) = (window.series().n_series(), window.max_lag());
    let mut nodes = [x, y].into_iter().chain(conditions.iter().copied());
    if nodes.any(|node| node.series >= n_series || node.lag > max_lag) {
        return None;
    }
    let ranking = marginals.rank(window);
    let test = FromRows::new(window, ranking.as_ref()).sound_test(x, y, conditions);
    test.filter(|test| test.val.abs() < 1.0 - ALMOST_ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cov::Form;
    use crate::parallel::Monitor;
    use crate::series::Series;

    /// Series 1 copies 0 with some noise, 2 copies 0, 3 is constant.
    fn with_matrix(check: impl Fn(&Correlations)) {
        let noise = |t: usize, k: usize| ((t * 7919 + k * 104_729) % 1009) as f64;
        let first: Vec<f64> = (0..80).map(|t| noise(t, 1)).collect();
        let mut x = first.clone();
        x.extend(first.iter().enumerate().map(|(t, v)| v + noise(t, 2)));
        x.extend(&first);
        x.extend([0.5; 80]);
        let series = Series::new(&x, None, 4, 80, vec![]).unwrap();
        let window = Window::new(&series, 3, 3).unwrap();
        check(&Correlations::new(Form::Matrix, &window, None, &Monitor::default()).unwrap());
    }

    fn node(series: usize, lag: usize) -> Node {
        Node { series, lag }
    }

    #[test]
    fn without_conditions_it_is_the_correlation_whatever_the_lags() {
        with_matrix(|matrix| {
            let test = test_pair(matrix, node(0, 3), node(1, 2), &[]).unwrap();
            assert!((test.val - matrix.line(matrix.index(0, 3)).at(matrix.index(1, 2))).abs() < 1e-15);
            assert_eq!((test.df, test.status), (75, Status::Ok));
            let swapped = test_pair(matrix, node(1, 2), node(0, 3), &[node(0, 1)]).unwrap();
            let there = test_pair(matrix, node(0, 3), node(1, 2), &[node(0, 1)]).unwrap();
            assert!((swapped.val - there.val).abs() < 1e-14);
            assert_eq!(there.df, 74);
        });
    }

    #[test]
    fn what_the_matrix_cannot_answer_to_ten_digits_is_left_to_others() {
        with_matrix(|matrix| {
            let of = |x, y, z: &[Node]| test_pair(matrix, x, y, z);
            assert_eq!(of(node(0, 4), node(1, 0), &[]), None, "lag outside");
            assert_eq!(of(node(0, 0), node(4, 0), &[]), None, "series outside");
            assert_eq!(of(node(3, 1), node(1, 0), &[]), None, "constant x");
            assert_eq!(of(node(0, 1), node(1, 0), &[node(3, 0)]), None, "constant condition");
            assert_eq!(of(node(0, 1), node(2, 1), &[]), None, "correlation 1");
            assert_eq!(of(node(0, 1), node(1, 0), &[node(2, 1)]), None, "x explained");
            assert_eq!(of(node(1, 1), node(1, 0), &[node(0, 2), node(2, 2)]), None, "conditions dependent");
        });
    }

    #[test]
    fn rows_and_matrix_agree() {
        let x: Vec<f64> = (0..3 * 60_usize).map(|k| ((k * k + 3 * k) % 101) as f64).collect();
        let series = Series::new(&x, None, 3, 60, vec![]).unwrap();
        let window = Window::new(&series, 2, 2).unwrap();
        for marginals in [Marginals::Raw, Marginals::NormalScores] {
            let ranking = marginals.rank(&window);
            let matrix = Correlations::new(Form::Matrix, &window, ranking.as_ref(), &Monitor::default()).unwrap();
            for z in [&[][..], &[node(2, 1)], &[node(2, 1), node(0, 2), node(1, 1)]] {
                let by_matrix = test_pair(&matrix, node(0, 1), node(1, 0), z).unwrap();
                let by_rows = test_pair_on_rows(&window, marginals, node(0, 1), node(1, 0), z).unwrap();
                assert_eq!(by_matrix.df, by_rows.df);
                assert!((by_matrix.val - by_rows.val).abs() < 1e-12, "{} {}", by_matrix.val, by_rows.val);
            }
            assert_eq!(test_pair_on_rows(&window, marginals, node(0, 3), node(1, 0), &[]), None);
            assert_eq!(test_pair_on_rows(&window, marginals, node(0, 1), node(3, 0), &[]), None);
            assert_eq!(test_pair_on_rows(&window, marginals, node(0, 1), node(0, 1), &[]), None);
        }
    }

    #[test]
    fn no_degree_of_freedom_is_no_answer() {
        let x: Vec<f64> = (0..3 * 5).map(|k| f64::from(k * k % 7)).collect();
        let series = Series::new(&x, None, 3, 5, vec![]).unwrap();
        let window = Window::new(&series, 2, 2).unwrap();
        let matrix = Correlations::new(Form::Matrix, &window, None, &Monitor::default()).unwrap();
        assert_eq!(test_pair(&matrix, node(0, 1), node(1, 0), &[node(2, 0)]), None);
        assert_eq!(test_pair(&matrix, node(0, 1), node(1, 0), &[]).unwrap().df, 1);
    }
}
