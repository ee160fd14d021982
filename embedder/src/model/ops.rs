//! The stages of the network, each over the tokens of consecutive texts without padding, computed by the kernels in
//! reused buffers.

use kimberly_kernels::{Cpu, Finish, Heads, Linear, Scratch, attend, layer_norm, pooling};

use super::ModelError;
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

impl Layer {
    /// Applies the layer in place to the tokens of texts.
    pub(super) fn apply(&self, x: &mut [f32], lengths: &[usize], workspace: &mut Workspace) {
        let Workspace { scratch, buffers: Buffers { wide, attended } } = workspace;
        let tokens = x.len() / self.attention_in.inputs();
        let qkv = grown(wide, tokens * self.attention_in.outputs());
        let attended = grown(attended, x.len());
        self.attention_in.apply(x, Finish::Store, qkv, scratch);
        attend(self.cpu, qkv, lengths, self.heads, attended, scratch);
        self.attention_out.apply(attended, Finish::Add, x, scratch);
        self.attention_norm.apply(self.cpu, x);
        let middle = grown(wide, tokens * self.up.outputs());
        self.up.apply(x, self.activation, middle, scratch);
        self.down.apply(middle, Finish::Add, x, scratch);
        self.norm.apply(self.cpu, x);
    }
}

/// The first stage: the sum of each token's and its position's rows, normalized.
pub(super) struct Lookup<'a> {
    /// Rows of tokens.
    pub(super) words: &'a [f32],
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

impl Lookup<'_> {
    /// The rows of all tokens; an error if a token or its position has none.
    pub(super) fn rows(&self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        let width = self.norm.gain.len();
        let mut x = Vec::with_capacity(tokens.len() * width);
        let mut rest = tokens;
        for (number, &length) in self.lengths.iter().enumerate() {
            let first = x.len();
            let (text, after) = rest
                .split_at_checked(length)
                .ok_or_else(|| ModelError::Compute("texts are longer than tokens".to_owned()))?;
            rest = after;
            for (id, position) in text.iter().zip(self.positions.chunks_exact(width)) {
                let start = usize::try_from(*id).unwrap_or(usize::MAX).saturating_mul(width);
                let row = self
                    .words
                    .get(start..start.saturating_add(width))
                    .ok_or_else(|| ModelError::Compute(format!("token {id} is not in the model's table")))?;
                x.extend(row.iter().zip(position).map(|(a, b)| a + b));
            }
            if let Some(seconds) = self.seconds.as_ref().filter(|seconds| !seconds.adds.is_empty()) {
                let from = seconds.from.get(number).map_or(length, |from| *from);
                for row in x[first..].chunks_exact_mut(width).skip(from) {
                    row.iter_mut().zip(seconds.adds).for_each(|(value, added)| *value += added);
                }
            }
        }
        if x.len() != tokens.len() * width {
            return Err(ModelError::Compute("a text is longer than the model's window".to_owned()));
        }
        self.norm.apply(self.cpu, &mut x);
        Ok(x)
    }
}

/// The last stage: one normalized vector of `width` per text.
pub(super) fn pool(x: &[f32], lengths: &[usize], width: usize, pooling: Pooling) -> Vec<Vec<f32>> {
    let mut rest = x;
    let pooled = lengths.iter().map(|&length| {
        let (rows, after) = rest.split_at(length * width);
        rest = after;
        let mut vector = vec![0.0; width];
        match pooling {
            Pooling::Mean => pooling::mean(rows, &mut vector),
            Pooling::Cls => pooling::cls(rows, &mut vector),
            Pooling::Max => pooling::max(rows, &mut vector),
        }
        pooling::normalize(&mut vector);
        vector
    });
    pooled.collect()
}

/// The first `length` elements of a buffer, which grows to the largest batch.
fn grown(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}
