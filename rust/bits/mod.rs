//! Bits, 64 samples a word: how samples are laid out, packed code planes, and the kernels that count them.

pub mod kernel;
mod layout;
mod planes;

pub use layout::Layout;
pub use planes::{INVALID, Planes, advance, delay};
