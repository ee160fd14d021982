//! An optional cross-encoder: a small model that scores how well texts answer a query. Recall works without one.

use async_trait::async_trait;

/// Why texts have no scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoScores {
    /// The embedder, which runs the model, does not answer or failed.
    Unavailable,
    /// The scores did not come in time.
    TimedOut,
}

/// A cross-encoder, with a deadline. It runs on this machine.
#[async_trait]
pub trait CrossEncoder: Send + Sync {
    /// Returns a finite score of each text, in order; a higher one is a better text. Never waits beyond its deadline.
    async fn scores(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, NoScores>;
}
