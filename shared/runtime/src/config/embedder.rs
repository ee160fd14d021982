//! `[embedder]`: the process that runs the embedding model. Embeddings are off until a model is configured.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Problems;

/// Maximum threads of a model.
const MAX_THREADS: usize = 256;
/// Maximum length of a prefix in bytes.
const MAX_PREFIX: usize = 1_024;

/// The precision of models' weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingPrecision {
    /// One byte per weight: a quarter of the memory, several times the speed; vectors have a cosine of about 0.99 to
    /// the exact ones.
    #[default]
    Int8,
    /// 32-bit floats: the exact vectors of the model.
    F32,
}

/// Settings of the embedder process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbedderConfig {
    /// Address and port for health checks, and for computing vectors for other Kimberly processes; a loopback address.
    pub listen: SocketAddr,
    /// Folder of the model, or its name below `models` in the data folder. Unset: embeddings are off, and no process
    /// opens a model or a vector index.
    pub model: Option<PathBuf>,
    /// Folder of the previous model, which serves users whose memories are not embedded with `model` yet.
    pub previous_model: Option<PathBuf>,
    /// The precision of weights.
    pub precision: EmbeddingPrecision,
    /// Threads per model for queries, and as many low-priority ones for bulk work; 0 to 256, 0 for one per processor.
    pub threads: usize,
    /// Prefix of queries, at most 1,024 bytes; unset: the model's own.
    pub query_prefix: Option<String>,
    /// Prefix of memories, at most 1,024 bytes; unset: the model's own. A change re-embeds everything.
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
            problems.add("embedder.previous_model is set without embedder.model; name the new model");
        }
        for (key, model) in [("model", &self.model), ("previous_model", &self.previous_model)] {
            if model.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
                problems.add(format!("embedder.{key} is empty; name a model's folder, or omit the key"));
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
