//! Fitting one network: proximal gradient steps until the objective settles.

use super::kernel::Kernel;
use super::network::{Network, sum_of_squares};
use super::penalty::Groups;
use crate::error::Result;
use crate::parallel::Monitor;

/// Steps between two looks at the objective.
const CHECK: usize = 25;
/// Looks in a row that must find the objective settled.
const PATIENCE: usize = 5;
/// How often the learning rate may be halved.
const HALVINGS: usize = 10;

/// How the objective is weighed and approached.
#[derive(Debug, Clone, Copy)]
pub struct Training {
    /// Factor of the sparsity penalty.
    pub lam: f64,
    /// Factor of the squares of outgoing weights and of weights of required columns.
    pub ridge: f64,
    /// Learning rate, before any halving.
    pub lr: f64,
    /// Relative change of the objective between two looks that counts as settled.
    pub tol: f64,
    pub max_iter: usize,
}

/// Why the steps ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Converged,
    /// `max_iter` came first.
    NotConverged,
    /// The objective would not stay finite or fall at any learning rate.
    Numeric,
}

/// A fitted network.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Norm of the weights of every column.
    pub norms: Vec<f64>,
    pub end: End,
    pub iterations: usize,
    /// Objective at the start and at the end.
    pub objective: [f64; 2],
    /// Share of the target's variance that the network explains.
    pub r2: f64,
}

/// The data and the objective of one target.
pub struct Problem<'a> {
    pub z: &'a [f32],
    pub y: &'a [f32],
    pub n_rows: usize,
    pub groups: &'a Groups,
    /// Columns that only the ridge holds.
    pub required: &'a [usize],
    pub training: Training,
    pub kernel: Kernel,
}

impl Problem<'_> {
    /// Steps from `network` on.
    pub fn solve(&self, mut network: Network, monitor: &Monitor) -> Result<Fit> {
        let Training { tol, max_iter, .. } = self.training;
        let mut gradient = Network::zeros(network.columns(), network.units());
        let mut lr = self.training.lr;
        let (mut calm, mut halvings) = (0, 0);
        let (mut safe, mut safe_loss) = (network.clone(), 0.0);
        let mut objective: Option<[f64; 2]> = None;
        let mut end = End::NotConverged;
        let mut iterations = 0;
        loop {
            monitor.check()?;
            let loss = self.loss(&network, &mut gradient);
            if iterations % CHECK == 0 || iterations == max_iter {
                let now = loss + self.cost(&network);
                let before = objective.map_or(f64::INFINITY, |[_, last]| last);
                if now.is_finite() && (before.is_infinite() || now <= before * (1.0 + tol)) {
                    let settled = before - now <= tol * before * lr / self.training.lr;
                    calm = if settled && before.is_finite() { calm + 1 } else { 0 };
                    objective = Some([objective.map_or(now, |[first, _]| first), now]);
                    (safe, safe_loss) = (network.clone(), loss);
                } else {
                    // Too long steps: back to the last good point with shorter ones.
                    (lr, halvings, calm) = (lr / 2.0, halvings + 1, 0);
                    network = safe.clone();
                    self.loss(&network, &mut gradient);
                }
                if calm == PATIENCE {
                    end = End::Converged;
                } else if halvings > HALVINGS {
                    end = End::Numeric;
                }
                if end != End::NotConverged || iterations == max_iter {
                    break;
                }
            }
            self.step(&mut network, &mut gradient, lr);
            iterations += 1;
            if iterations % CHECK == 0 {
                self.balance(&mut network);
            }
        }
        let norms = (0..safe.columns()).map(|k| safe.square(k).sqrt()).collect();
        let objective = objective.unwrap_or([f64::NAN; 2]);
        Ok(Fit { norms, end, iterations, objective, r2: 1.0 - safe_loss / self.variance() })
    }

    /// Mean squared error, and its gradient.
    fn loss(&self, network: &Network, gradient: &mut Network) -> f64 {
        gradient.clear();
        self.kernel.pass(self.z, self.y, self.n_rows, network, gradient) / self.n_rows as f64
    }

    /// What the objective adds to the error.
    fn cost(&self, network: &Network) -> f64 {
        let required: f64 = self.required.iter().map(|&k| network.square(k)).sum();
        let ridge = self.training.ridge * (sum_of_squares(&network.outgoing) + required);
        self.training.lam * self.groups.value(network) + ridge
    }

    /// One step down the gradient of the smooth part, one proximal step for the rest.
    fn step(&self, network: &mut Network, gradient: &mut Network, lr: f64) {
        let decay = (1.0 - 2.0 * lr * self.training.ridge) as f32;
        network.outgoing.iter_mut().for_each(|v| *v *= decay);
        for &k in self.required {
            network.column_mut(k).iter_mut().for_each(|w| *w *= decay);
        }
        network.add((-lr / self.n_rows as f64) as f32, gradient);
        self.groups.shrink(network, lr * self.training.lam);
    }

    /// Move along the scalings that leave the network's output alone to where the cost is least.
    ///
    /// Steps get there too, but slowly, and zeros come late.
    fn balance(&self, network: &mut Network) {
        let sparse = self.training.lam * self.groups.value(network);
        let required = self.training.ridge * self.required.iter().map(|&k| network.square(k)).sum::<f64>();
        let outgoing = self.training.ridge * sum_of_squares(&network.outgoing);
        if outgoing > 0.0 && sparse + required > 0.0 && (sparse + required + outgoing).is_finite() {
            network.rescale(balance(sparse, required, outgoing) as f32);
        }
    }

    fn variance(&self) -> f64 {
        let y = || self.y[..self.n_rows].iter().map(|&y| f64::from(y));
        let n = self.n_rows as f64;
        let mean = y().sum::<f64>() / n;
        y().map(|y| (y - mean).powi(2)).sum::<f64>() / n
    }
}

/// The factor s > 0 at which `a s + b s^2 + c / s^2` is least.
fn balance(a: f64, b: f64, c: f64) -> f64 {
    let slope = |s: f64| a + 2.0 * b * s - 2.0 * c / s.powi(3);
    let (mut low, mut high) = (-20.0_f64, 20.0_f64);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if slope(middle.exp2()) > 0.0 { high = middle } else { low = middle }
    }
    f64::midpoint(low, high).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ngc::columns::Column;
    use crate::ngc::kernel::{ROWS, best};
    use crate::ngc::penalty::Penalty;
    use crate::ngc::stream::Stream;

    const N_ROWS: usize = 200;
    const TRAINING: Training = Training { lam: 0.05, ridge: 0.01, lr: 0.05, tol: 1e-4, max_iter: 5000 };

    /// Three columns of noise, the target the first of them, bent, and noise.
    fn fit(training: Training, required: &[usize]) -> Fit {
        let mut stream = Stream::new(2, &[]);
        let z: Vec<f32> = (0..3 * N_ROWS).map(|_| stream.uniform(1.7)).collect();
        let first = (0..N_ROWS).map(|r| z[r / ROWS * 3 * ROWS + r % ROWS]);
        let y: Vec<f32> = first.map(|x| x.abs() + 0.5 * x + stream.uniform(0.3)).collect();
        let columns = [0, 1, 2].map(|k| Column { source: k, lag: 1, required: required.contains(&k) });
        let problem = Problem {
            z: &z,
            y: &y,
            n_rows: N_ROWS,
            groups: &Groups::new(Penalty::Group, &columns),
            required,
            training,
            kernel: best(),
        };
        problem.solve(Network::random(1, 1, &[(0, 1), (1, 1), (2, 1)], 8), &Monitor::default()).unwrap()
    }

    #[test]
    fn noise_is_switched_off_and_the_objective_falls() {
        let fit = fit(Training { lam: 0.2, ..TRAINING }, &[]);
        assert_eq!(fit.end, End::Converged);
        assert!(fit.norms[0] > 0.1 && fit.norms[1..] == [0.0, 0.0], "{:?}", fit.norms);
        assert!(fit.objective[1] < fit.objective[0] && fit.r2 > 0.5);
    }

    #[test]
    fn a_required_column_is_never_switched_off() {
        let fit = fit(Training { lam: 0.2, ..TRAINING }, &[1]);
        assert!(fit.norms[1] > 0.0 && fit.norms[2] == 0.0, "{:?}", fit.norms);
    }

    #[test]
    fn steps_that_are_too_long_are_taken_back_and_halved() {
        // Without that they would run away: the curvature is far above 2 / lr.
        let hasty = fit(Training { lr: 50.0, ..TRAINING }, &[]);
        assert_eq!(hasty.end, End::Converged);
        assert!(hasty.objective[1] < hasty.objective[0], "{:?}", hasty.objective);
    }

    #[test]
    fn hopeless_steps_and_lack_of_time_are_said() {
        assert_eq!(fit(Training { lr: 1e30, ..TRAINING }, &[]).end, End::Numeric);
        let short = fit(Training { max_iter: 30, ..TRAINING }, &[]);
        assert_eq!((short.end, short.iterations), (End::NotConverged, 30));
    }

    #[test]
    fn the_balance_is_where_the_cost_is_least() {
        for [a, b, c] in [[1.0, 0.0, 2.0], [0.3, 2.0, 0.1], [0.0, 1.0, 16.0]] {
            let cost = |s: f64| a * s + b * s * s + c / (s * s);
            let s = balance(a, b, c);
            assert!(cost(s) <= cost(s * 1.001) && cost(s) <= cost(s / 1.001));
        }
    }

    #[test]
    fn balancing_lowers_the_cost_and_keeps_the_output() {
        let columns = [0, 1].map(|k| Column { source: k, lag: 1, required: k == 1 });
        let mut stream = Stream::new(5, &[]);
        let z: Vec<f32> = (0..2 * ROWS).map(|_| stream.uniform(1.0)).collect();
        let y = [1.0; ROWS];
        let groups = Groups::new(Penalty::SparseGroup, &columns);
        let problem =
            Problem { z: &z, y: &y, n_rows: ROWS, groups: &groups, required: &[1], training: TRAINING, kernel: best() };
        let mut network = Network::random(1, 1, &[(0, 1), (1, 1)], 8);
        let mut gradient = Network::zeros(2, 8);
        let (loss, cost) = (problem.loss(&network, &mut gradient), problem.cost(&network));
        problem.balance(&mut network);
        assert!(problem.cost(&network) < cost);
        assert!((problem.loss(&network, &mut gradient) / loss - 1.0).abs() < 1e-5);
    }
}
