//! Partial correlations of one target with every variable of a set given all the others, from one factorisation.
//!
//! With L the Cholesky factor of the correlations of the set and the target, the target last, and M = L^-1, the precision
//! matrix is M^T M and
//!
//! ```text
//! r(x, y | others) = -M[y,x] / sqrt(sum_k M[k,x]^2)
//! ```
//!
//! which costs m^3 for all m variables together; one factor a test would cost m^4.

use super::cholesky::WEAK;
use crate::cov::{Correlations, Triangle};
use crate::parallel::Monitor;

/// One partial correlation a column, `None` where its digits can't be trusted; `None` for all if a variable is nearly
/// explained by those before it, or if `monitor` stops the run.
pub fn partial_correlations(
    matrix: &Correlations,
    target: usize,
    columns: &[usize],
    monitor: &Monitor,
) -> Option<Vec<Option<f64>>> {
    let order: Vec<usize> = columns.iter().copied().chain([target]).collect();
    let correlations = order.iter().flat_map(|&c| {
        let line = matrix.line(c);
        order.iter().map(move |&other| line.at(other)).collect::<Vec<_>>()
    });
    let factor = Triangle::factor(correlations.collect(), order.len(), WEAK, monitor).ok()?;
    if !(0..order.len()).all(|i| factor.keeps(i)) {
        return None;
    }
    let inverse = factor.inverse(monitor).ok()?;
    let (unexplained, of_target) = inverse.row(columns.len()).split_last()?;
    let unexplained = unexplained.powi(-2);
    let mut squares = vec![0.0; columns.len()];
    for i in 0..columns.len() {
        squares.iter_mut().zip(inverse.row(i)).for_each(|(sum, v)| *sum += v * v);
    }
    let of_column = |(along, squares): (&f64, f64)| {
        let precision = squares + along * along;
        // What is left of x given the others, and of the target given the others: with x it would be `unexplained`.
        let (rest_x, rest_y) = (1.0 / squares, unexplained * precision / squares);
        (rest_x > WEAK && rest_y > WEAK).then(|| (-along / precision.sqrt()).clamp(-1.0, 1.0))
    };
    Some(of_target.iter().zip(squares).map(of_column).collect())
}

#[cfg(test)]
mod tests {
    use super::super::links::Node;
    use super::super::test::{Status, Tests};
    use super::*;
    use crate::cov::{Form, Marginals, Window};
    use crate::series::Series;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Series 2 is nearly a copy of series 1 in some cases, series 3 is constant.
        #[test]
        fn equals_one_test_after_the_other(
            x in prop::collection::vec(-1.0_f64..1.0, 3 * 40),
            closeness in prop::sample::select(vec![1.0, 1e-1, 1e-4]),
            chosen in prop::collection::btree_set((0_usize..4, 1_usize..4), 2..9),
        ) {
            let mut x = [x, vec![0.5; 40]].concat();
            for t in 0..40 {
                x[80 + t] = x[40 + t] + closeness * x[80 + t];
            }
            let series = Series::new(&x, None, 4, 40, vec![]).unwrap();
            let window = Window::new(&series, 3, 6).unwrap();
            let tests = Tests::with(Some(Form::Matrix), &window, Marginals::Raw, &Monitor::default()).unwrap();
            let nodes: Vec<Node> = chosen.into_iter().map(|(series, lag)| Node { series, lag }).collect();
            let at_once = tests.of_target(0).leave_one_out(&nodes, &Monitor::default());
            prop_assert!(closeness < 1e-2 || nodes.iter().zip(&at_once).all(|(n, t)| t.is_some() == (n.series != 3)));
            for (k, at_once) in at_once.into_iter().enumerate() {
                let mut others = nodes.clone();
                let x = others.remove(k);
                let alone = tests.of_target(0).test(x, &others);
                if let Some(at_once) = at_once {
                    prop_assert_eq!((at_once.df, Status::Ok), (alone.df, alone.status));
                    prop_assert!((at_once.val - alone.val).abs() < 1e-10, "{} {}", at_once.val, alone.val);
                }
            }
        }
    }

    #[test]
    fn a_constant_target_is_left_to_its_own_tests() {
        let x = [vec![1.0; 30], (0..60).map(|k| f64::from(k * k % 31)).collect()].concat();
        let series = Series::new(&x, None, 3, 30, vec![]).unwrap();
        let window = Window::new(&series, 2, 2).unwrap();
        let tests = Tests::with(Some(Form::Matrix), &window, Marginals::Raw, &Monitor::default()).unwrap();
        let nodes = [Node { series: 1, lag: 1 }, Node { series: 2, lag: 1 }];
        assert_eq!(tests.of_target(0).leave_one_out(&nodes, &Monitor::default()), [None, None]);
        assert!(tests.of_target(1).leave_one_out(&nodes, &Monitor::default()).iter().all(Option::is_some));
    }
}
