//! The inner loops of embedding models, optimized per processor.
//!
//! [`Cpu::detect`] selects a level at run time: AVX-512 with VNNI, AVX2 with FMA, or the baseline (also on other
//! architectures). Every operation exists at each level and gives the same result within rounding; integer results
//! are identical. Only packing and growing scratch space allocate; nothing here knows models or texts, or uses
//! `unsafe`.

mod cpu;
mod dot;
mod level;
mod ops;

pub use cpu::Cpu;
pub use dot::{MAX_DOT_DIMENSION, dot_i8, dot_i8_rows};
pub use ops::{Finish, Heads, Linear, Scratch, attend, layer_norm};

/// Pools the vectors of a text's tokens into one vector of the text.
pub mod pooling {
    pub use crate::ops::{cls, max, mean, normalize};
}
