//! The configured cross-encoder, which scores the texts of one call on one thread. Independent of the embedding model.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use kimberly_runtime::{Config, Failure};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::model::{CrossEncoder, ModelError, Pair, Workspace, folder_of};
use crate::models::options;

/// Texts per batch: after each, a call whose caller went away ends.
const BATCH: usize = 4;

/// Why texts have no scores.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoScores(String);

/// A cross-encoder and the number of calls that it computes at once. Clones share them.
#[derive(Clone, Debug)]
pub struct Reranker {
    model: Arc<CrossEncoder>,
    permits: Arc<Semaphore>,
}

impl Reranker {
    /// Opens the configured cross-encoder; `None` if none is configured. Slow: reads files and packs weights.
    pub fn open(config: &Config) -> Result<Option<Self>, Failure> {
        let Some(named) = &config.rerank.model else { return Ok(None) };
        let folder = folder_of(&config.data_dir, named);
        let model = CrossEncoder::open(&folder, &options(&config.embedder)).map_err(|error| {
            Failure::new(
                format!("rerank.model: the model in {} cannot be used: {error}", folder.display()),
                "name the folder of a cross-encoder of the BERT family with one label (config.json, tokenizer.json and \
                 model.safetensors); or omit the key to re-rank without one",
            )
        })?;
        let threads = match config.embedder.threads {
            0 => available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        };
        let (name, bytes, precision) = (model.name(), model.bytes() >> 20, model.precision().name());
        tracing::info!("cross-encoder {name}: {} tokens, {bytes} MB as {precision}, {threads} threads", model.window());
        Ok(Some(Self::new(model, threads)))
    }

    /// Computes `threads` calls at once; others wait.
    pub fn new(model: CrossEncoder, threads: usize) -> Self {
        Self { model: Arc::new(model), permits: Arc::new(Semaphore::new(threads.max(1))) }
    }

    /// The name of the model's folder.
    pub fn name(&self) -> &str {
        self.model.name()
    }

    /// The scores of texts for a query, in order. Dropping the future ends the computation after the current batch.
    pub async fn scores(&self, query: String, texts: Vec<String>) -> Result<Vec<f32>, NoScores> {
        let stopping = |_| NoScores("the embedder is stopping".to_owned());
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(stopping)?;
        let (model, unwanted) = (Arc::clone(&self.model), CancellationToken::new());
        let _unwanted_on_drop = unwanted.clone().drop_guard();
        let computed = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            compute(&model, (&query, &texts), &unwanted)
        });
        // A panic of the computation fails this call alone.
        let computed = computed.await.map_err(|_| NoScores("the cross-encoder failed on a text".to_owned()))?;
        computed.map_err(|error| NoScores(error.to_string()))
    }
}

/// Computes batches in order of length, so that a batch needs few buffers.
fn compute(
    model: &CrossEncoder,
    (query, texts): (&str, &[String]),
    unwanted: &CancellationToken,
) -> Result<Vec<f32>, ModelError> {
    let read = |(at, text): (usize, &String)| model.tokenize(query, text).map(|pair| (at, pair));
    let mut pairs = texts.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    pairs.sort_by_key(|(_, pair)| pair.tokens.len());
    let (order, pairs): (Vec<usize>, Vec<Pair>) = pairs.into_iter().unzip();
    let (mut workspace, mut scores) = (Workspace::default(), Vec::with_capacity(pairs.len()));
    for batch in pairs.chunks(BATCH) {
        if unwanted.is_cancelled() {
            return Err(ModelError::Compute("the caller went away".to_owned()));
        }
        scores.extend(model.score(batch, &mut workspace)?);
    }
    let mut scores: Vec<(usize, f32)> = order.into_iter().zip(scores).collect();
    scores.sort_by_key(|(at, _)| *at);
    Ok(scores.into_iter().map(|(_, score)| score).collect())
}
