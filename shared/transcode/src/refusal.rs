//! What is wrong with a request that no rpc ever sees.

use http::StatusCode;
use std::time::Duration;

/// Why a request is refused here. What it says may be shown to callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No rpc has this path.
    NoSuchPath,
    /// An rpc has this path, but under other methods.
    WrongMethod {
        /// The methods that the path takes, joined with commas.
        allowed: String,
    },
    /// The body is of a type or an encoding that is not taken.
    UnsupportedBody {
        /// What is allowed, as a whole sentence.
        problem: String,
    },
    /// The body is larger than allowed.
    TooLarge {
        /// What is too large and what is allowed, as a whole sentence.
        problem: String,
    },
    /// The body did not arrive in time.
    TooSlow {
        /// How long it was waited for.
        after: Duration,
    },
    /// The body is not JSON, or not JSON of this request.
    InvalidJson {
        /// What is wrong, and where.
        problem: String,
    },
    /// A part of the path or of the query is wrong.
    InvalidField {
        /// The field's path in the request, or the parameter as it was sent.
        field: String,
        /// What is wrong and what is allowed; continues the sentence that the field starts.
        problem: String,
    },
    /// The answer of the rpc cannot be read: a defect of the server.
    Defect {
        /// What happened; for the log, not for callers.
        problem: String,
    },
}

/// Makes the gRPC status of a refusal.
pub type Refuse = fn(&Refusal) -> tonic::Status;

impl Refusal {
    /// The HTTP status, where it says more than the gRPC code does.
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
