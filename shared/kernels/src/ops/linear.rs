//! A linear layer: weights packed once for the processor's level, in f32 or quantized.

use super::Scratch;
use crate::Cpu;
use crate::cpu::at_level;
use crate::level::portable;
#[cfg(target_arch = "x86_64")]
use crate::level::{avx2, avx512};

/// How a product is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Store it.
    Store,
    /// Add it to the stored value.
    Add,
    /// Store its GELU.
    Gelu,
    /// Store its GELU, approximated with tanh.
    GeluTanh,
    /// Store it if positive, else 0.
    Relu,
}

/// Weights `[n][k]` and `n` biases.
#[derive(Debug)]
pub struct Linear {
    cpu: Cpu,
    k: usize,
    n: usize,
    bias: Vec<f32>,
    weights: Weights,
}

#[derive(Debug)]
enum Weights {
    Float(Vec<f32>),
    Quantized(Quantized),
}

/// Quantized weights from -127 to 127, with a scale per column.
#[derive(Debug)]
pub(crate) struct Quantized {
    pub(crate) panels: Vec<i8>,
    pub(crate) scale: Vec<f32>,
    /// The contribution of the rows' offset to each column's sum.
    pub(crate) offset: Vec<i32>,
}

/// The columns of a tile.
pub(crate) struct Columns<'a, const N: usize> {
    pub(crate) bias: &'a [f32; N],
    pub(crate) scale: &'a [f32; N],
    pub(crate) offset: &'a [i32; N],
}

/// How a level packs: columns per panel, adjacent values per column, the offset of quantized rows.
struct Packing {
    columns: usize,
    group: usize,
    offset: i32,
}

macro_rules! packing_of {
    ($level:ident) => {
        Packing { columns: $level::COLUMNS, group: $level::GROUP, offset: $level::OFFSET }
    };
}

impl Packing {
    fn of(cpu: Cpu) -> Self {
        match cpu.0 {
            #[cfg(target_arch = "x86_64")]
            crate::cpu::Level::Avx512(_) => packing_of!(avx512),
            #[cfg(target_arch = "x86_64")]
            crate::cpu::Level::Avx2(_) => packing_of!(avx2),
            crate::cpu::Level::Portable => packing_of!(portable),
        }
    }
}

impl Linear {
    /// Packs weights of `bias.len()` rows of equal length in f32. `None` if the weights have another shape.
    pub fn float(cpu: Cpu, weights: &[f32], bias: &[f32]) -> Option<Self> {
        let (n, k) = shape(weights, bias)?;
        let columns = Packing::of(cpu).columns;
        let mut panels = vec![0.0; n.div_ceil(columns) * columns * k];
        for (o, row) in weights.chunks_exact(k).enumerate() {
            let panel = &mut panels[o / columns * k * columns..][..k * columns];
            for (to, x) in panel.chunks_exact_mut(columns).zip(row) {
                to[o % columns] = *x;
            }
        }
        Some(Self { cpu, k, n, bias: padded(bias, columns), weights: Weights::Float(panels) })
    }

    /// Like [`Self::float`], with each output's weights quantized to integers from -127 to 127.
    pub fn quantized(cpu: Cpu, weights: &[f32], bias: &[f32]) -> Option<Self> {
        let (n, k) = shape(weights, bias)?;
        let Packing { columns, group, offset } = Packing::of(cpu);
        let depth = k.div_ceil(group) * group;
        let padded_columns = n.div_ceil(columns) * columns;
        let mut packed = Quantized {
            panels: vec![0; padded_columns * depth],
            scale: vec![0.0; padded_columns],
            offset: vec![0; padded_columns],
        };
        for (o, row) in weights.chunks_exact(k).enumerate() {
            let scale = row.iter().fold(1e-12f32, |most, x| most.max(x.abs())) / 127.0;
            let panel = &mut packed.panels[o / columns * columns * depth..][..columns * depth];
            let mut sum = 0;
            for (i, x) in row.iter().enumerate() {
                let q = quantized(x / scale);
                panel[(i / group * columns + o % columns) * group + i % group] = q;
                sum += i32::from(q);
            }
            packed.scale[o] = scale;
            packed.offset[o] = offset * sum;
        }
        Some(Self { cpu, k, n, bias: padded(bias, columns), weights: Weights::Quantized(packed) })
    }

    /// Values per input row.
    pub const fn inputs(&self) -> usize {
        self.k
    }

    /// Values per output row.
    pub const fn outputs(&self) -> usize {
        self.n
    }

    /// Size of the packed weights in bytes.
    pub fn bytes(&self) -> usize {
        match &self.weights {
            Weights::Float(panels) => panels.len() * 4,
            Weights::Quantized(packed) => packed.panels.len() + packed.scale.len() * 8,
        }
    }

    /// Multiplies each row of `input` by the weights, adds the bias and stores it in the row of `out` with the same
    /// index. Incomplete rows of either are ignored.
    pub fn apply(&self, input: &[f32], finish: Finish, out: &mut [f32], scratch: &mut Scratch) {
        let (k, n) = (self.k, self.n);
        let rows = (input.len() / k).min(out.len() / n);
        let (input, out) = (&input[..rows * k], &mut out[..rows * n]);
        match &self.weights {
            Weights::Float(panels) => {
                at_level!(self.cpu, gemm_f32(input, k, n, panels, &self.bias, finish, out, scratch));
            }
            Weights::Quantized(weights) => {
                at_level!(self.cpu, gemm_i8(input, k, n, weights, &self.bias, finish, out, scratch));
            }
        }
    }
}

fn shape(weights: &[f32], bias: &[f32]) -> Option<(usize, usize)> {
    let n = bias.len();
    let k = weights.len().checked_div(n)?;
    (k > 0 && n * k == weights.len()).then_some((n, k))
}

fn padded(bias: &[f32], columns: usize) -> Vec<f32> {
    let mut padded = bias.to_vec();
    padded.resize(bias.len().div_ceil(columns) * columns, 0.0);
    padded
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to what fits")]
fn quantized(x: f32) -> i8 {
    x.round_ties_even().clamp(-127.0, 127.0) as i8
}
