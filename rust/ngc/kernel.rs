//! Loss and gradient of one network in one pass over the rows, compiled once per instruction set, chosen at run time.
//!
//! [`ROWS`] rows go forward and backward while their activations are at hand, so nothing of size rows times units is
//! ever stored. `unsafe` is calling a function compiled for instructions which the machine has been checked to have.

use std::sync::OnceLock;

use super::network::Network;

/// Rows that go through the network together.
pub const ROWS: usize = 4;
/// Hidden units that are held in registers together; networks are padded to a multiple.
pub const LANES: usize = 16;

type Lanes = [f32; LANES];

/// Adds the gradient of the sum of squared errors to the last argument and returns that sum. `z` and `y` are blocks of
/// rows as `columns.rs` makes them, `n_rows` the rows that are no padding.
type Pass = unsafe fn(z: &[f32], y: &[f32], n_rows: usize, network: &Network, gradient: &mut Network) -> f64;

/// The pass of one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    pass: Pass,
}

impl Kernel {
    /// Add the gradient of the sum of squared errors over all rows to `gradient`; returns the sum.
    pub fn pass(self, z: &[f32], y: &[f32], n_rows: usize, network: &Network, gradient: &mut Network) -> f64 {
        #[allow(unsafe_code)]
        // SAFETY: a `Kernel` is only made by `available`, which has checked that the machine can run it.
        unsafe {
            (self.pass)(z, y, n_rows, network, gradient)
        }
    }
}

/// Every kernel that this machine can run, the fastest last.
pub fn available() -> Vec<Kernel> {
    let mut kernels = vec![Kernel { pass: scalar::pass }];
    #[cfg(target_arch = "x86_64")]
    if crate::fused::is_available() {
        kernels.push(Kernel { pass: avx2::pass });
    }
    kernels
}

/// The fastest kernel, looked for once.
pub fn best() -> Kernel {
    static BEST: OnceLock<Kernel> = OnceLock::new();
    *BEST.get_or_init(|| available().pop().unwrap_or(Kernel { pass: scalar::pass }))
}

/// `sum += a x`, lane by lane.
#[allow(clippy::inline_always)]
#[inline(always)]
fn add(sum: &mut Lanes, a: f32, x: &Lanes, fma: impl Fn(f32, f32, f32) -> f32) {
    for l in 0..LANES {
        sum[l] = fma(a, x[l], sum[l]);
    }
}

/// Scalar product, in an order that vectorises.
#[allow(clippy::inline_always)]
#[inline(always)]
fn dot(a: &Lanes, b: &Lanes) -> f32 {
    let mut products = [0.0; LANES];
    for l in 0..LANES {
        products[l] = a[l] * b[l];
    }
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            products[l] += products[l + width];
        }
        width /= 2;
    }
    products[0]
}

/// The body that every instruction set compiles in its own way: it has to be inlined to be compiled with its features.
#[allow(clippy::inline_always)]
#[inline(always)]
fn pass(
    z: &[f32],
    y: &[f32],
    n_rows: usize,
    network: &Network,
    gradient: &mut Network,
    fma: impl Fn(f32, f32, f32) -> f32 + Copy,
) -> f64 {
    let columns = network.columns();
    let tiles = network.units() / LANES;
    let mut activations = vec![[[0.0; LANES]; ROWS]; tiles];
    let mut loss = 0.0;
    for (block, y) in y.as_chunks::<ROWS>().0.iter().enumerate() {
        let z = z[block * columns * ROWS..][..columns * ROWS].as_chunks::<ROWS>().0;
        let mut error = [network.offset; ROWS];
        for (tile, active) in activations.iter_mut().enumerate() {
            forward(z, network, tile, active, fma);
            let outgoing = network.outgoing.as_chunks::<LANES>().0[tile];
            for (error, active) in error.iter_mut().zip(active) {
                *error += dot(active, &outgoing);
            }
        }
        for (r, error) in error.iter_mut().enumerate() {
            *error = if block * ROWS + r < n_rows { *error - y[r] } else { 0.0 };
            loss += f64::from(*error) * f64::from(*error);
            *error *= 2.0;
        }
        gradient.offset += error.iter().sum::<f32>();
        for (tile, active) in activations.iter().enumerate() {
            backward(z, error, network, tile, active, gradient, fma);
        }
    }
    loss
}

/// Activations of one tile of units, for one block of rows.
#[allow(clippy::inline_always)]
#[inline(always)]
fn forward(
    z: &[[f32; ROWS]],
    network: &Network,
    tile: usize,
    active: &mut [Lanes; ROWS],
    fma: impl Fn(f32, f32, f32) -> f32 + Copy,
) {
    let tiles = network.units() / LANES;
    let bias = network.bias.as_chunks::<LANES>().0[tile];
    let (mut s0, mut s1, mut s2, mut s3) = (bias, bias, bias, bias);
    let weights = network.weights.as_chunks::<LANES>().0[tile..].iter().step_by(tiles);
    for (w, z) in weights.zip(z) {
        add(&mut s0, z[0], w, fma);
        add(&mut s1, z[1], w, fma);
        add(&mut s2, z[2], w, fma);
        add(&mut s3, z[3], w, fma);
    }
    for (active, sum) in active.iter_mut().zip([s0, s1, s2, s3]) {
        for l in 0..LANES {
            active[l] = sum[l].max(0.0);
        }
    }
}

/// Gradient of one tile of units from one block of rows; `error` is the derivative by the output.
#[allow(clippy::inline_always)]
#[inline(always)]
fn backward(
    z: &[[f32; ROWS]],
    error: [f32; ROWS],
    network: &Network,
    tile: usize,
    active: &[Lanes; ROWS],
    gradient: &mut Network,
    fma: impl Fn(f32, f32, f32) -> f32 + Copy,
) {
    let tiles = network.units() / LANES;
    let outgoing = network.outgoing.as_chunks::<LANES>().0[tile];
    let mut delta = [[0.0; LANES]; ROWS];
    for r in 0..ROWS {
        for l in 0..LANES {
            delta[r][l] = if active[r][l] > 0.0 { error[r] * outgoing[l] } else { 0.0 };
        }
        add(&mut gradient.outgoing.as_chunks_mut::<LANES>().0[tile], error[r], &active[r], fma);
        add(&mut gradient.bias.as_chunks_mut::<LANES>().0[tile], 1.0, &delta[r], fma);
    }
    let [d0, d1, d2, d3] = delta;
    let weights = gradient.weights.as_chunks_mut::<LANES>().0[tile..].iter_mut().step_by(tiles);
    for (w, z) in weights.zip(z) {
        add(w, z[0], &d0, fma);
        add(w, z[1], &d1, fma);
        add(w, z[2], &d2, fma);
        add(w, z[3], &d3, fma);
    }
}

mod scalar {
    use super::Network;

    pub(super) fn pass(z: &[f32], y: &[f32], n_rows: usize, network: &Network, gradient: &mut Network) -> f64 {
        super::pass(z, y, n_rows, network, gradient, |a, b, c| a * b + c)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Network;

    #[allow(clippy::redundant_closure_for_method_calls, reason = "the closure is inlined, and compiled with FMA")]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn pass(z: &[f32], y: &[f32], n_rows: usize, network: &Network, gradient: &mut Network) -> f64 {
        super::pass(z, y, n_rows, network, gradient, |a, b, c| a.mul_add(b, c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ngc::stream::Stream;

    const COLUMNS: usize = 5;
    const HIDDEN: usize = 20;
    /// Not a whole number of blocks.
    const N_ROWS: usize = 10;

    type Parameter = fn(&mut Network, usize) -> &mut f32;

    struct Case {
        z: Vec<f32>,
        y: Vec<f32>,
        network: Network,
    }

    impl Case {
        fn new() -> Self {
            let mut stream = Stream::new(1, &[]);
            let padded = N_ROWS.next_multiple_of(ROWS);
            let mut draw = |n: usize| (0..n).map(|_| stream.uniform(2.0)).collect::<Vec<_>>();
            let columns: Vec<(u64, usize)> = (0..COLUMNS).map(|k| (k as u64, 1)).collect();
            Self { z: draw(padded * COLUMNS), y: draw(padded), network: Network::random(3, 4, &columns, HIDDEN) }
        }

        /// The sum of squared errors from its definition, in f64.
        fn loss(&self, network: &Network) -> f64 {
            let unit = |r: usize, h: usize| {
                let z = |k: usize| f64::from(self.z[(r / ROWS * COLUMNS + k) * ROWS + r % ROWS]);
                let sum: f64 = (0..COLUMNS).map(|k| f64::from(network.column(k)[h]) * z(k)).sum();
                f64::from(network.outgoing[h]) * (sum + f64::from(network.bias[h])).max(0.0)
            };
            let output = |r| f64::from(network.offset) + (0..HIDDEN).map(|h| unit(r, h)).sum::<f64>();
            (0..N_ROWS).map(|r| (output(r) - f64::from(self.y[r])).powi(2)).sum()
        }
    }

    #[test]
    fn every_kernel_gives_the_loss_and_its_derivatives() {
        const STEP: f32 = 1e-3;
        let case = Case::new();
        let parameters: [(Parameter, usize); 4] = [
            (|n, at| &mut n.column_mut(at % COLUMNS)[at / COLUMNS], COLUMNS * HIDDEN),
            (|n, at| &mut n.bias[at], HIDDEN),
            (|n, at| &mut n.outgoing[at], HIDDEN),
            (|n, _| &mut n.offset, 1),
        ];
        for (which, kernel) in available().into_iter().enumerate() {
            let mut gradient = Network::zeros(COLUMNS, HIDDEN);
            let loss = kernel.pass(&case.z, &case.y, N_ROWS, &case.network, &mut gradient);
            assert!((loss / case.loss(&case.network) - 1.0).abs() < 1e-5, "kernel {which}");
            for (parameter, count) in parameters {
                for at in 0..count {
                    let moved = |step: f32| {
                        let mut network = case.network.clone();
                        *parameter(&mut network, at) += step;
                        case.loss(&network)
                    };
                    let slope = (moved(STEP) - moved(-STEP)) / f64::from(2.0 * STEP);
                    let found = f64::from(*parameter(&mut gradient, at));
                    assert!((found - slope).abs() < 1e-2 * (1.0 + slope.abs()), "kernel {which}: {found} {slope}");
                }
            }
        }
    }

    #[test]
    fn padded_units_and_rows_change_nothing() {
        let mut case = Case::new();
        let mut gradient = Network::zeros(COLUMNS, HIDDEN);
        let loss = best().pass(&case.z, &case.y, N_ROWS, &case.network, &mut gradient);
        assert!((0..COLUMNS).all(|k| gradient.column(k)[HIDDEN..].iter().all(|&w| w == 0.0)));
        assert!(gradient.outgoing[HIDDEN..].iter().chain(&gradient.bias[HIDDEN..]).all(|&w| w == 0.0));
        case.y[N_ROWS..].fill(1e3);
        let mut again = Network::zeros(COLUMNS, HIDDEN);
        assert_eq!(best().pass(&case.z, &case.y, N_ROWS, &case.network, &mut again), loss);
        assert_eq!(again, gradient);
    }
}
