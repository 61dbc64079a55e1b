//! Throughput of the bare XOR-popcount loop, every kernel: `cargo bench --bench xor_loop`.
//!
//! The same rows against the same tile again and again, all in the first-level cache: the ceiling for the lag search.

use std::hint::black_box;
use std::time::Instant;

use arrow_cd_core::bits::kernel::{self, Kernel, TILE};

/// Words combined per nanosecond, the median of several runs.
fn words_per_ns(kernel: &Kernel, words: usize) -> f64 {
    let rows = (2048 / words).max(1);
    let xs: Vec<u64> = (0..rows * words).map(|i| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    let ys: Vec<Vec<u64>> =
        (0..TILE).map(|k| xs[..words].iter().map(|x| x.rotate_left(k as u32 + 1)).collect()).collect();
    let tile: [&[u64]; TILE] = std::array::from_fn(|k| ys[k].as_slice());
    let mut counts = vec![0; TILE * rows];
    let repeats = 20_000_000 / (rows * words * TILE);
    let mut runs: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..repeats {
                kernel.count_xor(black_box(&xs), words, black_box(&tile), 1, black_box(&mut counts));
            }
            (repeats * rows * words * TILE) as f64 / start.elapsed().as_nanos() as f64
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[runs.len() / 2]
}

fn main() {
    for words in [5, 8, 16, 156, 157, 160] {
        for kernel in kernel::available() {
            println!("{} {words} {:.3}", kernel.name(), words_per_ns(&kernel, words));
        }
    }
}
