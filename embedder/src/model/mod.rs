//! A sentence embedding model, opened from a folder, which computes vectors of texts, and a cross-encoder, which scores
//! texts for a query. Opening validates all files and reports problems precisely. Knows nothing of threads, queues or
//! the network.

mod architecture;
mod bert;
mod cross_encoder;
mod error;
mod files;
mod modules;
mod ops;
mod options;
mod prompts;
mod tensors;
mod tokenize;

use std::fmt;
use std::path::Path;

use kimberly_core::embedding::ModelKey;

pub use cross_encoder::{CrossEncoder, Pair};
pub use error::ModelError;
pub use files::folder_of;
pub use ops::Workspace;
pub use options::{Options, Precision};
pub use prompts::{Prefixes, Purpose};

use architecture::Architecture;
use bert::Bert;
use files::Files;
use modules::{Modules, Pooling};
use tensors::Tensors;
use tokenize::Tokens;

/// A model, usable from any number of threads at once.
pub struct Model {
    key: ModelKey,
    precision: Precision,
    bert: Bert,
    pooling: Pooling,
    tokens: Tokens,
    prompts: prompts::Prompts,
}

impl Model {
    /// Opens and validates the model in a folder.
    pub fn open(folder: &Path, options: &Options) -> Result<Self, ModelError> {
        let files = Files::read(folder)?;
        let modules = Modules::read(&files)?;
        let architecture = Architecture::read(&files, &modules)?;
        modules.check(&architecture)?;
        let prompts = prompts::Prompts::read(&files, &options.prefixes)?;
        let tokens = Tokens::read(&files, &modules, &architecture, 1)?;
        let version = files.version(&prompts);
        let id = ModelKey::slugged(&folder_name(folder));
        let dimension = u32::try_from(architecture.hidden).unwrap_or(u32::MAX);
        let key = ModelKey::new(&id, &version, dimension)
            .map_err(|error| ModelError::refused("config.json", format!("has no usable key: {error}")))?;
        let bert = Bert::load(&Tensors::open(&files.into_weights())?, &architecture, options)?;
        Ok(Self { key, precision: options.precision, bert, pooling: modules.pooling, tokens, prompts })
    }

    /// The model's id, version and dimension.
    pub const fn key(&self) -> &ModelKey {
        &self.key
    }

    /// The precision of the model's weights.
    pub const fn precision(&self) -> Precision {
        self.precision
    }

    /// Maximum tokens per text, special tokens included; longer texts are truncated.
    pub const fn window(&self) -> usize {
        self.tokens.window()
    }

    /// Size of the model's weights in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.bert.bytes()
    }

    /// The prefix of texts for a purpose.
    pub fn prefix(&self, purpose: Purpose) -> &str {
        self.prompts.of(purpose)
    }

    /// The tokens of a text, between one and [`Self::window`].
    pub fn tokenize(&self, text: &str, purpose: Purpose) -> Result<Vec<u32>, ModelError> {
        self.tokens.of(self.prompts.of(purpose), text)
    }

    /// The vectors of tokenized texts, each of length 1.
    pub fn embed(&self, texts: &[Vec<u32>], workspace: &mut Workspace) -> Result<Vec<Vec<f32>>, ModelError> {
        let vectors = self.bert.embed(texts, self.pooling, workspace)?;
        if vectors.iter().flatten().all(|x| x.is_finite()) {
            Ok(vectors)
        } else {
            Err(ModelError::Compute("the model gave a vector that is not finite".to_owned()))
        }
    }
}

/// Omits the weights.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({}, {})", self.key, self.precision.name())
    }
}

/// The folder's real name, even if given as `.` or a link.
fn folder_name(folder: &Path) -> String {
    let named = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    named.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
