//! From the information of every set of agents to redundant, unique and synergistic parts.

use std::collections::BTreeMap;

/// What a part of the information is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// All agents of the set say it, each alone (of one agent: unique).
    Redundant,
    /// The set says it, no smaller one does.
    Synergistic,
}

/// A part of the information: its kind, the agents as bits of a word, and how much it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    pub kind: Kind,
    pub agents: u64,
    pub information: i128,
}

/// Split what the sets say about one state of the target, and hand the parts to `give`.
///
/// Sets that say less than some smaller set add nothing. The others are walked from the least informative to the most
/// (ties: smaller sets first, then lexicographically), and each says the increment over the one before: a single agent
/// together with all single agents still to come, which all say as much; a larger set as synergy.
pub fn split(information: &[i128], sets: &[u64], give: &mut impl FnMut(Term)) {
    let mut order: Vec<(i128, u32, usize)> =
        information.iter().zip(sets).enumerate().map(|(at, (&i, set))| (i, set.count_ones(), at)).collect();
    let best = best_of_smaller(&order);
    order.retain(|&(i, size, _)| i >= best[size as usize]);
    order.sort_unstable();
    let mut left = sets.iter().fold(0, |all, set| all | set);
    let mut below = 0;
    for (i, size, at) in order {
        let (kind, agents) = if size == 1 { (Kind::Redundant, left) } else { (Kind::Synergistic, sets[at]) };
        if i > below {
            give(Term { kind, agents, information: i - below });
            below = i;
        }
        if size == 1 {
            left &= !sets[at];
        }
    }
}

/// The most that any set smaller than a size says, by size.
fn best_of_smaller(sets: &[(i128, u32, usize)]) -> Vec<i128> {
    let largest = sets.iter().map(|s| s.1 as usize).max().unwrap_or(0);
    let mut best = vec![0; largest + 2];
    for &(i, size, _) in sets {
        let above = &mut best[size as usize + 1];
        *above = i.max(*above);
    }
    for size in 1..best.len() {
        best[size] = best[size].max(best[size - 1]);
    }
    best
}

/// Terms of one kind and set, added up.
#[derive(Debug, Default)]
pub struct Sums(BTreeMap<(Kind, u64), i128>);

impl Sums {
    /// Add a part.
    pub fn add(&mut self, term: Term) {
        *self.0.entry((term.kind, term.agents)).or_default() += term.information;
    }

    /// The sums: redundant and unique ones, then synergies.
    pub fn terms(&self) -> Vec<Term> {
        self.0.iter().map(|(&(kind, agents), &information)| Term { kind, agents, information }).collect()
    }
}

/// What each agent is credited with: its unique information and an equal share of every synergy it takes part in.
///
/// Credits are kept times the least common multiple of all set sizes, so that shares are whole numbers.
#[derive(Debug, Clone)]
pub struct Credits {
    of: Vec<i128>,
    multiple: i128,
}

impl Credits {
    /// No credit yet for `n_agents` agents in sets of up to `order`.
    pub fn new(n_agents: usize, order: usize) -> Self {
        let multiple = (2..=order as i128).fold(1, |m, k| m / greatest_common_divisor(m, k) * k);
        Self { of: vec![0; n_agents], multiple }
    }

    /// Credit a part to those it belongs to; nobody owns redundancy.
    pub fn add(&mut self, term: Term) {
        let size = i128::from(term.agents.count_ones());
        if term.kind == Kind::Redundant && size > 1 {
            return;
        }
        let share = term.information * (self.multiple / size);
        let members = self.of.iter_mut().enumerate().filter(|(a, _)| term.agents >> a & 1 == 1);
        members.for_each(|(_, credit)| *credit += share);
    }

    /// Every agent's credit, times [`Credits::multiple`].
    pub fn of(&self) -> &[i128] {
        &self.of
    }

    /// What credits are multiplied with.
    pub fn multiple(&self) -> i128 {
        self.multiple
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lattice::sets;
    use super::*;

    fn terms_of(information: &[i128], sets: &[u64]) -> Vec<Term> {
        let mut terms = Vec::new();
        split(information, sets, &mut |term| terms.push(term));
        terms
    }

    proptest! {
        #[test]
        fn parts_are_positive_and_add_up_to_the_most_informative_set(
            n in 1_usize..6, order in 1_usize..5, information in prop::collection::vec(0_i128..20, 31),
        ) {
            let sets = sets(n, order);
            let terms = terms_of(&information[..sets.len()], &sets);
            prop_assert!(terms.iter().all(|t| t.information > 0 && t.agents < 1 << n));
            let total: i128 = terms.iter().map(|t| t.information).sum();
            prop_assert_eq!(total, *information[..sets.len()].iter().max().unwrap());
        }
    }

    #[test]
    fn the_walk_by_hand() {
        // Sets {0}, {0, 1}, {0, 1, 2}, {0, 2}, {1}, {1, 2}, {2}; the pair {1, 2} says less than {0} and adds nothing.
        let terms = terms_of(&[5, 9, 12, 9, 2, 4, 2], &sets(3, 3));
        let term = |kind, agents, information| Term { kind, agents, information };
        let expected = [
            term(Kind::Redundant, 0b111, 2),
            term(Kind::Redundant, 0b001, 3),
            term(Kind::Synergistic, 0b011, 4),
            term(Kind::Synergistic, 0b111, 3),
        ];
        assert_eq!(terms, expected);
        let mut credits = Credits::new(3, 3);
        for term in terms {
            credits.add(term);
        }
        assert_eq!((credits.multiple(), credits.of()), (6, &[18 + 12 + 6, 12 + 6, 6][..]));
    }
}
