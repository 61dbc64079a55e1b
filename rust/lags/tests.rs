//! The scan against its slow, readable twin: sample by sample, pair by pair.

use std::ops::Range;

use proptest::prelude::*;

use super::dense::search_with;
use super::*;
use crate::bits::kernel::available;
use crate::bits::{INVALID, Layout, Planes};
use crate::parallel::{Monitor, with_pool};

const WEIGHTS: [u32; 3] = [3, 2, 1];

#[derive(Debug, Clone)]
struct Case {
    /// One code a sample, series by series.
    codes: Vec<Vec<u8>>,
    bits: usize,
    segments: Vec<Range<usize>>,
}

impl Case {
    fn planes(&self, gap: usize) -> Planes {
        let layout = Layout::new(&self.segments, gap);
        let shape = (self.codes.len(), self.codes[0].len());
        Planes::pack(layout, &WEIGHTS[..self.bits], shape, &Monitor::default(), |i, out| {
            out.copy_from_slice(&self.codes[i]);
        })
        .unwrap()
    }

    /// Codes of both series at every pair of samples that counts.
    fn pairs(&self, source: usize, target: usize, lag: usize) -> Vec<(u8, u8)> {
        let at = |t: usize| (self.codes[source][t - lag], self.codes[target][t]);
        let ends = self.segments.iter().flat_map(|s| (s.start + lag).min(s.end)..s.end);
        ends.map(at).filter(|&(x, y)| x != INVALID && y != INVALID).collect()
    }

    fn bit(&self, code: u8, plane: usize) -> f64 {
        f64::from(code >> (self.bits - 1 - plane) & 1)
    }

    fn z(&self, pairs: &[(u8, u8)]) -> f64 {
        let value = |code| (0..self.bits).map(|a| f64::from(WEIGHTS[a]) * (2.0 * self.bit(code, a) - 1.0)).sum::<f64>();
        let n = pairs.len() as f64;
        let mean = |f: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|&(x, y)| f(value(x), value(y))).sum::<f64>() / n;
        let (mx, my) = (mean(&|x, _| x), mean(&|_, y| y));
        let (vx, vy) = (mean(&|x, _| (x - mx).powi(2)), mean(&|_, y| (y - my).powi(2)));
        if pairs.is_empty() || vx * vy < 1e-9 {
            return 0.0;
        }
        n.sqrt() * mean(&|x, y| (x - mx) * (y - my)) / (vx * vy).sqrt()
    }

    fn measure(&self, measure: Measure, pairs: &[(u8, u8)]) -> f64 {
        match measure {
            Measure::Z => self.z(pairs),
            Measure::Agreement => self.leading(pairs).0,
            Measure::JointAgreement => Self::joint(pairs),
            Measure::MutualInformation => self.leading(pairs).1,
        }
    }

    /// Agreement and mutual information of the leading bits.
    fn leading(&self, pairs: &[(u8, u8)]) -> (f64, f64) {
        let mut table = [[0.0; 2]; 2];
        for &(x, y) in pairs {
            table[self.bit(x, 0) as usize][self.bit(y, 0) as usize] += 1.0 / pairs.len() as f64;
        }
        let row = |i: usize| table[i][0] + table[i][1];
        let column = |j: usize| table[0][j] + table[1][j];
        let term = |i: usize, j: usize| {
            let p = table[i][j];
            if p > 0.0 { p * (p / (row(i) * column(j))).ln() } else { 0.0 }
        };
        let equal = table[0][0] + table[1][1];
        let opposite = table[0][1] + table[1][0];
        (equal.max(opposite), term(0, 0) + term(0, 1) + term(1, 0) + term(1, 1))
    }

    fn joint(pairs: &[(u8, u8)]) -> f64 {
        let share = |hit: &dyn Fn(u8, u8) -> bool| {
            pairs.iter().filter(|(x, y)| hit(*x, *y)).count() as f64 / pairs.len().max(1) as f64
        };
        share(&|x, y| x == y).max(share(&|x, y| x == 3 - y))
    }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * (1.0 + expected.abs())
}

/// Two to six series near word boundaries, one or two data sets, with or without invalid samples.
fn cases() -> impl Strategy<Value = Case> {
    let length = prop_oneof![Just(1_usize), 60_usize..70, 124_usize..132];
    (1_usize..=3, 2_usize..=6, length, 0_u8..3, any::<bool>()).prop_flat_map(|(bits, n, length, holes, split)| {
        let code = 0..1_u8 << bits;
        let sample = if holes == 1 { prop_oneof![4 => code, 1 => Just(INVALID)].boxed() } else { code.boxed() };
        let series = prop::collection::vec(sample, length);
        let shared = prop::collection::vec(prop::bool::weighted(0.8), length);
        let cut = if split { length / 3..length } else { 0..1 };
        (prop::collection::vec(series, n), shared, cut).prop_map(move |(mut codes, shared, cut)| {
            if holes == 2 {
                // The same samples are invalid in every series: still the fast path.
                for t in (0..length).filter(|&t| !shared[t]) {
                    for code in &mut codes {
                        code[t] = INVALID;
                    }
                }
            }
            let segments = if split { vec![0..cut, (cut + 1).min(length)..length] } else { vec![0..length] };
            Case { codes, bits, segments }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_kernel_equals_the_twin_at_every_lag(case in cases(), largest in prop_oneof![Just(0_usize), Just(7), Just(70)]) {
        let planes = case.planes(largest);
        let n = case.codes.len();
        let at = |source: usize, target: usize, lag: usize| (target * (largest + 1) + lag) * n + source;
        let mut measures = vec![Measure::Z, Measure::Agreement, Measure::MutualInformation];
        measures.extend((case.bits == 2).then_some(Measure::JointAgreement));
        for measure in measures {
            let kept = KeptMargins::default();
            let scan = |kernel| {
                let mut found = vec![f64::NAN; n * n * (largest + 1)];
                let monitor = Monitor::default();
                search_with(kernel, &planes, &kept, 0..=largest, measure, &mut found, &monitor).unwrap();
                found
            };
            let first = scan(available()[0]);
            for (source, target, lag) in every(n, largest) {
                let trivial = source == target && lag == 0;
                let expected = if trivial { 0.0 } else { case.measure(measure, &case.pairs(source, target, lag)) };
                let found = first[at(source, target, lag)];
                prop_assert!(close(found, expected), "{measure:?} {source} {target} {lag}: {found}, not {expected}");
            }
            for kernel in available() {
                prop_assert_eq!(&scan(kernel), &first);
            }
        }
    }

    #[test]
    fn top_k_is_the_head_of_the_dense_search(case in cases(), k in 0_usize..9, keep in any::<u64>()) {
        let (n, lags) = (case.codes.len(), 1..=6);
        let planes = case.planes(6);
        let dense = search(&planes, lags.clone(), Measure::Z, &Monitor::default()).unwrap();
        let allowed: Vec<bool> = (0..n * n * 7).map(|i| keep >> (i % 61) & 1 == 1).collect();
        for allowed in [None, Some(allowed.as_slice())] {
            let found = top_k(&planes, &planes, lags.clone(), k, allowed, &Monitor::default()).unwrap();
            for (target, found) in found.iter().enumerate() {
                let mut all: Vec<Pick> = every(n, 6)
                    .filter(|&(source, t, lag)| {
                        t == target && lag > 0 && allowed.is_none_or(|a| a[(source * n + t) * 7 + lag])
                    })
                    .map(|(source, _, lag)| Pick { source, lag, z: dense[(target * 7 + lag) * n + source] })
                    .filter(|pick| pick.z != 0.0)
                    .collect();
                all.sort_by(|p, q| q.z.abs().total_cmp(&p.z.abs()).then((p.source, p.lag).cmp(&(q.source, q.lag))));
                all.truncate(k);
                prop_assert_eq!(found, &all);
            }
        }
    }

    #[test]
    fn threads_change_nothing(case in cases()) {
        let planes = case.planes(9);
        let run = || search(&planes, 0..=9, Measure::Z, &Monitor::default()).unwrap();
        prop_assert_eq!(with_pool(1, run).unwrap(), with_pool(3, run).unwrap());
    }
}

fn every(n: usize, largest: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..n).flat_map(move |s| (0..n).flat_map(move |t| (0..=largest).map(move |lag| (s, t, lag))))
}

/// The two paths round in the same way.
#[test]
fn one_hole_changes_nothing_elsewhere() {
    let noise = |seed: u32| {
        (0..300_u32).map(|t| (t.wrapping_mul(2_654_435_761).wrapping_add(seed * 40_503_771) >> 13) as u8 % 4).collect()
    };
    let whole = Case { codes: (0..9).map(noise).collect(), bits: 2, segments: vec![0..300] };
    let mut holed = whole.clone();
    holed.codes[8][100] = INVALID;
    for measure in [Measure::Z, Measure::MutualInformation] {
        let [uniform, pairwise] =
            [&whole, &holed].map(|case| search(&case.planes(12), 0..=12, measure, &Monitor::default()).unwrap());
        for (source, target, lag) in every(8, 12) {
            let k = (target * 13 + lag) * 9 + source;
            assert_eq!(uniform[k], pairwise[k]);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let case = Case { codes: vec![vec![0; 40]; 2], bits: 1, segments: vec![0..20, 20..40] };
    let (planes, wider) = (case.planes(3), case.planes(4));
    let monitor = Monitor::default();
    assert!(search(&planes, 0..=4, Measure::Z, &monitor).is_err());
    assert!(top_k(&planes, &wider, 0..=2, 1, None, &monitor).is_err());
    assert!(top_k(&planes, &planes, 0..=2, 1, Some(&[true]), &monitor).is_err());
    assert!(search(&planes, 0..=2, Measure::JointAgreement, &monitor).is_err());
    monitor.stop();
    assert!(search(&planes, 0..=3, Measure::Z, &monitor).is_err());
}

#[test]
fn an_array_that_is_used_again_keeps_nothing() {
    let case = Case {
        codes: (0..3_u8).map(|i| (0..50).map(|t| (t % 7 * (t % 5) + i * (t % 3)) % 4).collect()).collect(),
        bits: 2,
        segments: vec![0..50],
    };
    let (planes, kept, monitor) = (case.planes(0), KeptMargins::default(), Monitor::default());
    let mut found = vec![f64::NAN; 9 * 5];
    for lags in [0..=4, 2..=4, 1..=4] {
        for measure in [Measure::Z, Measure::JointAgreement, Measure::MutualInformation] {
            search_into(&planes, &kept, lags.clone(), measure, &mut found, &monitor).unwrap();
            assert_eq!(found, search(&planes, lags.clone(), measure, &monitor).unwrap());
        }
    }
    assert!(search_into(&planes, &kept, 0..=3, Measure::Z, &mut found, &monitor).is_err());
}

#[test]
fn every_target_is_reported() {
    let case = Case { codes: (0..5).map(|i| vec![i % 2; 50]).collect(), bits: 1, segments: vec![0..50] };
    let monitor = Monitor::default();
    search(&case.planes(3), 0..=3, Measure::Z, &monitor).unwrap();
    assert_eq!(monitor.done(), 5);
}
