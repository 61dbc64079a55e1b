//! One round of `DirectLiNGAM`: which of some variables looks least like an effect of the others.
//!
//! A variable's score is the sum over the others of min(0, D)^2, D the difference of the likelihoods of "causes it" and
//! "is caused by it". Terms are not negative, so that a variable drops out as soon as those known add up to more than the
//! whole score of another one: most pairs are never compared.

use rayon::prelude::*;

use crate::error::Result;
use crate::parallel::Monitor;

/// The variables of a round and what has been compared.
pub struct Round {
    /// Entropy of every variable.
    own: Vec<f64>,
    /// Positions of those that may be chosen, ascending.
    allowed: Vec<usize>,
    /// Of variable p with q, row by row.
    pairs: Vec<Option<Pair>>,
}

/// What each of two variables leaves of the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pair {
    /// Entropy of what the second leaves of the first, and of what the first leaves of the second.
    Left([f64; 2]),
    /// Nothing: they are the same but for their scale, and have no direction.
    Same,
}

impl Pair {
    fn swapped(self) -> Self {
        match self {
            Self::Left([first, second]) => Self::Left([second, first]),
            Self::Same => Self::Same,
        }
    }
}

impl Round {
    /// A round in which nothing has been compared.
    pub fn new(own: Vec<f64>, allowed: Vec<usize>) -> Self {
        let pairs = vec![None; own.len() * own.len()];
        Self { own, allowed, pairs }
    }

    /// The allowed variable with the smallest score, the first of several; `None` if none is allowed.
    pub fn least(&mut self, compare: impl Fn(usize, usize) -> Pair + Sync, monitor: &Monitor) -> Result<Option<usize>> {
        loop {
            let (complete, rest): (Vec<usize>, Vec<usize>) = self.allowed.iter().partition(|&&p| self.is_complete(p));
            let least = |of: Vec<usize>| of.into_iter().map(|p| (self.score(p), p)).min_by(|a, b| a.0.total_cmp(&b.0));
            match (least(complete), least(rest)) {
                (best, None) => return Ok(best.map(|(_, p)| p)),
                (Some(best), Some(rival)) if best < rival => return Ok(Some(best.1)),
                (_, Some((_, p))) => self.complete(p, &compare, monitor)?,
            }
        }
    }

    /// Compare a variable with all others. One by one it might drop out sooner, but threads would have nothing to share.
    fn complete(
        &mut self,
        p: usize,
        compare: &(impl Fn(usize, usize) -> Pair + Sync),
        monitor: &Monitor,
    ) -> Result<()> {
        let n = self.own.len();
        let others: Vec<usize> = (0..n).filter(|&q| q != p && self.pairs[p * n + q].is_none()).collect();
        let compare = |&q: &usize| monitor.check().map(|()| compare(p, q));
        let found: Vec<Pair> = others.par_iter().map(compare).collect::<Result<_>>()?;
        for (q, pair) in others.into_iter().zip(found) {
            self.pairs[p * n + q] = Some(pair);
            self.pairs[q * n + p] = Some(pair.swapped());
        }
        Ok(())
    }

    fn is_complete(&self, p: usize) -> bool {
        let n = self.own.len();
        self.pairs[p * n..][..n].iter().flatten().count() + 1 == n
    }

    /// The score, from what is known; added up in the order of the others, so that it grows with what is known.
    pub fn score(&self, p: usize) -> f64 {
        let n = self.own.len();
        let difference = |(q, pair): (usize, &Option<Pair>)| {
            let of_residuals = match (*pair)? {
                Pair::Left([of_p, of_q]) => of_p - of_q,
                Pair::Same => 0.0,
            };
            Some(self.own[q] - self.own[p] + of_residuals)
        };
        let known = self.pairs[p * n..][..n].iter().enumerate().filter_map(difference);
        known.map(|d| d.min(0.0).powi(2)).sum()
    }

    /// Entropy of what `q` leaves of `p`, if they were compared and it leaves anything.
    pub fn left(&self, p: usize, q: usize) -> Option<f64> {
        match self.pairs[p * self.own.len() + q] {
            Some(Pair::Left([of_p, _])) => Some(of_p),
            _ => None,
        }
    }

    /// Pairs that were compared.
    pub fn n_pairs(&self) -> usize {
        self.pairs.iter().flatten().count() / 2
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: all scores, the first of the smallest.
    fn exhaustive(own: &[f64], allowed: &[usize], left: impl Fn(usize, usize) -> f64) -> Option<usize> {
        let d = |p: usize, q: usize| own[q] - own[p] + left(p, q) - left(q, p);
        let score = |p: usize| -> f64 { (0..own.len()).filter(|&q| q != p).map(|q| d(p, q).min(0.0).powi(2)).sum() };
        allowed.iter().copied().min_by(|&p, &q| score(p).total_cmp(&score(q)))
    }

    proptest! {
        /// Whole numbers make ties frequent.
        #[test]
        fn no_pair_that_is_left_out_would_have_mattered(
            own in prop::collection::vec(-2..3_i32, 1..9),
            residuals in prop::collection::vec(-3..4_i32, 81),
            chosen in any::<u16>(),
        ) {
            let own: Vec<f64> = own.into_iter().map(f64::from).collect();
            let allowed: Vec<usize> = (0..own.len()).filter(|p| chosen >> p & 1 == 1).collect();
            let left = |p: usize, q: usize| f64::from(residuals[p * 9 + q]);
            // Pairs without a direction are like those whose residuals are equally likely.
            let pair = |p: usize, q: usize| match [left(p, q), left(q, p)] {
                [a, b] if a == b => Pair::Same,
                both => Pair::Left(both),
            };
            let mut round = Round::new(own.clone(), allowed.clone());
            let found = round.least(pair, &Monitor::default()).unwrap();
            prop_assert_eq!(found, exhaustive(&own, &allowed, left));
            prop_assert!(round.n_pairs() <= own.len() * (own.len() - 1) / 2);
        }
    }

    #[test]
    fn one_clear_cause_is_compared_with_each_of_the_others_and_nothing_else() {
        let pair = |p: usize, q: usize| Pair::Left([q as f64, p as f64]);
        let mut round = Round::new(vec![0.0; 6], (0..6).collect());
        assert_eq!(round.least(pair, &Monitor::default()), Ok(Some(0)));
        assert_eq!((round.score(0), round.n_pairs()), (0.0, 5));
        assert_eq!([round.left(3, 0), round.left(0, 3), round.left(3, 4)], [Some(0.0), Some(3.0), None]);
    }
}
