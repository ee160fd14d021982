//! The kernels, written once for all levels (see `level`), and their public types.

mod attention;
mod elementwise;
mod gemm_f32;
mod gemm_i8;
pub(crate) mod linear;
mod pool;
mod scratch;

#[cfg(test)]
mod tests;

pub(crate) use attention::attention;
pub(crate) use elementwise::elementwise;
pub(crate) use gemm_f32::{TILES, gemm_f32};
pub(crate) use gemm_i8::gemm_i8;

pub use attention::{Heads, attend};
pub use elementwise::layer_norm;
pub use linear::{Finish, Linear};
pub use pool::{cls, max, mean, normalize};
pub use scratch::Scratch;
pub(crate) use scratch::grown;
