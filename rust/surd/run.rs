//! A whole run: bins, then every target alone.

use std::slice;

use rayon::prelude::*;

use super::bins::{Binning, Bins};
use super::counts::Target;
use super::lattice::{Agent, MOST_AGENTS, Question, n_sets, sets, specific};
use super::logs::{Logs, ONE_BIT};
use super::significance::p_value;
use super::terms::{Credits, Sums, Term, split};
use crate::bits::kernel;
use crate::cov::Window;
use crate::error::{CoreError, Result};
use crate::parallel::{Monitor, threads};
use crate::pcmci::{Links, Node};
use crate::series::Series;

/// Shifts that meet the agents at once: joint states are found once for all of them.
const AT_ONCE: usize = 16;
/// Information that chance may add to the largest sets on average, in bits, when the order is chosen.
const CHANCE: f64 = 0.1;

/// What can be chosen.
#[derive(Debug, Clone)]
pub struct Options {
    pub bins: usize,
    pub binning: Binning,
    /// Largest sets of agents; `None`: as large as the rows allow, see [`Output::order`].
    pub order: Option<usize>,
    /// Subtract the expected excess of information counted from few samples.
    pub unbias: bool,
    /// Bytes that the information of all sets of a target may take.
    pub memory_budget: usize,
    pub n_jobs: usize,
}

/// Circular shifts of every target: how far its rows in each data set move, (N, shifts, data sets with rows).
#[derive(Debug, Clone, Copy)]
pub struct Shifts<'a> {
    pub by: &'a [u64],
    /// Shifts of a target.
    pub count: usize,
}

/// The parts of one target's information.
#[derive(Debug, Clone)]
pub struct Found {
    pub agents: Vec<Node>,
    /// Whether each agent has more than one state on the rows.
    pub varies: Vec<bool>,
    /// Entropy of the target, and what the most informative sets say about it, in bits.
    pub entropy: f64,
    pub information: f64,
    /// Bits that each agent is credited with.
    pub credits: Vec<f64>,
    /// p-value of every credit; empty without shifts.
    pub p: Vec<f64>,
    /// Terms with their bits; the agents of [`Term::agents`] are positions in [`Found::agents`].
    pub terms: Vec<(Term, f64)>,
}

/// What a run hands back, complete or stopped half-way.
#[derive(Debug, Clone)]
pub struct Output {
    pub n_rows: usize,
    /// Largest sets: the order asked for, or the largest k with `(s^k - 1)(s - 1) / (2 n ln 2) <= 0.1`, at least 1, for
    /// s states and n rows: the bits that chance adds on average to what k independent agents say.
    pub order: usize,
    /// Sets of agents that were looked at, shifts included.
    pub n_sets: usize,
    /// A target each; `None` where the run was stopped before.
    pub found: Vec<Option<Found>>,
}

/// Decompose what every target's linked agents say about it, on rows t >= `tau_max` of every data set.
pub fn run(series: &Series, links: &Links, shifts: Shifts, options: &Options, monitor: &Monitor) -> Result<Output> {
    if links.n_series() != series.n_series() {
        return Err(CoreError::invalid("links and data have different numbers of series"));
    }
    let window = Window::new(series, links.tau_max(), links.tau_max())?;
    if window.n_rows() == 0 {
        return Err(CoreError::invalid("no row is left"));
    }
    let bins = Bins::new(series, options.bins, options.binning)?;
    let order = options.order.unwrap_or_else(|| largest_order(bins.most(), window.n_rows()));
    if !(1..=20).contains(&order) {
        return Err(CoreError::invalid("sets have 1 to 20 agents"));
    }
    let run = Run { window: &window, bins: &bins, links, shifts, order, options, logs: Logs::up_to(window.n_rows()) };
    run.check()?;
    let found: Vec<_> =
        (0..series.n_series()).into_par_iter().map(|target| run.decompose(target, monitor).ok()).collect();
    let of_target = |found: &Found| n_sets(found.agents.len(), order) as usize * (1 + shifts.count);
    let n_sets = found.iter().flatten().map(of_target).sum();
    Ok(Output { n_rows: window.n_rows(), order, n_sets, found })
}

fn largest_order(n_states: usize, n_rows: usize) -> usize {
    let chance = |order: i32| {
        let s = n_states as f64;
        (s.powi(order) - 1.0) * (s - 1.0) / (2.0 * n_rows as f64 * std::f64::consts::LN_2)
    };
    (2..=20).take_while(|&order| chance(order) <= CHANCE).last().unwrap_or(1) as usize
}

struct Run<'a> {
    window: &'a Window<'a>,
    bins: &'a Bins,
    links: &'a Links<'a>,
    shifts: Shifts<'a>,
    order: usize,
    options: &'a Options,
    logs: Logs,
}

impl Run<'_> {
    fn check(&self) -> Result<()> {
        let (n, n_data_sets) = (self.links.n_series(), self.window.set_ends().len());
        if self.shifts.by.len() != n * self.shifts.count * n_data_sets {
            return Err(CoreError::invalid("shifts must have shape (N, shifts, data sets that have rows)"));
        }
        let most = (0..n).map(|target| self.links.into_target(target).count()).max().unwrap_or(0);
        if most > MOST_AGENTS {
            return Err(CoreError::invalid(format!("{most} agents: a target can have {MOST_AGENTS}")));
        }
        let per_set = 16 * self.bins.most() * AT_ONCE.min(1 + self.shifts.count) * threads(self.options.n_jobs).min(n);
        let bytes = n_sets(most, self.order) * per_set as u128;
        if bytes > self.options.memory_budget as u128 {
            return Err(CoreError::Memory(format!(
                "{} sets of up to {} of {most} agents take {bytes} bytes, more than {}",
                n_sets(most, self.order),
                self.order,
                self.options.memory_budget
            )));
        }
        Ok(())
    }

    fn decompose(&self, target: usize, monitor: &Monitor) -> Result<Found> {
        let agents: Vec<Node> = self.links.into_target(target).collect();
        let columns: Vec<Vec<u8>> = agents.iter().map(|x| self.column(x.series, x.lag)).collect();
        let pasts: Vec<Agent> = columns
            .iter()
            .zip(&agents)
            .map(|(states, x)| Agent { states, n_states: self.bins.count(x.series) })
            .collect();
        let Options { unbias, .. } = *self.options;
        let order = self.order.min(agents.len());
        let question = Question { agents: &pasts, order, logs: &self.logs, unbias, kernel: kernel::best() };
        let states = self.column(target, 0);
        let mut sums = Sums::default();
        let observed =
            self.credits(&question, target, slice::from_ref(&states), monitor, &mut |t| sums.add(t))?.remove(0);
        let p = self.p_values(&question, target, &states, &observed, monitor)?;
        monitor.step();
        let bits = |information: i128| information as f64 / (ONE_BIT as f64 * states.len() as f64);
        let terms: Vec<(Term, f64)> = sums.terms().into_iter().map(|t| (t, bits(t.information))).collect();
        Ok(Found {
            agents,
            varies: columns.iter().map(|c| varies(c)).collect(),
            entropy: bits(self.entropy(&states)),
            information: bits(terms.iter().map(|(t, _)| t.information).sum()),
            credits: observed.of().iter().map(|&c| bits(c) / observed.multiple() as f64).collect(),
            p,
            terms,
        })
    }

    /// States of a series `lag` samples before every row.
    fn column(&self, series: usize, lag: usize) -> Vec<u8> {
        let states = self.bins.of(series);
        self.window.rows().iter().flat_map(|rows| &states[rows.start - lag..rows.end - lag]).copied().collect()
    }

    /// Entropy of a column, times its rows.
    fn entropy(&self, states: &[u8]) -> i128 {
        let mut frequency = [0_usize; 256];
        for &y in states {
            frequency[usize::from(y)] += 1;
        }
        let part = |&n_y: &usize| n_y as i128 * i128::from(self.logs.of(states.len()) - self.logs.of(n_y));
        frequency.iter().filter(|&&n_y| n_y > 0).map(part).sum()
    }

    /// Credits of the agents for each version of the target; `see` is shown all parts.
    fn credits(
        &self,
        question: &Question,
        target: usize,
        versions: &[Vec<u8>],
        monitor: &Monitor,
        see: &mut impl FnMut(Term),
    ) -> Result<Vec<Credits>> {
        let n_states = self.bins.count(target);
        let targets: Vec<Target> = versions.iter().map(|states| Target::new(states.clone(), n_states)).collect();
        let found = specific(question, &targets, monitor)?;
        let sets = sets(question.agents.len(), question.order);
        let of_version = |k| {
            let mut credits = Credits::new(question.agents.len(), question.order);
            for y in 0..n_states {
                split(found.about(k, y), &sets, &mut |term| {
                    credits.add(term);
                    see(term);
                });
            }
            credits
        };
        Ok((0..versions.len()).map(of_version).collect())
    }

    /// A p-value for every agent's credit, from the shifts.
    fn p_values(
        &self,
        question: &Question,
        target: usize,
        states: &[u8],
        observed: &Credits,
        monitor: &Monitor,
    ) -> Result<Vec<f64>> {
        if self.shifts.count == 0 {
            return Ok(Vec::new());
        }
        let n_sets = self.window.set_ends().len();
        let by = &self.shifts.by[target * self.shifts.count * n_sets..][..self.shifts.count * n_sets];
        let mut shifted = vec![Vec::with_capacity(self.shifts.count); question.agents.len()];
        for some in by.chunks(AT_ONCE * n_sets) {
            let versions: Vec<Vec<u8>> = some.chunks(n_sets).map(|by| self.shifted(states, by)).collect();
            for credits in self.credits(question, target, &versions, monitor, &mut |_| ())? {
                shifted.iter_mut().zip(credits.of()).for_each(|(all, &credit)| all.push(credit));
            }
        }
        Ok(shifted.iter().zip(observed.of()).map(|(shifted, &observed)| p_value(observed, shifted)).collect())
    }

    /// The target's states with the rows of every data set moved around in a circle.
    fn shifted(&self, states: &[u8], by: &[u64]) -> Vec<u8> {
        let mut moved = states.to_vec();
        let mut rest = moved.as_mut_slice();
        let mut start = 0;
        for (&end, &by) in self.window.set_ends().iter().zip(by) {
            let (rows, later) = rest.split_at_mut(end - start);
            rows.rotate_left(by as usize % rows.len());
            (rest, start) = (later, end);
        }
        moved
    }
}

fn varies(states: &[u8]) -> bool {
    states.iter().any(|s| *s != states[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options { bins: 4, binning: Binning::Quantile, order: None, unbias: false, memory_budget: 1 << 20, n_jobs: 1 }
    }

    #[test]
    fn the_order_grows_with_the_rows() {
        for (states, rows, order) in [(4, 50, 1), (4, 300, 1), (4, 1000, 2), (4, 10_000, 4), (2, 1000, 7), (1, 5, 20)] {
            assert_eq!(largest_order(states, rows), order, "{states} states, {rows} rows");
        }
    }

    #[test]
    fn rows_of_each_data_set_move_on_their_own() {
        let x: Vec<f64> = (0..12).map(|t| f64::from(t % 3)).collect();
        let series = Series::new(&x, None, 1, 12, vec![0..7, 7..12]).unwrap();
        let window = Window::new(&series, 1, 1).unwrap();
        let bins = Bins::new(&series, 4, Binning::Quantile).unwrap();
        let links = Links::new(&[false, true], None, 1, 1).unwrap();
        let (shifts, logs) = (Shifts { by: &[], count: 0 }, Logs::up_to(10));
        let run = Run { window: &window, bins: &bins, links: &links, shifts, order: 1, options: &options(), logs };
        assert_eq!(run.column(0, 0), [1, 2, 0, 1, 2, 0, 2, 0, 1, 2]);
        assert_eq!(run.column(0, 1), [0, 1, 2, 0, 1, 2, 1, 2, 0, 1]);
        assert_eq!(run.shifted(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &[2, 1]), [2, 3, 4, 5, 0, 1, 7, 8, 9, 6]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let x: Vec<f64> = (0..20).map(|t| f64::from(t * 7 % 11)).collect();
        let series = Series::new(&x, None, 1, 20, vec![]).unwrap();
        let allowed = [false, true, true];
        let links = Links::new(&allowed, None, 1, 2).unwrap();
        let refuses = |options: &Options, by: &[u64]| {
            run(&series, &links, Shifts { by, count: 1 }, options, &Monitor::default()).is_err()
        };
        assert!(!refuses(&options(), &[3]));
        assert!(refuses(&options(), &[3, 4]));
        assert!(refuses(&Options { order: Some(0), ..options() }, &[3]));
        assert!(refuses(&Options { bins: 1, ..options() }, &[3]));
        assert!(refuses(&Options { memory_budget: 10, ..options() }, &[3]));
    }
}
