//! A sentence model: opened from a folder, then computing vectors of texts. Everything that can be wrong with its files
//! is found when it is opened and said precisely; nothing here knows of threads, queues or the network.

mod architecture;
mod bert;
mod error;
mod files;
mod modules;
mod ops;
mod prompts;
mod tensors;
mod tokenize;

use std::fmt;
use std::path::Path;

use kimberly_core::embedding::ModelKey;
use kimberly_kernels::{Cpu, Scratch};

pub use error::ModelError;
pub use files::folder_of;
pub use prompts::{Prefixes, Purpose};

use architecture::Architecture;
use bert::Bert;
use files::Files;
use modules::{Modules, Pooling};
use tokenize::Tokens;

/// What the weights of matrix products are kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats, as most models are published.
    F32,
    /// Bytes with a scale for each output: a quarter of the memory and several times the speed.
    Int8,
}

impl Precision {
    /// Its name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Int8 => "int8",
        }
    }
}

/// How to open a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// What weights are kept in.
    pub precision: Precision,
    /// Put before texts, instead of what the model's files say.
    pub prefixes: Prefixes,
    /// The instructions that the kernels use.
    pub cpu: Cpu,
}

impl Options {
    /// A precision, prefixes as the model says, the best instructions there are.
    pub fn new(precision: Precision) -> Self {
        Self { precision, prefixes: Prefixes::default(), cpu: Cpu::detect() }
    }
}

/// A model, ready to compute on any number of threads at once.
pub struct Model {
    key: ModelKey,
    precision: Precision,
    bert: Bert,
    pooling: Pooling,
    tokens: Tokens,
    prompts: prompts::Prompts,
}

/// Working space of one thread, reused from batch to batch.
#[derive(Debug, Default)]
pub struct Workspace {
    scratch: Scratch,
    buffers: ops::Buffers,
}

impl Model {
    /// Opens the model in a folder, checking every file that it is made of.
    pub fn open(folder: &Path, options: &Options) -> Result<Self, ModelError> {
        let files = Files::read(folder)?;
        let modules = Modules::read(&files)?;
        let architecture = Architecture::read(&files, &modules)?;
        modules.check(&architecture)?;
        let prompts = prompts::Prompts::read(&files, &options.prefixes)?;
        let tokens = Tokens::read(&files, &modules, &architecture)?;
        let version = files.version(&prompts);
        let id = ModelKey::slugged(&folder_name(folder));
        let dimension = u32::try_from(architecture.hidden).unwrap_or(u32::MAX);
        let key = ModelKey::new(&id, &version, dimension)
            .map_err(|error| ModelError::refused("config.json", format!("gives no usable key: {error}")))?;
        let weights = files.into_weights();
        let bert = Bert::load(weights, &architecture, options)?;
        Ok(Self { key, precision: options.precision, bert, pooling: modules.pooling, tokens, prompts })
    }

    /// Its id, version and dimension.
    pub const fn key(&self) -> &ModelKey {
        &self.key
    }

    /// What its weights are kept in.
    pub const fn precision(&self) -> Precision {
        self.precision
    }

    /// Most tokens of a text that it reads, its own marks included; what is longer is cut.
    pub const fn window(&self) -> usize {
        self.tokens.window()
    }

    /// Bytes of memory that its weights take.
    pub fn bytes(&self) -> usize {
        self.bert.bytes()
    }

    /// What is put before texts of a purpose.
    pub fn prefix(&self, purpose: Purpose) -> &str {
        self.prompts.of(purpose)
    }

    /// The tokens of a text, at least one and at most [`Self::window`].
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

/// Without its millions of weights.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({}, {})", self.key, self.precision.name())
    }
}

/// The folder's own name, even if it was named by `.` or a link.
fn folder_name(folder: &Path) -> String {
    let named = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    named.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
