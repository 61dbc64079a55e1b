//! One sorted series, from which mid-ranks, medians and the ranks of distances from the median follow without
//! sorting again.

/// The usable samples of one series in ascending order of value.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// Sample indices, smallest value first.
    order: Vec<u32>,
    /// The values in that order.
    values: Vec<f64>,
}

/// Samples of one value: where they stand in the order (`first..last`, counted from 0).
#[derive(Debug, Clone, Copy)]
pub struct Tie<'a> {
    pub samples: &'a [u32],
    first: usize,
    last: usize,
}

impl Tie<'_> {
    /// Twice the mid-rank (ranks count from 1), an integer.
    pub fn twice_mid_rank(&self) -> usize {
        self.first + 1 + self.last
    }
}

impl Ranking {
    /// Sort `samples` of `values`.
    pub fn new(values: &[f64], samples: impl Iterator<Item = usize>) -> Self {
        let mut pairs: Vec<(f64, u32)> = samples.map(|t| (values[t], t as u32)).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Self { order: pairs.iter().map(|p| p.1).collect(), values: pairs.iter().map(|p| p.0).collect() }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Sample indices, smallest value first.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Values in ascending order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The mean of the two middle values; of no use without a sample.
    pub fn median(&self) -> f64 {
        let (lower, upper) = (self.values[(self.len() - 1) / 2], self.values[self.len() / 2]);
        0.5 * lower + 0.5 * upper
    }

    /// Groups of equal values, in ascending order.
    pub fn ties(&self) -> impl Iterator<Item = Tie<'_>> {
        let mut first = 0;
        self.values.chunk_by(|a, b| a == b).map(move |group| {
            let last = first + group.len();
            let tie = Tie { samples: &self.order[first..last], first, last };
            first = last;
            tie
        })
    }

    /// The same samples ranked by their distance from `centre`, no distance above `limit`: the two sides of the
    /// centre are sorted already and only have to be merged.
    pub fn folded(&self, centre: f64, limit: f64) -> Self {
        let distance = |k: usize| (self.values[k] - centre).abs().min(limit);
        let (mut below, mut above) = {
            let split = self.values.partition_point(|&x| x < centre);
            (split, split)
        };
        let (mut order, mut values) = (Vec::with_capacity(self.len()), Vec::with_capacity(self.len()));
        while order.len() < self.len() {
            let take_below = below > 0 && (above == self.len() || distance(below - 1) <= distance(above));
            let k = if take_below { below - 1 } else { above };
            if take_below {
                below -= 1;
            } else {
                above += 1;
            }
            order.push(self.order[k]);
            values.push(distance(k));
        }
        Self { order, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(values: &[f64]) -> Ranking {
        Ranking::new(values, 0..values.len())
    }

    #[test]
    fn mid_ranks_share_ties() {
        let r = ranking(&[3.0, -0.0, 3.0, 0.0, 7.0]);
        let found: Vec<_> = r.ties().map(|g| (g.twice_mid_rank(), g.samples.len())).collect();
        assert_eq!(found, [(3, 2), (7, 2), (10, 1)]);
        assert_eq!(r.median(), 3.0);
    }

    #[test]
    fn folding_equals_sorting_the_distances() {
        let x: Vec<f64> = (0..97).map(|t| f64::from(t * t % 31) / 4.0).collect();
        let r = ranking(&x);
        let (m, limit) = (r.median(), 3.0);
        let folded = r.folded(m, limit);
        let mut expected: Vec<f64> = x.iter().map(|x| (x - m).abs().min(limit)).collect();
        expected.sort_by(f64::total_cmp);
        assert_eq!(folded.values(), expected);
        for (&t, &v) in folded.order().iter().zip(folded.values()) {
            assert_eq!((x[t as usize] - m).abs().min(limit), v);
        }
    }

    #[test]
    fn only_the_given_samples_are_ranked() {
        assert_eq!(Ranking::new(&[5.0, 1.0, 9.0, 4.0], [0, 1, 3].into_iter()).order(), [1, 3, 0]);
    }
}
