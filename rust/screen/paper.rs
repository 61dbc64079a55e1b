//! `paper`: ARROW's own rule on trend codes, the baseline.

use std::ops::RangeInclusive;

use super::{Link, Problem, TargetCandidates};
use crate::error::Result;
use crate::lags::{Measure, search};
use crate::parallel::Monitor;
use crate::weave::{Code, encode};

/// Agreement above which a pair is kept.
const THRESHOLD: f64 = 0.33;
const TREND_BITS: usize = 2;

/// The best lag of each ordered pair (a series with itself included) competes by its agreement: both trend bits equal,
/// or both opposite. At most N N / 4 pairs stay, the highest first, all above the threshold. Lags go from `tau_min` to
/// 0.1 T - 1, never beyond `tau_max`. A target with no pair gets every source at every lag from the smallest to the
/// largest one kept anywhere; if no pair is kept at all, at every lag.
pub fn run(problem: &Problem, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    let n = problem.series.n_series();
    let longest = (problem.series.n_samples() / 10).saturating_sub(1).min(problem.tau_max);
    let lags = problem.tau_min..=longest;
    let scores = if lags.is_empty() {
        Vec::new()
    } else {
        let planes = encode(problem.series, Code::Trend, TREND_BITS, longest, monitor)?;
        search(&planes, lags.clone(), Measure::JointAgreement, monitor)?
    };
    let score = |source: usize, target: usize, lag: usize| {
        scores.get((target * (longest + 1) + lag) * n + source).copied().unwrap_or(0.0)
    };
    let candidates = |target: usize, source: usize, lags: RangeInclusive<usize>| {
        let legal = lags.filter(move |&lag| problem.allows(source, target, lag));
        legal.map(move |lag| Link { source, lag, score: score(source, target, lag) })
    };

    let pairs = (0..n).flat_map(|target| (0..n).map(move |source| (target, source)));
    let best = |(target, source)| {
        let earlier_wins = |best: Link, next: Link| if next.score > best.score { next } else { best };
        candidates(target, source, lags.clone()).reduce(earlier_wins).map(|link| (target, link))
    };
    let mut kept: Vec<(usize, Link)> = pairs.filter_map(best).filter(|(_, link)| link.score > THRESHOLD).collect();
    // Stable: equal scores stay in the order of targets, then sources.
    kept.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
    kept.truncate(n * n / 4);

    let kept_lags = kept.iter().map(|(_, link)| link.lag);
    let fallback = match (kept_lags.clone().min(), kept_lags.max()) {
        (Some(smallest), Some(largest)) => smallest..=largest,
        _ => problem.tau_min..=problem.tau_max,
    };
    let mut found = vec![TargetCandidates::default(); n];
    for (target, link) in kept {
        found[target].links.push(link);
    }
    for (target, candidate) in found.iter_mut().enumerate().filter(|(_, c)| c.links.is_empty()) {
        candidate.links = (0..n).flat_map(|source| candidates(target, source, fallback.clone())).collect();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::testing::noise;
    use crate::series::Series;

    fn screen(values: &[f64], n: usize, tau_max: usize) -> Vec<TargetCandidates> {
        let series = Series::new(values, None, n, values.len() / n, vec![]).unwrap();
        let problem = Problem { series: &series, tau_min: 1, tau_max, first_row: 2 * tau_max, allowed: None };
        run(&problem, &Monitor::default()).unwrap()
    }

    #[test]
    fn a_delayed_copy_is_found_at_its_lag() {
        let mut values = noise(4, 500);
        for t in 3..500 {
            values[500 + t] = -values[t - 3];
        }
        let found = screen(&values, 4, 6);
        assert_eq!(found[1].links, [Link { source: 0, lag: 3, score: 1.0 }]);
    }

    #[test]
    fn a_target_without_a_pair_gets_every_source_between_the_kept_lags() {
        // Four pairs stay: the copies at lags 2, 4 and 2, and one series with itself at lag 1, since even in noise
        // rises and falls alternate.
        let mut values = noise(4, 4000);
        for t in 4..4000 {
            values[4000 + t] = values[t - 2];
            values[8000 + t] = values[t - 4];
        }
        let found = screen(&values, 4, 8);
        assert!(found[1].links.iter().any(|l| (l.source, l.lag) == (0, 2)));
        let expected: Vec<_> = (0..4).flat_map(|source| (1..=4).map(move |lag| (source, lag))).collect();
        assert_eq!(found[3].links.iter().map(|l| (l.source, l.lag)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn at_most_a_quarter_of_the_pairs_is_kept_and_no_lag_is_scanned_beyond_a_tenth() {
        let values = noise(6, 60);
        let found = screen(&values, 6, 20);
        assert!(found.iter().flat_map(|c| &c.links).all(|link| link.lag <= 5));
        assert!(found.iter().filter(|c| c.links.len() < 6).map(|c| c.links.len()).sum::<usize>() <= 9);
        // Nothing to scan: nothing is pruned.
        assert!(screen(&noise(3, 15), 3, 4).iter().all(|c| c.links.len() == 12));
    }
}
