//! The only module that creates statuses of the internal service. Its callers are our processes, which check codes
//! only.

use tonic::Status;

use crate::lanes::EmbedError;
use crate::reranker::NoScores;

/// Why a call of the internal service failed.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The request violates a bound.
    Invalid(String),
    /// No model with this slug is loaded.
    NoSuchModel(String),
    /// The model gave no vectors.
    Embed(EmbedError),
    /// A transient failure.
    Unavailable(String),
    /// An internal error.
    Defect(String),
    /// The caller did not present the token of this data folder.
    Stranger,
}

impl From<EmbedError> for Refusal {
    fn from(error: EmbedError) -> Self {
        Self::Embed(error)
    }
}

impl From<NoScores> for Refusal {
    fn from(error: NoScores) -> Self {
        Self::Defect(error.to_string())
    }
}

pub(super) fn of(refusal: Refusal) -> Status {
    match refusal {
        Refusal::Invalid(problem) => Status::invalid_argument(problem),
        Refusal::NoSuchModel(slug) => {
            Status::not_found(format!("no model {slug:?} is loaded; DescribeModels says which are"))
        }
        Refusal::Unavailable(problem) => Status::unavailable(problem),
        Refusal::Defect(problem) => Status::internal(problem),
        Refusal::Stranger => Status::unauthenticated("only processes with the same data folder may call"),
        Refusal::Embed(error @ EmbedError::Busy) => Status::resource_exhausted(error.to_string()),
        Refusal::Embed(error @ EmbedError::Stopping) => Status::unavailable(error.to_string()),
        Refusal::Embed(error @ EmbedError::Failed(_)) => Status::internal(error.to_string()),
    }
}
