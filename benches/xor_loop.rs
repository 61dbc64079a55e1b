//! How much of the bare XOR-popcount loop's throughput the lag search keeps, one thread: `cargo bench --bench xor_loop`.
//!
//! Bare: the same rows against the same tile again and again, all in the first-level cache. Prints one line a setting:
//! N, T, `tau_max`, bits, kernel, bare words/ns, then share of it kept by the dense search and by the strongest pairs.
//! Runs alternate, so that all three see the same machine; medians of ratios.

use std::hint::black_box;
use std::time::Instant;

use arrow_cd_core::bits::Planes;
use arrow_cd_core::bits::kernel::{self, TILE};
use arrow_cd_core::lags::{Measure, search, top_k};
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
            let [bare, dense, top] = with_pool(1, || compare(&planes, tau_max)).expect("one thread can be started");
            println!("{n} {t} {tau_max} {bits} {} {bare:.2} {dense:.3} {top:.3}", kernel::best().name());
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

/// Words per nanosecond of the bare loop, and the shares of it that the dense search and the strongest pairs keep.
fn compare(planes: &Planes, tau_max: usize) -> [f64; 3] {
    let monitor = Monitor::default();
    let pairs = planes.n_series() * planes.n_series() * (tau_max + 1) * planes.bits() * planes.bits();
    let words = pairs * planes.words();
    let mut rounds: Vec<[f64; 3]> = (0..ROUNDS)
        .map(|_| {
            let bare = bare_words_per_ns(planes);
            let dense = rate(words, || drop(black_box(search(planes, 0..=tau_max, Measure::Z, &monitor))));
            let top = rate(words, || drop(black_box(top_k(planes, planes, 0..=tau_max, STRONGEST, None, &monitor))));
            [bare, dense / bare, top / bare]
        })
        .collect();
    [0, 1, 2].map(|column| {
        rounds.sort_by(|a, b| a[column].total_cmp(&b[column]));
        rounds[ROUNDS / 2][column]
    })
}

fn bare_words_per_ns(planes: &Planes) -> f64 {
    let (kernel, words) = (kernel::best(), planes.words().min(BARE_WORDS));
    let row = |i: usize| &planes.row(i % planes.n_series(), 0)[..words];
    let xs = kernel.arrange((0..BARE_ROWS).flat_map(row).copied().collect(), words);
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
