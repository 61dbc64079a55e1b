//! How much of the bare XOR-popcount loop's throughput the lag search keeps, one thread: `cargo bench --bench xor_loop`.
//!
//! Bare: the same rows against the same tile again and again, all in the first-level cache, once with every instruction
//! set; `popcnt` is the plain loop of XOR and popcount, the last one what the search itself runs. Prints one line for
//! each: N, T, `tau_max`, bits, kernel of the loop, its words/ns, then share of it kept by the dense search and by the
//! strongest pairs. The dense search has its array and the margins that the round before has left, as the `lag_search` of
//! `lag_scan.py` has. Runs alternate, so that all see the same machine; medians of ratios.

use std::hint::black_box;
use std::time::Instant;

use arrow_cd_core::bits::Planes;
use arrow_cd_core::bits::kernel::{Kernel, TILE, available};
use arrow_cd_core::lags::{KeptMargins, Measure, search_into, top_k};
use arrow_cd_core::parallel::{Monitor, with_pool};
use arrow_cd_core::series::Series;
use arrow_cd_core::weave::{Code, encode};

const ROUNDS: usize = 31;
const STRONGEST: usize = 32;
/// As many rows as the widest kernel counts at once, and as many words of them as leave room in the first-level cache.
const BARE_ROWS: usize = 64;
const BARE_WORDS: usize = 16;

fn main() {
    println!("N T tau_max bits kernel words/ns dense_share top_share");
    for (n, t, tau_max) in [(100, 10_000, 20), (50, 1000, 20)] {
        for bits in 1..=2 {
            let planes = coded_noise(n, t, tau_max, bits);
            let rows = with_pool(1, || compare(&planes, tau_max)).expect("one thread can be started");
            for (name, [bare, dense, top]) in rows {
                println!("{n} {t} {tau_max} {bits} {name} {bare:.2} {dense:.3} {top:.3}");
            }
        }
    }
}

fn coded_noise(n: usize, t: usize, tau_max: usize, bits: usize) -> Planes {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64
    };
    let values: Vec<f64> = (0..n * t).map(|_| next()).collect();
    let series = Series::new(&values, None, n, t, vec![]).expect("finite values of the right shape");
    encode(&series, Code::Level, bits, tau_max, &Monitor::default()).expect("a legal code")
}

/// For every instruction set: words per nanosecond of the bare loop, and the shares of it that the dense search and the
/// strongest pairs keep.
fn compare(planes: &Planes, tau_max: usize) -> Vec<(&'static str, [f64; 3])> {
    let (monitor, margins) = (Monitor::default(), KeptMargins::default());
    let mut found = vec![0.0; planes.n_series().pow(2) * (tau_max + 1)];
    let mut z = || search_into(planes, &margins, 0..=tau_max, Measure::Z, &mut found, &monitor);
    z().expect("the array fits");
    let pairs = planes.n_series() * planes.n_series() * (tau_max + 1) * planes.bits() * planes.bits();
    let words = pairs * planes.words();
    let kernels = available();
    let mut rounds = vec![Vec::new(); kernels.len()];
    for _ in 0..ROUNDS {
        let bare: Vec<f64> = kernels.iter().map(|kernel| bare_words_per_ns(planes, kernel)).collect();
        let dense = rate(words, || drop(black_box(z())));
        let top = rate(words, || drop(black_box(top_k(planes, planes, 0..=tau_max, STRONGEST, None, &monitor))));
        for (rounds, bare) in rounds.iter_mut().zip(bare) {
            rounds.push([bare, dense / bare, top / bare]);
        }
    }
    kernels.iter().zip(&mut rounds).map(|(kernel, rounds)| (kernel.name(), medians(rounds))).collect()
}

fn medians(rounds: &mut [[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|column| {
        rounds.sort_by(|a, b| a[column].total_cmp(&b[column]));
        rounds[ROUNDS / 2][column]
    })
}

fn bare_words_per_ns(planes: &Planes, kernel: &Kernel) -> f64 {
    let words = planes.words().min(BARE_WORDS);
    let row = |i: usize| &planes.row(i % planes.n_series(), 0)[..words];
    let (rows, mut xs) = ((0..BARE_ROWS).flat_map(row).copied().collect::<Vec<_>>(), Vec::new());
    kernel.arrange(&rows, words, &mut xs);
    let tile: [&[u64]; TILE] = std::array::from_fn(row);
    let mut counts = vec![0; TILE * BARE_ROWS];
    let repeats = 4_000_000 / (BARE_ROWS * words * TILE);
    rate(repeats * BARE_ROWS * words * TILE, || {
        for _ in 0..repeats {
            kernel.count_xor(black_box(&xs), words, black_box(&tile), 1, black_box(&mut counts));
        }
    })
}

/// `amount` per nanosecond.
fn rate(amount: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    amount as f64 / start.elapsed().as_nanos() as f64
}
