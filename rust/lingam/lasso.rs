//! The adaptive lasso (Zou, 2006) from inner products: its time does not depend on the number of samples.
//!
//! Coefficients are penalised by one over their least-squares estimates, which is the plain lasso on columns multiplied
//! by these. Its whole path is followed from knot to knot (LARS, Efron et al., 2004), and the knot with the smallest
//! criterion `RSS / s^2 + k price` is taken, s^2 being the variance that least squares leaves on all columns.

use super::factor::{Factor, Products};

/// What becomes of coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shrinkage {
    /// All of least squares.
    None,
    /// The adaptive lasso selects at this price of a coefficient. With `refit` knots are judged by least squares on
    /// their columns, which then gives the numbers; otherwise by the shrunk coefficients, which are kept.
    Lasso { price: f64, refit: bool },
}

/// Share of the largest product below which a level of the path is 0.
const NOTHING: f64 = 1e-14;

/// Columns scaled by their weights, other columns taken off them.
pub struct Weighted {
    n: usize,
    products: Vec<f64>,
    with_target: Vec<f64>,
    own: f64,
}

impl Products for Weighted {
    fn product(&self, p: usize, q: usize) -> f64 {
        self.products[p * self.n + q]
    }
}

impl Weighted {
    /// The products of `columns` times `weights` with each other and with `target`, once the columns of `fixed`, which
    /// are in every model, are taken off all.
    pub fn new<P: Products>(
        products: &P,
        fixed: &Factor<P>,
        columns: &[usize],
        weights: &[f64],
        target: usize,
    ) -> Self {
        let rows: Vec<_> = columns.iter().map(|&c| fixed.solve(c)).collect();
        let target_row = fixed.solve(target);
        let dot = crate::dot::dot;
        let n = columns.len();
        let mut matrix = vec![0.0; n * n];
        for p in 0..n {
            for q in 0..=p {
                let left = products.product(columns[p], columns[q]) - dot(&rows[p], &rows[q]);
                matrix[p * n + q] = left * weights[p] * weights[q];
                matrix[q * n + p] = matrix[p * n + q];
            }
        }
        let with_target =
            (0..n).map(|p| (products.product(columns[p], target) - dot(&rows[p], &target_row)) * weights[p]);
        let with_target = with_target.collect();
        let own = products.product(target, target) - dot(&target_row, &target_row);
        Self { n, products: matrix, with_target, own }
    }

    /// Coefficients of the weighted columns at the knot with the smallest `RSS / variance + k price`; `least` is the sum
    /// of squares that all columns leave.
    pub fn best_on_path(&self, refit: bool, least: f64, variance: f64, price: f64) -> Vec<f64> {
        let mut path = Path::new(self);
        let mut best = (self.own / variance, vec![0.0; self.n]);
        // Every step adds or drops a column; rounding could make them alternate for ever.
        for _ in 0..8 * self.n + 8 {
            if !path.step() {
                break;
            }
            let k = path.active.len() as f64;
            let rest = if refit { path.unexplained_by_refit() } else { path.unexplained() };
            let criterion = rest / variance + k * price;
            if criterion < best.0 {
                best = (criterion, path.coefficients.clone());
            }
            if least / variance + k * price > best.0 {
                break; // a longer model is worse, however well it fits
            }
        }
        best.1
    }
}

/// A point on the path: products of all columns with the residual are equal in size for active ones, smaller for others.
struct Path<'a> {
    weighted: &'a Weighted,
    factor: Factor<'a, Weighted>,
    active: Vec<usize>,
    signs: Vec<f64>,
    /// Columns that depend on active ones.
    barred: Vec<bool>,
    coefficients: Vec<f64>,
    /// Products with the residual.
    slopes: Vec<f64>,
    entering: Option<usize>,
    level: f64,
    smallest: f64,
}

/// What ends a step.
enum Event {
    Enter(usize),
    Drop(usize),
    End,
}

impl<'a> Path<'a> {
    fn new(weighted: &'a Weighted) -> Self {
        let slopes = weighted.with_target.clone();
        let entering = (0..slopes.len()).rev().max_by(|&p, &q| slopes[p].abs().total_cmp(&slopes[q].abs()));
        let level = entering.map_or(0.0, |p| slopes[p].abs());
        Self {
            weighted,
            factor: Factor::new(weighted),
            active: Vec::new(),
            signs: Vec::new(),
            barred: vec![false; slopes.len()],
            coefficients: vec![0.0; slopes.len()],
            slopes,
            entering,
            level,
            smallest: level * NOTHING,
        }
    }

    /// Go on to the next knot; false at the end of the path.
    fn step(&mut self) -> bool {
        if let Some(p) = self.entering.take() {
            self.enter(p);
        }
        if self.active.is_empty() || self.level <= self.smallest {
            return false;
        }
        let direction = self.factor.solve_for(&self.signs);
        let change = self.change(&direction);
        let (length, event) = self.next_event(&direction, &change);
        for (&p, d) in self.active.iter().zip(&direction) {
            self.coefficients[p] += length * d;
        }
        self.slopes.iter_mut().zip(&change).for_each(|(slope, change)| *slope -= length * change);
        self.level -= length;
        match event {
            Event::Enter(p) => self.entering = Some(p),
            Event::Drop(place) => self.drop(place),
            Event::End => self.level = 0.0,
        }
        true
    }

    fn enter(&mut self, p: usize) {
        if self.factor.push(p) {
            self.active.push(p);
            self.signs.push(self.slopes[p].signum());
        } else {
            self.barred[p] = true;
        }
    }

    fn drop(&mut self, place: usize) {
        let p = self.active.remove(place);
        self.signs.remove(place);
        self.coefficients[p] = 0.0;
        self.factor.truncate(place);
        for &later in &self.active[place..] {
            self.factor.push(later);
        }
    }

    /// By how much every slope falls a unit of length.
    fn change(&self, direction: &[f64]) -> Vec<f64> {
        let n = self.weighted.n;
        let mut change = vec![0.0; n];
        for (&p, d) in self.active.iter().zip(direction) {
            let row = &self.weighted.products[p * n..][..n];
            change.iter_mut().zip(row).for_each(|(c, product)| *c += d * product);
        }
        change
    }

    /// The length at which a column's slope reaches the common level, or an active coefficient reaches 0, or the level does.
    fn next_event(&self, direction: &[f64], change: &[f64]) -> (f64, Event) {
        let (mut length, mut event) = (self.level, Event::End);
        for p in (0..self.slopes.len()).filter(|&p| !self.barred[p] && !self.active.contains(&p)) {
            for sign in [1.0, -1.0] {
                let (gap, closing) = (self.level - sign * self.slopes[p], 1.0 - sign * change[p]);
                // A column that was just dropped sits at the level and moves away from it.
                if closing > f64::EPSILON && gap.max(0.0) / closing < length {
                    (length, event) = (gap.max(0.0) / closing, Event::Enter(p));
                }
            }
        }
        for (place, (&p, d)) in self.active.iter().zip(direction).enumerate() {
            let until = -self.coefficients[p] / d;
            if until > 0.0 && until < length {
                (length, event) = (until, Event::Drop(place));
            }
        }
        (length, event)
    }

    /// Sum of squares that least squares on the active columns leaves.
    fn unexplained_by_refit(&self) -> f64 {
        let right: Vec<_> = self.active.iter().map(|&p| self.weighted.with_target[p]).collect();
        self.weighted.own - self.factor.solve_for(&right).iter().zip(&right).map(|(b, y)| b * y).sum::<f64>()
    }

    /// Sum of squares that is left.
    fn unexplained(&self) -> f64 {
        let explained = |&p: &usize| self.coefficients[p] * (self.weighted.with_target[p] + self.slopes[p]);
        self.weighted.own - self.active.iter().map(explained).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Products of random columns and a target.
    fn random(n: usize, values: &[f64]) -> Weighted {
        let column = |p: usize| values.iter().skip(p).step_by(n + 1);
        let dot = |p: usize, q: usize| column(p).zip(column(q)).map(|(x, y)| x * y).sum::<f64>();
        let products = (0..n * n).map(|k| dot(k / n, k % n)).collect();
        Weighted { n, products, with_target: (0..n).map(|p| dot(p, n)).collect(), own: dot(n, n) }
    }

    proptest! {
        /// Every knot is a solution of its lasso, by the conditions that define one, and the path ends in least squares.
        #[test]
        fn every_knot_solves_its_lasso(
            n in 1_usize..7,
            values in prop::collection::vec(-1.0..1.0_f64, 8 * 30),
        ) {
            let weighted = random(n, &values);
            let mut path = Path::new(&weighted);
            let mut steps = 0;
            while path.step() {
                steps += 1;
                prop_assert!(steps < 100);
                for p in 0..n {
                    let fitted: f64 = (0..n).map(|q| weighted.product(p, q) * path.coefficients[q]).sum();
                    let slope = weighted.with_target[p] - fitted;
                    prop_assert!((slope - path.slopes[p]).abs() < 1e-9);
                    prop_assert!(slope.abs() <= path.level + 1e-9);
                    if path.coefficients[p].abs() > 1e-9 {
                        prop_assert!((slope - path.level * path.coefficients[p].signum()).abs() < 1e-9);
                    }
                }
            }
            prop_assert!(path.slopes.iter().all(|s| s.abs() < 1e-9));
        }
    }

    #[test]
    fn copies_are_barred() {
        let x = [0.3, -0.2, 0.9, -0.5, 0.1, 0.4];
        let values: Vec<f64> =
            x.iter().zip([1.0, 0.0, 2.0, 0.5, -1.0, 0.3]).flat_map(|(&x, e)| [x, x, x + e]).collect();
        let weighted = random(2, &values);
        let coefficients = weighted.best_on_path(false, 0.0, 1e-3, 0.0);
        assert!(coefficients[0] != 0.0 && coefficients[1] == 0.0);
    }

    #[test]
    fn a_high_price_empties_the_model() {
        let values: Vec<f64> = (0..90).map(|k| f64::from(k * k % 17) - 8.0).collect();
        assert!(random(2, &values).best_on_path(true, 0.0, 1.0, 1e9).iter().all(|&b| b == 0.0));
    }
}
