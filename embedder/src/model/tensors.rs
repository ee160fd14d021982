//! `model.safetensors`, read with Candle: tensors by name, checked for their expected shape.

use candle_core::safetensors::BufferedSafetensors;
use candle_core::{CpuStorage, DType, Device, Storage, Tensor};

use super::ModelError;
use super::files::WEIGHTS;

/// The tensors of a model.
pub(super) struct Tensors {
    file: BufferedSafetensors,
    prefix: &'static str,
}

impl Tensors {
    /// Parses the file's bytes.
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let size = bytes.len();
        let file = BufferedSafetensors::new(bytes).map_err(|error| {
            ModelError::refused(WEIGHTS, format!("({size} bytes) is cut short or damaged: {}", plain(&error)))
        })?;
        let named = |prefix: &str| file.get(&format!("{prefix}embeddings.word_embeddings.weight")).is_ok();
        let prefix = ["", "bert.", "roberta.", "model."].into_iter().find(|prefix| named(prefix)).ok_or_else(|| {
            ModelError::refused(
                WEIGHTS,
                "has no embeddings.word_embeddings.weight; it is not a model of the BERT family",
            )
        })?;
        Ok(Self { file, prefix })
    }

    /// An f32 tensor; all values must be finite.
    pub(super) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        self.named(&format!("{}{name}", self.prefix), shape)
    }

    /// An f32 tensor by its full name.
    fn named(&self, full: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let refused = |problem: String| ModelError::refused(WEIGHTS, format!("{problem} the tensor {full}"));
        let view = self.file.get(full).map_err(|_| refused("lacks".to_owned()))?;
        if view.shape() != shape {
            return Err(ModelError::refused(
                WEIGHTS,
                format!("has {full} of shape {:?}; config.json asks for {shape:?}", view.shape()),
            ));
        }
        let load = || self.file.load(full, &Device::Cpu)?.to_dtype(DType::F32);
        let tensor = load().map_err(|error| refused(format!("({}) cannot give", plain(&error))))?;
        if are_finite(&tensor) {
            Ok(tensor)
        } else {
            Err(refused("has values that are not finite numbers in".to_owned()))
        }
    }

    /// The values of a tensor.
    pub(super) fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        Ok(self.tensor(name, shape)?.flatten_all()?.to_vec1()?)
    }

    /// Gain and bias of a layer norm, under their present names or those of the original BERT.
    pub(super) fn norm(&self, name: &str, width: usize) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        let old = self.file.get(&format!("{}{name}.gamma", self.prefix)).is_ok();
        let (gain, bias) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        Ok((self.values(&format!("{name}.{gain}"), &[width])?, self.values(&format!("{name}.{bias}"), &[width])?))
    }

    /// Weights and bias of a linear layer.
    pub(super) fn linear(&self, name: &str, n: usize, k: usize) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        Ok((self.values(&format!("{name}.weight"), &[n, k])?, self.values(&format!("{name}.bias"), &[n])?))
    }

    /// The shape of a tensor by its full name, if the file has it.
    pub(super) fn shape(&self, full: &str) -> Option<Vec<usize>> {
        self.file.get(full).ok().map(|view| view.shape().to_vec())
    }

    /// Weights and bias of a linear layer outside the encoder, by its full name.
    pub(super) fn outer_linear(&self, name: &str, n: usize, k: usize) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        let values = |part: &str, shape: &[usize]| -> Result<Vec<f32>, ModelError> {
            Ok(self.named(&format!("{name}.{part}"), shape)?.flatten_all()?.to_vec1()?)
        };
        Ok((values("weight", &[n, k])?, values("bias", &[n])?))
    }
}

/// Whether all values of an f32 tensor are finite; checked in place, since token tables are large.
fn are_finite(tensor: &Tensor) -> bool {
    let (storage, _) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(CpuStorage::F32(values)) => values.iter().all(|x| x.is_finite()),
        _ => false,
    }
}

/// The message without the backtrace that Candle may append.
fn plain(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
