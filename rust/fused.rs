//! Multiplying and adding in one step, where the machine can.

/// Whether the machine has AVX2 and FMA, which bodies compiled for `avx2,fma` need.
#[cfg(target_arch = "x86_64")]
pub fn is_available() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// `a b + c`, rounded once where the machine has an instruction for it: without one, `mul_add` is a slow call.
#[allow(clippy::inline_always, reason = "to be compiled with the caller's instructions")]
#[inline(always)]
pub fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}
