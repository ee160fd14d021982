//! Why texts have no vectors.

/// Maximum number of waiting query texts.
pub(super) const MAX_WAITING_QUERIES: usize = 256;

/// Why texts have no vectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// Too many queries are waiting.
    #[error("{MAX_WAITING_QUERIES} queries wait for the model already; try again in a moment")]
    Busy,
    /// The process is stopping.
    #[error("the embedder is stopping")]
    Stopping,
    /// The model failed.
    #[error("{0}")]
    Failed(String),
}
