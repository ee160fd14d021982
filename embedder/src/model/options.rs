//! Options for opening a model.

use kimberly_kernels::Cpu;

use super::prompts::Prefixes;

/// The precision of stored weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats, as most models are published.
    F32,
    /// Bytes with a scale per output: a quarter of the memory and several times the speed.
    Int8,
}

impl Precision {
    /// The name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Int8 => "int8",
        }
    }
}

/// Options for opening a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// The precision of stored weights.
    pub precision: Precision,
    /// Prefixes that override the model's own.
    pub prefixes: Prefixes,
    /// The instruction set of the kernels.
    pub cpu: Cpu,
}

impl Options {
    /// Options with the model's own prefixes and the best instruction set.
    pub fn new(precision: Precision) -> Self {
        Self { precision, prefixes: Prefixes::default(), cpu: Cpu::detect() }
    }
}
