//! Distributions and what is built on them.

pub mod f;
pub mod normal;
pub mod student_t;
