//! `marginal`: every pair and lag alone, on codes of AR(1) innovations. Blind to links that cancel in the marginals.

use super::{Link, Problem, TargetCandidates};
use crate::error::Result;
use crate::lags::{above, autocorrelations};
use crate::parallel::Monitor;
use crate::stats::normal;
use crate::weave::{Code, encode};

const BITS: usize = 2;
/// Level per pair of series, shared among its lags by Sidak's rule.
const ALPHA: f64 = 0.05;
/// Smallest factor by which autocorrelation may change the variance of z.
const LEAST_FACTOR: f64 = 0.1;

/// Every lag with p <= 1 - 0.95^(1 / L), L the number of lags, strongest first; the own lag 1 always.
///
/// z of two autocorrelated series has variance 1 + 2 sum `r_x(k) r_y(k)` (Bartlett), with the autocorrelations of the
/// codes at lags k = 1, ..., 2 `tau_max`; the score is |z| over its root.
pub fn run(problem: &Problem, monitor: &Monitor) -> Result<Vec<TargetCandidates>> {
    let depth = 2 * problem.tau_max;
    let planes = encode(problem.series, Code::Innovation, BITS, depth, monitor)?;
    let r = autocorrelations(&planes, depth, monitor)?;
    let widening = |source: usize, target: usize| {
        let sum: f64 = r[source].iter().zip(&r[target]).map(|(x, y)| x * y).sum();
        (1.0 + 2.0 * sum).max(LEAST_FACTOR).sqrt()
    };
    let n_lags = (problem.tau_max - problem.tau_min + 1) as f64;
    let level = 1.0 - (1.0 - ALPHA).powf(1.0 / n_lags);
    let critical = -normal::quantile(level / 2.0);
    // Own lags all come back, since one of them is kept in any case.
    let least = |source, target| if source == target { 0.0 } else { critical * widening(source, target) };
    let found = above(&planes, problem.tau_min..=problem.tau_max, least, monitor)?;
    let screen_target = |(target, picks): (usize, Vec<crate::lags::Pick>)| {
        let own_width = widening(target, target);
        let kept = |link: &Link| {
            let own = link.source == target && link.lag == 1;
            problem.allows(link.source, target, link.lag) && (own || link.score >= critical)
        };
        let calibrate = |pick: crate::lags::Pick| {
            let width = if pick.source == target { own_width } else { widening(pick.source, target) };
            Link { source: pick.source, lag: pick.lag, score: pick.z.abs() / width }
        };
        let mut links: Vec<Link> = picks.into_iter().map(calibrate).filter(kept).collect();
        links.sort_by(|a, b| b.score.total_cmp(&a.score));
        TargetCandidates { links }
    };
    Ok(found.into_iter().enumerate().map(screen_target).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::testing::noise;
    use crate::series::Series;

    const N: usize = 6;
    const T: usize = 1000;

    fn screen(values: &[f64], allowed: Option<&[bool]>) -> Vec<TargetCandidates> {
        let series = Series::new(values, None, N, T, vec![]).unwrap();
        let problem = Problem { series: &series, tau_min: 1, tau_max: 5, first_row: 10, allowed };
        run(&problem, &Monitor::default()).unwrap()
    }

    fn autoregressive(coefficient: f64) -> Vec<f64> {
        let mut values = noise(N, T);
        for x in values.chunks_exact_mut(T) {
            (1..T).for_each(|t| x[t] += coefficient * x[t - 1]);
        }
        values
    }

    #[test]
    fn keeps_a_link_the_own_lag_and_little_else() {
        let mut values = autoregressive(0.5);
        for t in 2..T {
            values[T + t] += 0.5 * values[t - 2];
        }
        let found = screen(&values, None);
        assert_eq!((found[1].links[0].source, found[1].links[0].lag), (0, 2));
        assert!(found.iter().enumerate().all(|(i, c)| c.links.iter().any(|l| (l.source, l.lag) == (i, 1))));
        // Expected false ones: 5 % of 36 pairs.
        assert!(found.iter().map(|c| c.links.len()).sum::<usize>() <= N + 1 + 6);
    }

    #[test]
    fn forbidden_links_are_left_out() {
        let forbidden = vec![false; N * N * 6];
        assert!(screen(&autoregressive(0.5), Some(&forbidden)).iter().all(|c| c.links.is_empty()));
    }

    #[test]
    fn a_constant_series_is_never_kept() {
        let mut values = autoregressive(0.5);
        values[..T].fill(3.0);
        let found = screen(&values, None);
        assert!(found[0].links.is_empty());
        assert!(found.iter().flat_map(|c| &c.links).all(|link| link.source != 0));
    }
}
