//! Data for the tests of the screens.

/// `n` independent series of `t` samples, about uniform on (-0.5, 0.5), the same at every call.
pub fn noise(n: usize, t: usize) -> Vec<f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        // xorshift64
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..n * t).map(|_| next()).collect()
}
