//! `model.safetensors`: tensors by name, checked for their expected shape.

use half::{bf16, f16};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::ModelError;
use super::files::WEIGHTS;

/// The tensors of a model.
pub(super) struct Tensors<'a> {
    file: SafeTensors<'a>,
    prefix: &'static str,
}

impl<'a> Tensors<'a> {
    /// Parses the file's bytes.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let file = SafeTensors::deserialize(bytes).map_err(|error| {
            ModelError::refused(WEIGHTS, format!("({} bytes) is cut short or damaged: {error}", bytes.len()))
        })?;
        let named = |prefix: &str| file.tensor(&format!("{prefix}embeddings.word_embeddings.weight")).is_ok();
        let prefix = ["", "bert.", "roberta.", "model."].into_iter().find(|prefix| named(prefix)).ok_or_else(|| {
            ModelError::refused(
                WEIGHTS,
                "has no embeddings.word_embeddings.weight; it is not a model of the BERT family",
            )
        })?;
        Ok(Self { file, prefix })
    }

    /// The values of a tensor, which must be finite.
    pub(super) fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        self.named(&format!("{}{name}", self.prefix), shape)
    }

    /// The values of a tensor by its full name.
    fn named(&self, full: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let refused = |problem: String| ModelError::refused(WEIGHTS, format!("{problem} the tensor {full}"));
        let view = self.file.tensor(full).map_err(|_| refused("lacks".to_owned()))?;
        if view.shape() != shape {
            return Err(ModelError::refused(
                WEIGHTS,
                format!("has {full} of shape {:?}; config.json asks for {shape:?}", view.shape()),
            ));
        }
        let values = floats(&view)
            .ok_or_else(|| refused(format!("has values of type {}, not F32, F16 or BF16, in", view.dtype())))?;
        if values.iter().all(|x| x.is_finite()) {
            Ok(values)
        } else {
            Err(refused("has values that are not finite numbers in".to_owned()))
        }
    }

    /// Gain and bias of a layer norm, under their present names or those of the original BERT.
    pub(super) fn norm(&self, name: &str, width: usize) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        let old = self.file.tensor(&format!("{}{name}.gamma", self.prefix)).is_ok();
        let (gain, bias) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        Ok((self.values(&format!("{name}.{gain}"), &[width])?, self.values(&format!("{name}.{bias}"), &[width])?))
    }

    /// Weights and bias of a linear layer.
    pub(super) fn linear(&self, name: &str, n: usize, k: usize) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        Ok((self.values(&format!("{name}.weight"), &[n, k])?, self.values(&format!("{name}.bias"), &[n])?))
    }

    /// The shape of a tensor by its full name, if the file has it.
    pub(super) fn shape(&self, full: &str) -> Option<Vec<usize>> {
        self.file.tensor(full).ok().map(|view| view.shape().to_vec())
    }

    /// Weights and bias of a linear layer outside the encoder, by its full name.
    pub(super) fn outer_linear(&self, name: &str, n: usize, k: usize) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        Ok((self.named(&format!("{name}.weight"), &[n, k])?, self.named(&format!("{name}.bias"), &[n])?))
    }
}

/// The values as 32-bit floats; `None` if the file has them in a type other than a float of 16 or 32 bits.
fn floats(view: &TensorView<'_>) -> Option<Vec<f32>> {
    let (pairs, fours) = (view.data().as_chunks().0.iter(), view.data().as_chunks().0.iter());
    match view.dtype() {
        Dtype::F32 => Some(fours.map(|bytes| f32::from_le_bytes(*bytes)).collect()),
        Dtype::F16 => Some(pairs.map(|bytes| f16::from_le_bytes(*bytes).to_f32()).collect()),
        Dtype::BF16 => Some(pairs.map(|bytes| bf16::from_le_bytes(*bytes).to_f32()).collect()),
        _ => None,
    }
}
