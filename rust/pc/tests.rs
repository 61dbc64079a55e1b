//! Checks of whole runs; the slow twin and the comparison with other libraries are in Python.

use super::{Options, Output, run};
use crate::cov::{Form, Marginals};
use crate::parallel::Monitor;
use crate::pcmci::{End, Law, Links, Node, Rows, Status, Tests};
use crate::series::Series;

/// Three linear series, 300 samples: 0 drives 1 two steps later, 1 drives 2 with the next one. Any language can make them:
/// s = (1103515245 s + 12345) mod 2^31 from s = 42, u = floor(s / 2^8) / 2^23 - 1/2, noise is a sum of four u.
fn linear() -> Vec<f64> {
    let mut s: u64 = 42;
    let mut noise = || {
        let mut draw = || {
            s = (1_103_515_245 * s + 12_345) % (1 << 31);
            (s >> 8) as f64 / f64::from(1 << 23) - 0.5
        };
        (0..4).map(|_| draw()).sum::<f64>()
    };
    let mut x = vec![[0.0; 3]; 2];
    for t in 2..350 {
        let (last, before) = (x[t - 1], x[t - 2]);
        let e = [noise(), noise(), noise()];
        x.push([0.5 * last[0] + e[0], 0.4 * last[1] + 0.3 * before[0] + e[1], 0.3 * last[2] - 0.25 * last[1] + e[2]]);
    }
    (0..3).flat_map(|i| x[50..].iter().map(move |row| row[i])).collect()
}

fn node(series: usize, lag: usize) -> Node {
    Node { series, lag }
}

/// Every lagged link.
fn all(n: usize, tau_max: usize) -> Vec<bool> {
    (0..n * n).flat_map(|_| (0..=tau_max).map(|lag| lag > 0)).collect()
}

const OPTIONS: Options = Options {
    marginals: Marginals::Raw,
    law: Law::FisherZ,
    pc_alpha: 0.01,
    max_conds_dim: None,
    max_tests: None,
    memory_budget: usize::MAX,
};

fn search(x: &[f64], n: usize, tau_max: usize, options: &Options) -> Output {
    let series = Series::new(x, None, n, x.len() / n, vec![]).unwrap();
    let allowed = all(n, tau_max);
    let links = Links::new(&allowed, None, n, tau_max).unwrap();
    run(&series, &links, options, &Monitor::default()).unwrap()
}

/// Series, lag and target of every link left.
fn left(output: &Output) -> Vec<(usize, usize, usize)> {
    let of =
        |(target, parents): (usize, &Vec<Node>)| parents.iter().map(|p| (p.series, p.lag, target)).collect::<Vec<_>>();
    let mut found: Vec<_> = output.parents.iter().enumerate().flat_map(of).collect();
    found.sort_unstable();
    found
}

#[test]
fn fisher_z_of_causal_learn() {
    let x = linear();
    assert!((x.iter().sum::<f64>() + 8.153_180_422_738).abs() < 1e-9 && (x[0] - 1.215_298_671_041).abs() < 1e-11);
    let series = Series::new(&x, None, 3, 300, vec![]).unwrap();
    let window = Rows::default().window(&series, 3, 3).unwrap();
    for form in [Some(Form::Matrix), None] {
        let tests = Tests::with(form, &window, Marginals::Raw, &Monitor::default()).unwrap();
        for (target, x, conditions, expected) in [
            (1, node(0, 2), vec![], 0.004_510_457_728_38),
            (1, node(0, 2), vec![node(1, 1)], 0.005_064_031_344_59),
            (2, node(0, 1), vec![], 0.276_876_596_187),
            (2, node(0, 3), vec![node(1, 1)], 0.025_686_131_732_9),
            (2, node(0, 3), vec![node(1, 1), node(2, 1)], 0.025_585_750_321_5),
        ] {
            let p = Law::FisherZ.p(&tests.of_target(target).test(x, &conditions));
            assert!((p / expected - 1.0).abs() < 1e-9, "{x:?} {conditions:?}: {p}");
        }
    }
}

#[test]
fn the_true_links_are_found() {
    let found = left(&search(&linear(), 3, 3, &OPTIONS));
    // causal-learn drops the second one given x0(t - 3), a neighbour of its source: here only links into the target count.
    assert_eq!(found, [(0, 1, 0), (0, 2, 1), (1, 1, 1), (1, 1, 2), (2, 1, 2)]);
}

/// A series, one that follows it, and a copy of the first, `late` samples late and a little off.
fn with_a_copy(late: usize, off: f64) -> Vec<f64> {
    let noise = |t: usize, k: usize| ((t * 7919 + k * 104_729) % 1009) as f64 / 1009.0 - 0.5;
    let first: Vec<f64> = (0..400_usize).map(|t| noise(t * t + t, 1)).collect();
    let follows = (0..400_usize).map(|t| first[t.saturating_sub(2)] + noise(t * t * t + 3 * t, 2));
    let copy = (0..400_usize).map(|t| first[t.saturating_sub(late)] + off * noise(t * t + 7 * t, 3));
    first.iter().copied().chain(follows).chain(copy).collect()
}

#[test]
fn of_two_copies_the_earlier_one_is_the_source() {
    for (late, off) in [(0, 0.0), (1, 0.0), (0, 1e-9)] {
        for memory_budget in [usize::MAX, 0] {
            let x = with_a_copy(late, off);
            let output = search(&x, 3, 3, &Options { memory_budget, ..OPTIONS });
            assert_eq!(output.parents[1], [node(0, 2)], "{late} {off}");
            let of_copy = (2 * 3 + 1) * 4 + 2 - late;
            assert_eq!(output.status[of_copy], Status::Collinear as u8);
            assert_eq!((output.val[of_copy], output.p[of_copy]), (0.0, 1.0));
        }
    }
}

/// 400 draws, evenly from [-1/2, 1/2).
fn noise(seed: u64) -> Vec<f64> {
    let mut s = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..400).map(|_| draw()).collect()
}

#[test]
fn of_a_sum_and_its_parts_the_last_one_goes() {
    let [first, second, own] = [1, 2, 3].map(noise);
    let sum = first.iter().zip(&second).map(|(a, b)| a + b);
    let effect = (0..400_usize).map(|t| {
        let last = t.saturating_sub(1);
        2.0 * first[last] + second[last] + own[t]
    });
    let x: Vec<f64> = first.iter().chain(&second).copied().chain(sum).chain(effect).collect();
    for memory_budget in [usize::MAX, 0] {
        let output = search(&x, 4, 2, &Options { pc_alpha: 1e-4, memory_budget, ..OPTIONS });
        let mut causes = output.parents[3].clone();
        causes.sort_by_key(|x| (x.series, x.lag));
        assert_eq!(causes, [node(0, 1), node(1, 1)]);
        assert_eq!(output.status[(2 * 4 + 3) * 3 + 1], Status::Collinear as u8);
    }
}

/// A copy of a cause gives a perfect fit; what else is linked with the target goes.
#[test]
fn a_target_that_its_cause_explains_has_no_other() {
    let mut x = linear();
    let late: Vec<f64> = (0..300_usize).map(|t| x[t.saturating_sub(1)]).collect();
    x.extend(late);
    let output = search(&x, 4, 2, &OPTIONS);
    assert_eq!(output.parents[3], [node(0, 1)]);
}

#[test]
fn a_target_over_budget_is_left_undecided() {
    let whole = search(&linear(), 3, 3, &OPTIONS);
    let most = search(&linear(), 3, 3, &Options { max_tests: Some(whole.tests), ..OPTIONS });
    assert_eq!((most.tests, &most.status), (whole.tests, &whole.status));
    let few = search(&linear(), 3, 3, &Options { max_tests: Some(9), ..OPTIONS });
    assert!(few.ends.contains(&End::MaxTests) && few.tests <= 27);
    for (at, &status) in few.status.iter().enumerate().filter(|(at, _)| at % 4 > 0) {
        let target = at / 4 % 3;
        let open = few.parents[target].contains(&node(at / 12, at % 4));
        if few.ends[target] == End::MaxTests && open {
            assert_eq!((status, few.p[at]), (Status::OverBudget as u8, 1.0));
        } else {
            assert_eq!(status, Status::Ok as u8);
        }
    }
}

/// Series 0 follows the sum of six others; in all `n` of them.
fn many_causes(n: usize) -> Vec<f64> {
    let noise = |t: usize, k: usize| ((t * t * 7919 + k * k * 104_729 + t * k) % 1009) as f64 / 1009.0 - 0.5;
    let effect = (0..500).map(|t: usize| noise(t, 0) + (1..=6).map(|k| noise(t.saturating_sub(1), k)).sum::<f64>());
    effect.chain((1..n).flat_map(|k| (0..500).map(move |t| noise(t, k)))).collect()
}

#[test]
fn conditions_are_limited_where_there_are_many_candidates() {
    let options = Options { pc_alpha: 1e-6, ..OPTIONS };
    let end = |n, options: &Options| {
        let output = search(&many_causes(n), n, 2, options);
        assert_eq!(output.parents[0].len(), 6);
        output.ends[0]
    };
    assert_eq!(end(20, &options), End::Exhausted);
    assert_eq!(end(21, &options), End::MaxConds);
    assert_eq!(end(21, &Options { max_conds_dim: Some(5), ..options.clone() }), End::Exhausted);
    assert_eq!(end(20, &Options { max_conds_dim: Some(4), ..options }), End::MaxConds);
}

#[test]
fn a_run_that_is_stopped_before_its_first_test_is_an_error() {
    let x = linear();
    let series = Series::new(&x, None, 3, 300, vec![]).unwrap();
    let allowed = all(3, 3);
    let links = Links::new(&allowed, None, 3, 3).unwrap();
    let monitor = Monitor::default();
    monitor.stop();
    assert!(run(&series, &links, &OPTIONS, &monitor).is_err());
}

#[test]
fn lag_0_is_refused() {
    let x = linear();
    let series = Series::new(&x, None, 3, 300, vec![]).unwrap();
    let mut allowed = all(3, 1);
    allowed[2] = true;
    let links = Links::new(&allowed, None, 3, 1).unwrap();
    assert!(run(&series, &links, &OPTIONS, &Monitor::default()).is_err());
}
