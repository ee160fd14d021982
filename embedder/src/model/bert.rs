//! The network: weights packed for the kernels, and the order of its stages.

use kimberly_kernels::{Cpu, Linear};

use super::ModelError;
use super::architecture::Architecture;
use super::modules::Pooling;
use super::ops::{Layer, Lookup, Norm, Seconds, Workspace, pool};
use super::options::{Options, Precision};
use super::tensors::Tensors;

/// A network of the BERT family.
#[derive(Debug)]
pub(super) struct Bert {
    words: Vec<f32>,
    positions: Vec<f32>,
    /// What the second token type adds to the first.
    second: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    hidden: usize,
    cpu: Cpu,
}

impl Bert {
    pub(super) fn load(tensors: &Tensors<'_>, built: &Architecture, options: &Options) -> Result<Self, ModelError> {
        let h = built.hidden;
        let words = tensors.values("embeddings.word_embeddings.weight", &[built.vocabulary, h])?;
        let positions = tensors.values("embeddings.position_embeddings.weight", &[built.positions, h])?;
        let types = tensors.values("embeddings.token_type_embeddings.weight", &[built.types, h])?;
        let norm = norm(tensors, "embeddings.LayerNorm", built)?;
        let of_texts = positions.get(built.first_position * h..).unwrap_or_default();
        let positions = of_texts.chunks_exact(h).flat_map(|row| row.iter().zip(&types).map(|(a, b)| a + b)).collect();
        let second = types.iter().skip(h).take(h).zip(&types).map(|(second, first)| second - first).collect();
        let layers = (0..built.layers).map(|at| layer(tensors, at, built, options)).collect::<Result<_, _>>()?;
        Ok(Self { words, positions, second, norm, layers, hidden: h, cpu: options.cpu })
    }

    /// Size of the tables and packed weights in bytes.
    pub(super) fn bytes(&self) -> usize {
        let of_layer = |layer: &Layer| {
            [&layer.attention_in, &layer.attention_out, &layer.up, &layer.down].map(Linear::bytes).iter().sum::<usize>()
        };
        (self.words.len() + self.positions.len()) * 4 + self.layers.iter().map(of_layer).sum::<usize>()
    }

    /// The vectors of texts with at least one token each.
    pub(super) fn embed(
        &self,
        texts: &[Vec<u32>],
        pooling: Pooling,
        workspace: &mut Workspace,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let x = self.encode(&texts.concat(), &lengths, None, workspace)?;
        Ok(pool(&x, &lengths, self.hidden, pooling))
    }

    /// The last layer's values of all tokens. `seconds` are the positions in each text from which tokens are of the
    /// second type; `None` if all are of the first.
    pub(super) fn encode(
        &self,
        tokens: &[u32],
        lengths: &[usize],
        seconds: Option<&[usize]>,
        workspace: &mut Workspace,
    ) -> Result<Vec<f32>, ModelError> {
        let seconds = seconds.map(|from| Seconds { from, adds: &self.second });
        let (words, positions) = (&self.words, &self.positions);
        let lookup = Lookup { words, lengths, positions, seconds, norm: &self.norm, cpu: self.cpu };
        let mut x = lookup.rows(tokens)?;
        for layer in &self.layers {
            layer.apply(&mut x, lengths, workspace);
        }
        Ok(x)
    }
}

fn norm(tensors: &Tensors<'_>, name: &str, built: &Architecture) -> Result<Norm, ModelError> {
    let (gain, bias) = tensors.norm(name, built.hidden)?;
    Ok(Norm { gain, bias, epsilon: built.epsilon })
}

fn layer(tensors: &Tensors<'_>, at: usize, built: &Architecture, options: &Options) -> Result<Layer, ModelError> {
    let (h, wide) = (built.hidden, built.intermediate);
    let name = |part: &str| format!("encoder.layer.{at}.{part}");
    let linear = |part: &str, n, k| tensors.linear(&name(part), n, k);
    let pack = |(weights, bias): (Vec<f32>, Vec<f32>)| packed(&weights, &bias, options);
    let (mut weights, mut bias) = linear("attention.self.query", h, h)?;
    // Attention divides scores by the root of the head's dimension; here that is folded into the query weights.
    #[expect(clippy::cast_precision_loss, reason = "at most 4,096")]
    let scale = 1.0 / (built.heads.dimension as f32).sqrt();
    weights.iter_mut().chain(&mut bias).for_each(|x| *x *= scale);
    for part in ["attention.self.key", "attention.self.value"] {
        let (more, more_bias) = linear(part, h, h)?;
        weights.extend(more);
        bias.extend(more_bias);
    }
    Ok(Layer {
        attention_in: pack((weights, bias))?,
        attention_out: pack(linear("attention.output.dense", h, h)?)?,
        attention_norm: norm(tensors, &name("attention.output.LayerNorm"), built)?,
        up: pack(linear("intermediate.dense", wide, h)?)?,
        down: pack(linear("output.dense", h, wide)?)?,
        norm: norm(tensors, &name("output.LayerNorm"), built)?,
        heads: built.heads,
        activation: built.activation,
        cpu: options.cpu,
    })
}

fn packed(weights: &[f32], bias: &[f32], options: &Options) -> Result<Linear, ModelError> {
    let made = match options.precision {
        Precision::F32 => Linear::float(options.cpu, weights, bias),
        Precision::Int8 => Linear::quantized(options.cpu, weights, bias),
    };
    made.ok_or_else(|| ModelError::Compute("a layer's weights and bias do not fit each other".to_owned()))
}
