//! The inner loops of embeddings, written for the processor that they run on.
//!
//! [`Cpu::detect`] finds at run time what the processor can do: AVX-512 with VNNI, AVX2 with FMA, or nothing that is
//! not everywhere (also the way on other architectures). Every operation exists for each of these levels and gives the
//! same result within rounding; integer results are the same to the bit. Nothing here allocates but packing and the
//! growth of scratch space, knows of models or texts, or uses `unsafe`.

mod cpu;
mod dot;
mod level;
mod ops;

pub use cpu::Cpu;
pub use dot::{MAX_DOT_DIMENSION, dot_i8, dot_i8_rows};
pub use ops::{Finish, Heads, Linear, Scratch, attend, layer_norm};

/// From the vectors of a text's tokens to one of the text.
pub mod pooling {
    pub use crate::ops::{cls, max, mean, normalize};
}
