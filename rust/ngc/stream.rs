//! Random numbers that depend on a seed and on names only, never on the order of work.

/// `SplitMix64` (Steele, Lea and Flood 2014): a counter, mixed.
#[derive(Debug, Clone)]
pub struct Stream {
    state: u64,
}

/// The golden ratio in 64 bits, the step of the counter.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Stream {
    /// The stream of a seed and of keys, such as those of a target, a source and a lag; other keys, another stream.
    pub fn new(seed: u64, keys: &[u64]) -> Self {
        let state = keys.iter().fold(mixed(seed.wrapping_add(STEP)), |state, &key| mixed(state ^ mixed(key)));
        Self { state }
    }

    /// Uniform on [-bound, bound).
    pub fn uniform(&mut self, bound: f32) -> f32 {
        // 24 bits are all that an f32 can tell apart.
        let unit = (self.next() >> 40) as f32 / (1 << 24) as f32;
        bound * (2.0 * unit - 1.0)
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mixed(self.state)
    }
}

fn mixed(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64, keys: &[u64]) -> Vec<f32> {
        let mut stream = Stream::new(seed, keys);
        (0..1000).map(|_| stream.uniform(0.5)).collect()
    }

    #[test]
    fn the_generator_is_splitmix64() {
        // First outputs from state 0, as published with the reference code.
        let mut stream = Stream { state: 0 };
        let first: [u64; 3] = std::array::from_fn(|_| stream.next());
        assert_eq!(first, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }

    #[test]
    fn numbers_fill_the_range_evenly() {
        let x = draws(3, &[1, 2]);
        assert!(x.iter().all(|x| (-0.5..0.5).contains(x)));
        let mean = x.iter().sum::<f32>() / 1000.0;
        let variance = x.iter().map(|x| x * x).sum::<f32>() / 1000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0 / 12.0).abs() < 0.01, "{mean} {variance}");
    }

    #[test]
    fn seed_and_every_key_in_its_place_make_another_stream() {
        let all = [draws(1, &[5, 7]), draws(2, &[5, 7]), draws(1, &[7, 5]), draws(1, &[5]), draws(1, &[5, 7, 0])];
        for (k, x) in all.iter().enumerate() {
            assert!(all[..k].iter().all(|other| other[..3] != x[..3]));
        }
        assert_eq!(all[0], draws(1, &[5, 7]));
    }
}
