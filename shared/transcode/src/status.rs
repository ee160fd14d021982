//! Writes errors as HTTP responses: `google.rpc.Status` in JSON.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body_util::Full;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde_json::{Value, json};
use tonic::body::Body;
use tonic::{Code, Status};

use crate::{BuildError, Refusal};

/// Converts gRPC statuses to HTTP responses.
#[derive(Clone, Debug)]
pub(crate) struct Statuses {
    status: MessageDescriptor,
}

impl Statuses {
    pub(crate) fn new(pool: &DescriptorPool) -> Result<Self, BuildError> {
        let status = pool.get_message_by_name("google.rpc.Status").ok_or(BuildError::Missing("google.rpc.Status"))?;
        Ok(Self { status })
    }

    /// Returns the message type of errors.
    pub(crate) const fn descriptor(&self) -> &MessageDescriptor {
        &self.status
    }

    /// Creates the response for an error.
    pub(crate) fn answer(&self, status: &Status) -> Response<Body> {
        let details = self.details(status);
        let mut answer = json_answer(http_status(status.code()), &object(status, &details));
        if let Some(seconds) = details.iter().find_map(retry_after) {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        answer
    }

    /// Creates the response for a refusal.
    pub(crate) fn refused(&self, refusal: &Refusal, status: &Status) -> Response<Body> {
        let mut answer = self.answer(status);
        *answer.status_mut() = refusal.http_status();
        if let Refusal::WrongMethod { allowed } = refusal
            && let Ok(allowed) = HeaderValue::from_str(allowed)
        {
            answer.headers_mut().insert(ALLOW, allowed);
        }
        answer
    }

    /// Writes an error as JSON.
    pub(crate) fn json(&self, status: &Status) -> Value {
        object(status, &self.details(status))
    }

    /// Decodes the details to one JSON object each. Omits types unknown to the contract.
    fn details(&self, status: &Status) -> Vec<Value> {
        let Ok(decoded) = DynamicMessage::decode(self.status.clone(), status.details()) else { return Vec::new() };
        let details = decoded.get_field_by_name("details");
        let details = details.as_deref().and_then(prost_reflect::Value::as_list).unwrap_or_default();
        details.iter().filter_map(|any| serde_json::to_value(any.as_message()?).ok()).collect()
    }
}

fn object(status: &Status, details: &[Value]) -> Value {
    json!({"code": i32::from(status.code()), "message": status.message(), "details": details})
}

/// Returns the retry delay of a detail, in seconds for `Retry-After`.
fn retry_after(detail: &Value) -> Option<u64> {
    let kind = detail["@type"].as_str()?;
    let delay = kind.ends_with("google.rpc.RetryInfo").then(|| detail["retryDelay"].as_str())??;
    let delay = Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()?;
    Some(whole_seconds(delay))
}

/// Converts a delay to whole seconds for `Retry-After`: rounded up, at least one.
pub fn whole_seconds(delay: Duration) -> u64 {
    delay.as_secs().saturating_add(u64::from(delay.subsec_nanos() > 0)).max(1)
}

/// Returns the HTTP status of a code, as in `google/rpc/code.proto`.
pub(crate) fn http_status(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        // 499 has no name in the `http` crate.
        Code::Cancelled => StatusCode::from_u16(499).unwrap_or(StatusCode::BAD_REQUEST),
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Unknown | Code::Internal | Code::DataLoss => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn json_answer(status: StatusCode, value: &Value) -> Response<Body> {
    let mut answer = Response::new(Body::new(Full::new(Bytes::from(value.to_string()))));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_are_said_in_whole_seconds() {
        let info = |delay: &str| json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay});
        assert_eq!(retry_after(&info("0.250s")), Some(1));
        assert_eq!(retry_after(&info("0s")), Some(1));
        assert_eq!(retry_after(&info("2s")), Some(2));
        assert_eq!(retry_after(&info("2.001s")), Some(3));
        assert_eq!(retry_after(&json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo"})), None);
    }
}
