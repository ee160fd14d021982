//! Operations run by Candle: each is a stage of the network over consecutive texts without padding, computed by the
//! kernels in reused buffers.

use std::cell::RefCell;

use candle_core::{CpuStorage, CustomOp1, CustomOp2, Error, InplaceOp1, Layout, Result, Shape, bail};
use kimberly_kernels::{Cpu, Finish, Heads, Linear, Scratch, attend, layer_norm, pooling};

use super::modules::Pooling;

/// Gain, bias and epsilon of a layer norm.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) gain: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) epsilon: f32,
}

impl Norm {
    fn apply(&self, cpu: Cpu, rows: &mut [f32]) {
        layer_norm(cpu, rows, &self.gain, &self.bias, self.epsilon);
    }
}

/// Intermediate results within a layer.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    wide: Vec<f32>,
    attended: Vec<f32>,
}

/// Working buffers of one thread, reused between batches.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) scratch: Scratch,
    buffers: Buffers,
}

/// One layer of the encoder.
#[derive(Debug)]
pub(super) struct Layer {
    /// Queries, keys and values combined; the weights include the scale of queries.
    pub(super) attention_in: Linear,
    pub(super) attention_out: Linear,
    pub(super) attention_norm: Norm,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) norm: Norm,
    pub(super) heads: Heads,
    pub(super) activation: Finish,
    pub(super) cpu: Cpu,
}

/// Applies a layer in place to the tokens of texts.
pub(super) struct Encode<'a> {
    pub(super) layer: &'a Layer,
    pub(super) lengths: &'a [usize],
    pub(super) workspace: RefCell<&'a mut Workspace>,
}

impl InplaceOp1 for Encode<'_> {
    fn name(&self) -> &'static str {
        "kimberly-encoder-layer"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let x = floats_mut(storage, layout)?;
        let layer = self.layer;
        let mut workspace = self.workspace.borrow_mut();
        let Workspace { scratch, buffers: Buffers { wide, attended } } = &mut **workspace;
        let tokens = x.len() / layer.attention_in.inputs();
        let qkv = grown(wide, tokens * layer.attention_in.outputs());
        let attended = grown(attended, x.len());
        layer.attention_in.apply(x, Finish::Store, qkv, scratch);
        attend(layer.cpu, qkv, self.lengths, layer.heads, attended, scratch);
        layer.attention_out.apply(attended, Finish::Add, x, scratch);
        layer.attention_norm.apply(layer.cpu, x);
        let middle = grown(wide, tokens * layer.up.outputs());
        layer.up.apply(x, layer.activation, middle, scratch);
        layer.down.apply(middle, Finish::Add, x, scratch);
        layer.norm.apply(layer.cpu, x);
        Ok(())
    }
}

/// The first stage: the sum of each token's and its position's rows, normalized.
pub(super) struct Lookup<'a> {
    pub(super) lengths: &'a [usize],
    /// Rows of positions, including the row of the first token type.
    pub(super) positions: &'a [f32],
    pub(super) seconds: Option<Seconds<'a>>,
    pub(super) norm: &'a Norm,
    pub(super) cpu: Cpu,
}

/// The tokens of the second type.
pub(super) struct Seconds<'a> {
    /// The position in each text of the first of them.
    pub(super) from: &'a [usize],
    /// What their type adds to the row of a token; empty if the model has one type.
    pub(super) adds: &'a [f32],
}

impl CustomOp2 for Lookup<'_> {
    fn name(&self) -> &'static str {
        "kimberly-embeddings"
    }

    fn cpu_fwd(&self, table: &CpuStorage, of: &Layout, ids: &CpuStorage, at: &Layout) -> Result<(CpuStorage, Shape)> {
        let (table, width) = (floats(table, of)?, self.norm.gain.len());
        let (CpuStorage::U32(ids), Some((from, to))) = (ids, at.contiguous_offsets()) else {
            bail!("tokens are numbers that lie together")
        };
        let ids = &ids[from..to];
        let mut x = Vec::with_capacity(ids.len() * width);
        let mut rest = ids;
        for (number, &length) in self.lengths.iter().enumerate() {
            let first = x.len();
            let (text, after) =
                rest.split_at_checked(length).ok_or_else(|| Error::msg("texts are longer than tokens"))?;
            rest = after;
            for (id, position) in text.iter().zip(self.positions.chunks_exact(width)) {
                let start = usize::try_from(*id).unwrap_or(usize::MAX).saturating_mul(width);
                let Some(row) = table.get(start..start.saturating_add(width)) else {
                    bail!("token {id} is not in the model's table")
                };
                x.extend(row.iter().zip(position).map(|(a, b)| a + b));
            }
            if let Some(seconds) = self.seconds.as_ref().filter(|seconds| !seconds.adds.is_empty()) {
                let from = seconds.from.get(number).map_or(length, |from| *from);
                for row in x[first..].chunks_exact_mut(width).skip(from) {
                    row.iter_mut().zip(seconds.adds).for_each(|(value, added)| *value += added);
                }
            }
        }
        if x.len() != ids.len() * width {
            bail!("a text is longer than the model's window")
        }
        self.norm.apply(self.cpu, &mut x);
        Ok((CpuStorage::F32(x), Shape::from((ids.len(), width))))
    }
}

/// The last stage: one normalized vector per text.
pub(super) struct Pool<'a> {
    pub(super) lengths: &'a [usize],
    pub(super) width: usize,
    pub(super) pooling: Pooling,
}

impl CustomOp1 for Pool<'_> {
    fn name(&self) -> &'static str {
        "kimberly-pooling"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let mut rest = floats(storage, layout)?;
        let mut vectors = vec![0.0; self.lengths.len() * self.width];
        for (&length, vector) in self.lengths.iter().zip(vectors.chunks_exact_mut(self.width)) {
            let (rows, after) = rest.split_at(length * self.width);
            rest = after;
            match self.pooling {
                Pooling::Mean => pooling::mean(rows, vector),
                Pooling::Cls => pooling::cls(rows, vector),
                Pooling::Max => pooling::max(rows, vector),
            }
            pooling::normalize(vector);
        }
        Ok((CpuStorage::F32(vectors), Shape::from((self.lengths.len(), self.width))))
    }
}

fn floats<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(values), Some((from, to))) => Ok(&values[from..to]),
        _ => bail!("values are f32 that lie together"),
    }
}

fn floats_mut<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(values), Some((from, to))) => Ok(&mut values[from..to]),
        _ => bail!("values are f32 that lie together"),
    }
}

/// The first `length` elements of a buffer, which grows to the largest batch.
fn grown(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}
