//! `[embedder]`: the process that owns the embedding model. Embeddings are off until one is configured.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Problems;

/// Most threads of the model.
const MAX_THREADS: usize = 256;
/// Longest prefix in bytes.
const MAX_PREFIX: usize = 1_024;

/// What the weights of models are kept in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingPrecision {
    /// Bytes: a quarter of the memory and several times the speed, vectors within a cosine of about 0.99.
    #[default]
    Int8,
    /// 32-bit floats: vectors as the model's authors would have them.
    F32,
}

/// Settings of the embedder process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbedderConfig {
    /// Address and port that health is served on, and vectors to other processes of Kimberly; a loopback address.
    pub listen: SocketAddr,
    /// Folder of the model, or its name in `models` of the data folder; unset: embeddings are off, and no process opens a
    /// model or an index of vectors.
    pub model: Option<PathBuf>,
    /// Folder of the model before, which answers for users whose memories are not embedded with `model` yet.
    pub previous_model: Option<PathBuf>,
    /// What weights are kept in.
    pub precision: EmbeddingPrecision,
    /// Threads of each model for queries, and as many for bulk work, which goes last; 0 to 256, 0 for one per processor.
    pub threads: usize,
    /// Put before queries, at most 1,024 bytes; unset: as the model's files say.
    pub query_prefix: Option<String>,
    /// Put before memories, at most 1,024 bytes; unset: as the model's files say. A change embeds everything anew.
    pub document_prefix: Option<String>,
}

impl Default for EmbedderConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7422)),
            model: None,
            previous_model: None,
            precision: EmbeddingPrecision::default(),
            threads: 0,
            query_prefix: None,
            document_prefix: None,
        }
    }
}

impl EmbedderConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.loopback("embedder.listen", self.listen);
        problems.range("embedder.threads", self.threads, 0..=MAX_THREADS);
        if self.previous_model.is_some() && self.model.is_none() {
            problems.add("embedder.previous_model is set without embedder.model; name the model that follows it");
        }
        for (key, model) in [("model", &self.model), ("previous_model", &self.previous_model)] {
            if model.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
                problems.add(format!("embedder.{key} is empty; name a model's folder, or leave the key out"));
            }
        }
        for (key, prefix) in [("query_prefix", &self.query_prefix), ("document_prefix", &self.document_prefix)] {
            let bytes = prefix.as_ref().map_or(0, String::len);
            problems.range(&format!("the number of bytes of embedder.{key}"), bytes, 0..=MAX_PREFIX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(config: &EmbedderConfig) -> Vec<String> {
        let mut problems = Problems::default();
        config.check(&mut problems);
        problems.0
    }

    #[test]
    fn bounds_are_checked_on_both_sides() {
        let good = EmbedderConfig {
            model: Some("a".into()),
            previous_model: Some("b".into()),
            threads: MAX_THREADS,
            query_prefix: Some("x".repeat(MAX_PREFIX)),
            document_prefix: Some(String::new()),
            ..EmbedderConfig::default()
        };
        assert!(problems(&good).is_empty() && problems(&EmbedderConfig::default()).is_empty());
        let bad = EmbedderConfig {
            model: Some("".into()),
            threads: MAX_THREADS + 1,
            query_prefix: Some("x".repeat(MAX_PREFIX + 1)),
            document_prefix: Some("x".repeat(MAX_PREFIX + 1)),
            ..good
        };
        let found = problems(&bad);
        for key in ["model is empty", "threads is 257", "embedder.query_prefix is", "embedder.document_prefix is"] {
            assert!(found.iter().any(|problem| problem.contains(key)), "{key} is not in {found:?}");
        }
        assert_eq!(found.len(), 4, "{found:?}");
        let alone = EmbedderConfig { previous_model: Some("b".into()), ..EmbedderConfig::default() };
        assert_eq!(problems(&alone).len(), 1);
    }
}
