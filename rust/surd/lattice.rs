//! Every set of up to `order` agents, and what it says about each state of the target.

use super::counts::{Joint, Target};
use super::logs::{Logs, ONE_BIT};
use crate::bits::kernel::Kernel;
use crate::error::Result;
use crate::parallel::Monitor;

/// Sets of agents are bits of a word.
pub const MOST_AGENTS: usize = 64;

/// A past variable: its state on every row.
#[derive(Debug, Clone, Copy)]
pub struct Agent<'a> {
    pub states: &'a [u8],
    /// All states are below this.
    pub n_states: usize,
}

/// The sets of 1 to `order` of `n` agents, each as a word of bits, lexicographically: {0}, {0, 1}, {0, 1, 2}, {0, 2}, {1}, ...
pub fn sets(n: usize, order: usize) -> Vec<u64> {
    fn extend(set: u64, next: usize, n: usize, order: usize, sets: &mut Vec<u64>) {
        for agent in next..n {
            let larger = set | 1 << agent;
            sets.push(larger);
            if order > 1 {
                extend(larger, agent + 1, n, order - 1, sets);
            }
        }
    }
    let mut all = Vec::new();
    extend(0, 0, n, order, &mut all);
    all
}

/// How many [`sets`] there are.
pub fn n_sets(n: usize, order: usize) -> u128 {
    let mut of_size = 1_u128;
    let mut total = 0_u128;
    for k in 1..=order.min(n) {
        of_size = of_size * (n - k + 1) as u128 / k as u128;
        total += of_size;
    }
    total
}

/// What the sets are asked about, and how counts become information.
pub struct Question<'a> {
    pub agents: &'a [Agent<'a>],
    pub order: usize,
    pub logs: &'a Logs,
    /// Subtract the expected excess of information counted from few samples (Miller and Madow).
    pub unbias: bool,
    pub kernel: Kernel,
}

/// Information of every set about every state of every target.
///
/// The specific information of agents C about the state y is `i(y; C) = sum_c p(c | y) log2(p(y | c) / p(y))`, the
/// divergence of p(C | y) from p(C). It is kept times the number of rows with y, in units of [`ONE_BIT`].
pub struct Specific {
    information: Vec<i128>,
    n_sets: usize,
    n_target_states: usize,
}

impl Specific {
    /// Information of all sets, in the order of [`sets`], about state `y` of target `k`.
    pub fn about(&self, k: usize, y: usize) -> &[i128] {
        &self.information[(k * self.n_target_states + y) * self.n_sets..][..self.n_sets]
    }
}

/// Walk the sets depth first; each extends the joint states of the set before it. The targets are one series shifted in
/// several ways, so that their states are equally frequent.
pub fn specific(question: &Question, targets: &[Target], monitor: &Monitor) -> Result<Specific> {
    let [agents, order] = [question.agents.len(), question.order];
    let n_sets = n_sets(agents, order) as usize;
    let n_target_states = targets[0].n_states();
    let information = vec![0; targets.len() * n_target_states * n_sets];
    let mut walk = Walk {
        question,
        targets,
        monitor,
        found: Specific { information, n_sets, n_target_states },
        at: 0,
        table: Vec::new(),
        rank: Vec::new(),
    };
    walk.extend(&vec![0; targets[0].n_rows()], 1, 0, order)?;
    Ok(walk.found)
}

struct Walk<'a> {
    question: &'a Question<'a>,
    targets: &'a [Target],
    monitor: &'a Monitor,
    found: Specific,
    /// Sets visited so far.
    at: usize,
    table: Vec<u32>,
    rank: Vec<u32>,
}

impl Walk<'_> {
    /// Visit every set that adds agents from `next` on, at most `order` of them, to one with these joint states.
    fn extend(&mut self, joint: &[u32], n_joint: usize, next: usize, order: usize) -> Result<()> {
        for a in next..self.question.agents.len() {
            self.monitor.check()?;
            let (states, n_states) = self.joined(joint, n_joint, self.question.agents[a]);
            self.visit(&states, n_states);
            if order > 1 {
                self.extend(&states, n_states, a + 1, order - 1)?;
            }
        }
        Ok(())
    }

    /// Joint states with one more agent, numbered from 0 as they appear.
    fn joined(&mut self, joint: &[u32], n_joint: usize, agent: Agent) -> (Vec<u32>, usize) {
        self.rank.clear();
        self.rank.resize(n_joint * agent.n_states, u32::MAX);
        let mut n_states = 0;
        let number = |(&id, &state): (&u32, &u8)| {
            let rank = &mut self.rank[id as usize * agent.n_states + usize::from(state)];
            if *rank == u32::MAX {
                *rank = n_states;
                n_states += 1;
            }
            *rank
        };
        let states = joint.iter().zip(agent.states).map(number).collect();
        (states, n_states as usize)
    }

    /// Enter the information of the set with these joint states.
    fn visit(&mut self, states: &[u32], n_states: usize) {
        let mut frequency = vec![0_usize; n_states];
        for &c in states {
            frequency[c as usize] += 1;
        }
        let Question { logs, unbias, kernel, .. } = *self.question;
        let of_frequency: Vec<i64> = frequency.iter().map(|&n| logs.of(n)).collect();
        let joint = Joint::new(states, n_states, self.found.n_target_states, kernel);
        for (k, target) in self.targets.iter().enumerate() {
            joint.count(target, &mut self.table);
            for (y, counts) in self.table.chunks_exact(n_states).enumerate() {
                let mut information = divergence(counts, &of_frequency, states.len(), logs);
                if unbias {
                    information -= excess(counts, n_states, states.len());
                }
                let slot = (k * self.found.n_target_states + y) * self.found.n_sets + self.at;
                // Rounded logarithms may leave a trace below zero.
                self.found.information[slot] = information.max(0);
            }
        }
        self.at += 1;
    }
}

/// `sum_c n_cy log(n_cy n / (n_c n_y))`, given the logarithms of the `n_c`.
fn divergence(counts: &[u32], of_frequency: &[i64], n: usize, logs: &Logs) -> i128 {
    let mut n_y = 0;
    let mut sum = 0;
    for (&count, of_c) in counts.iter().zip(of_frequency).filter(|&(&count, _)| count > 0) {
        n_y += count;
        sum += times(count, logs.of(count as usize) - of_c);
    }
    if n_y == 0 { 0 } else { sum + times(n_y, logs.of(n) - logs.of(n_y as usize)) }
}

/// A whole number of logarithms; it may need more than 64 bits.
fn times(count: u32, log: i64) -> i128 {
    i128::from(count) * i128::from(log)
}

/// What [`divergence`] is expected to exceed the true value by, to first order in 1/n: one degree of freedom for every
/// state c seen with y, less the share of y in those of all states.
fn excess(counts: &[u32], n_states: usize, n: usize) -> i128 {
    let half_nat = (ONE_BIT as f64 / (2.0 * std::f64::consts::LN_2)).round() as i128;
    let n_y: i128 = counts.iter().copied().map(i128::from).sum();
    let seen = counts.iter().filter(|&&count| count > 0).count();
    let own = seen.saturating_sub(1) as i128 * half_nat;
    own - n_y * (n_states - 1) as i128 * half_nat / n as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_lexicographically_and_are_counted() {
        assert_eq!(sets(3, 3), [0b1, 0b11, 0b111, 0b101, 0b10, 0b110, 0b100]);
        assert_eq!(sets(3, 1), [1, 2, 4]);
        for (n, order) in [(0, 2), (1, 1), (5, 2), (7, 7), (4, 9)] {
            assert_eq!(n_sets(n, order), sets(n, order).len() as u128);
        }
        assert!(n_sets(64, 20) > 1 << 54);
    }

    #[test]
    fn an_xor_is_seen_by_the_pair_only() {
        let (a, b) = ([0, 0, 1, 1], [0, 1, 0, 1]);
        let agents = [a, b].map(|states| states.repeat(3));
        let agents: Vec<Agent> = agents.iter().map(|states| Agent { states, n_states: 2 }).collect();
        let target = Target::new([0, 1, 1, 0].repeat(3), 2);
        let logs = Logs::up_to(12);
        let kernel = crate::bits::kernel::best();
        let question = Question { agents: &agents, order: 2, logs: &logs, unbias: false, kernel };
        let found = specific(&question, &[target], &Monitor::default()).unwrap();
        let six_bits = 6 * i128::from(ONE_BIT);
        assert_eq!(found.about(0, 0), [0, six_bits, 0]);
        assert_eq!(found.about(0, 1), [0, six_bits, 0]);
    }
}
