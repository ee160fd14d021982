//! The one place where statuses of the internal service are made. Its callers are processes of ours, which go by codes.

use tonic::Status;

use crate::lanes::EmbedError;

/// Why a call of the internal service fails.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The request breaks a bound.
    Invalid(String),
    /// No model of this slug is loaded.
    NoSuchModel(String),
    /// The model's threads gave no vectors.
    Embed(EmbedError),
    /// It may work in a moment.
    Unavailable(String),
    /// Something broke here.
    Defect(String),
    /// It does not show the token of this data folder.
    Stranger,
}

impl From<EmbedError> for Refusal {
    fn from(error: EmbedError) -> Self {
        Self::Embed(error)
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
        Refusal::Stranger => Status::unauthenticated("only processes over the same data folder are answered"),
        Refusal::Embed(error @ EmbedError::Busy) => Status::resource_exhausted(error.to_string()),
        Refusal::Embed(error @ EmbedError::Stopping) => Status::unavailable(error.to_string()),
        Refusal::Embed(error @ EmbedError::Failed(_)) => Status::internal(error.to_string()),
    }
}
