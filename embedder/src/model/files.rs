//! The files of a model: read once, bounded, and hashed into the model's version.
//!
//! Weights are read rather than mapped: they are hashed and packed once and then dropped, and truncating a mapped file
//! would kill the process. Precision is not part of the version: vectors in f32 and int8 are close (mean cosine .99 and
//! more), so a change of precision re-embeds nothing, and one index may hold both.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use super::ModelError;
use super::prompts::Prompts;

/// The weights.
pub(super) const WEIGHTS: &str = "model.safetensors";
/// Maximum size of the weights in bytes.
const MAX_WEIGHTS: u64 = 8 << 30;
/// Maximum size of other files in bytes: multilingual tokenizers take about 20 MB.
const MAX_OTHER: u64 = 128 << 20;

/// The files of one model, by name within its folder.
pub(super) struct Files {
    folder: PathBuf,
    read: std::cell::RefCell<BTreeMap<String, Vec<u8>>>,
    weights: Vec<u8>,
}

impl Files {
    /// Reads the weights; other files are read on demand.
    pub(super) fn read(folder: &Path) -> Result<Self, ModelError> {
        let found = fs::metadata(folder).map_err(|error| ModelError::unreadable(folder, error))?;
        if !found.is_dir() {
            return Err(ModelError::refused(folder.display().to_string(), "is not a folder; name the model's folder"));
        }
        let Some(weights) = read_bounded(&folder.join(WEIGHTS), MAX_WEIGHTS)? else {
            return Err(ModelError::refused(
                WEIGHTS,
                format!("is missing in {}; only weights in the format safetensors can be read", folder.display()),
            ));
        };
        Ok(Self { folder: folder.to_owned(), read: std::cell::RefCell::default(), weights })
    }

    /// A required file.
    pub(super) fn required(&self, name: &str) -> Result<Vec<u8>, ModelError> {
        self.optional(name)?
            .ok_or_else(|| ModelError::refused(name, format!("is missing in {}", self.folder.display())))
    }

    /// An optional file. Its content becomes part of the version.
    pub(super) fn optional(&self, name: &str) -> Result<Option<Vec<u8>>, ModelError> {
        if let Some(bytes) = self.read.borrow().get(name) {
            return Ok(Some(bytes.clone()));
        }
        let bytes = read_bounded(&self.folder.join(name), MAX_OTHER)?;
        if let Some(bytes) = &bytes {
            self.read.borrow_mut().insert(name.to_owned(), bytes.clone());
        }
        Ok(bytes)
    }

    /// A required JSON file.
    pub(super) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, ModelError> {
        parse(name, &self.required(name)?)
    }

    /// An optional JSON file.
    pub(super) fn optional_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ModelError> {
        self.optional(name)?.map(|bytes| parse(name, &bytes)).transpose()
    }

    /// The first 64 bits, in hexadecimal, of a hash over everything that determines document vectors.
    pub(super) fn version(&self, prompts: &Prompts) -> String {
        let mut hash = Sha256::new();
        let mut part = |name: &str, bytes: &[u8]| {
            hash.update(u64::try_from(name.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(name);
            hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(bytes);
        };
        for (name, bytes) in self.read.borrow().iter().filter(|(name, _)| *name != super::prompts::FILE) {
            part(name, bytes);
        }
        part(WEIGHTS, &self.weights);
        part("document prefix", prompts.of(super::Purpose::Document).as_bytes());
        let first = hash.finalize().first_chunk::<8>().copied().unwrap_or_default();
        format!("{:016x}", u64::from_be_bytes(first))
    }

    pub(super) fn into_weights(self) -> Vec<u8> {
        self.weights
    }
}

fn parse<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, ModelError> {
    serde_json::from_slice(bytes).map_err(|error| ModelError::refused(name, format!("cannot be parsed: {error}")))
}

/// A whole file; `None` if it is missing.
fn read_bounded(path: &Path, most: u64) -> Result<Option<Vec<u8>>, ModelError> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ModelError::unreadable(path, error)),
    };
    let size = file.metadata().map_err(|error| ModelError::unreadable(path, error))?.len();
    if size > most {
        return Err(ModelError::refused(
            path.display().to_string(),
            format!("has {size} bytes; at most {most} are allowed"),
        ));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(most).read_to_end(&mut bytes).map_err(|error| ModelError::unreadable(path, error))?;
    Ok(Some(bytes))
}

/// The folder of a configured model: the path itself if it is a folder, else the folder of that name in
/// `data/models`.
pub fn folder_of(data: &Path, named: &Path) -> PathBuf {
    if named.is_dir() || named.is_absolute() { named.to_owned() } else { data.join("models").join(named) }
}
