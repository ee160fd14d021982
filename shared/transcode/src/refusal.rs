//! Refusals of requests before they reach an rpc.

use http::StatusCode;
use std::time::Duration;

/// Why a request is refused. The texts may be shown to callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No rpc has this path.
    NoSuchPath,
    /// The path exists, but only with other methods.
    WrongMethod {
        /// The allowed methods, joined with commas.
        allowed: String,
    },
    /// The content type or encoding is not supported.
    UnsupportedBody {
        /// The allowed values, as a complete sentence.
        problem: String,
    },
    /// The body is larger than allowed.
    TooLarge {
        /// The excess and the limit, as a complete sentence.
        problem: String,
    },
    /// The body did not arrive in time.
    TooSlow {
        /// The timeout.
        after: Duration,
    },
    /// The body is not valid JSON for this request.
    InvalidJson {
        /// The problem and its location.
        problem: String,
    },
    /// A path or query parameter is invalid.
    InvalidField {
        /// The field's path in the request, or the parameter as sent.
        field: String,
        /// The problem and the allowed values; continues a sentence that starts with the field.
        problem: String,
    },
    /// The rpc's response is unreadable: a defect of the server.
    Defect {
        /// The cause, for the log only.
        problem: String,
    },
}

/// Converts a refusal to a gRPC status.
pub type Refuse = fn(&Refusal) -> tonic::Status;

impl Refusal {
    /// Returns the HTTP status, which can be more specific than the gRPC code.
    pub const fn http_status(&self) -> StatusCode {
        match self {
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::WrongMethod { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::UnsupportedBody { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::InvalidJson { .. } | Self::InvalidField { .. } => StatusCode::BAD_REQUEST,
            Self::Defect { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(crate) fn json(problem: impl Into<String>) -> Self {
        Self::InvalidJson { problem: problem.into() }
    }

    pub(crate) fn field(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::InvalidField { field: field.into(), problem: problem.into() }
    }
}
