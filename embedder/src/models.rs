//! The configured models, opened and running.

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;

use kimberly_runtime::config::{EmbedderConfig, EmbeddingPrecision};
use kimberly_runtime::{Config, Failure};

use crate::lanes::{Embedder, Meter};
use crate::model::{Model, Options, Precision, Prefixes, folder_of};

/// One model, or two while the vectors of one replace the other's. Clones share them.
#[derive(Clone, Debug)]
pub struct Models {
    current: Embedder,
    previous: Option<Embedder>,
}

impl Models {
    /// Opens the configured models; `None` if none is configured. Slow: reads files and packs weights. `meter`
    /// records their work.
    pub fn open(config: &Config, meter: &Meter) -> Result<Option<Self>, Failure> {
        let Some(model) = &config.embedder.model else { return Ok(None) };
        let current = start(config, "embedder.model", model, meter)?;
        let previous = config.embedder.previous_model.as_ref();
        let previous = previous.map(|model| start(config, "embedder.previous_model", model, meter)).transpose()?;
        // The same model twice is not a change of models.
        let previous = previous.filter(|previous| previous.key() != current.key());
        Ok(Some(Self { current, previous }))
    }

    /// A single model.
    pub const fn of(current: Embedder) -> Self {
        Self { current, previous: None }
    }

    /// The model for new vectors.
    pub const fn current(&self) -> &Embedder {
        &self.current
    }

    /// All loaded models, the current one first.
    pub fn all(&self) -> impl Iterator<Item = &Embedder> {
        std::iter::once(&self.current).chain(&self.previous)
    }

    /// The model with this slug; the current one if it is empty.
    pub fn named(&self, slug: &str) -> Option<&Embedder> {
        if slug.is_empty() { Some(&self.current) } else { self.all().find(|embedder| embedder.key().slug() == slug) }
    }
}

/// Converts the configuration to options for opening models.
pub fn options(config: &EmbedderConfig) -> Options {
    let precision = match config.precision {
        EmbeddingPrecision::F32 => Precision::F32,
        EmbeddingPrecision::Int8 => Precision::Int8,
    };
    let prefixes = Prefixes { query: config.query_prefix.clone(), document: config.document_prefix.clone() };
    Options { prefixes, ..Options::new(precision) }
}

fn start(config: &Config, key: &str, named: &Path, meter: &Meter) -> Result<Embedder, Failure> {
    let begun = Instant::now();
    let folder = folder_of(&config.data_dir, named);
    let options = options(&config.embedder);
    let model = Model::open(&folder, &options).map_err(|error| {
        Failure::new(
            format!("{key}: the model in {} cannot be used: {error}", folder.display()),
            "name the folder of a sentence model of the BERT family, which `kimberly model pull` downloads; or omit \
             the key to turn embeddings off",
        )
    })?;
    let threads = match config.embedder.threads {
        0 => available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    tracing::info!(
        "model {}: {} dimensions, {} tokens, {} MB as {}, {} on {threads} threads",
        model.key(),
        model.key().dimension(),
        model.window(),
        model.bytes() >> 20,
        model.precision().name(),
        options.cpu.name()
    );
    meter.opened(begun.elapsed());
    Embedder::metered(Arc::new(model), threads, meter)
        .map_err(|error| Failure::new(format!("no threads for the model: {error}"), "free some memory"))
}
