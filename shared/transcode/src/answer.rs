//! Writes the response of a unary rpc as JSON.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, VARY};
use http::response::Parts;
use http_body_util::{BodyExt as _, Full};
use prost_reflect::{DynamicMessage, MessageDescriptor, SerializeOptions};
use serde::Serialize as _;
use tonic::body::Body;
use tonic::{Code, Status};

use crate::binding::Binding;
use crate::frame::Frames;
use crate::numbers::Compact;
use crate::{Refusal, Words, gzip};

/// How responses are written: fields without presence appear even at their default.
pub(crate) const FORM: SerializeOptions = SerializeOptions::new().skip_default_fields(false);

/// Why a response has no message.
#[derive(Debug)]
pub enum Failure {
    /// The status of the rpc or of a layer in front of it.
    Status(Box<Status>),
    /// The rpc was not called, or its response is not gRPC.
    Refused(Refusal),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Returns the failure that headers or trailers report, if any.
pub(crate) fn failure(headers: &HeaderMap) -> Option<Failure> {
    let status = Status::from_header_map(headers)?;
    (status.code() != Code::Ok).then(|| Failure::Status(Box::new(status)))
}

pub(crate) fn defect(problem: impl Into<String>) -> Failure {
    Failure::Refused(Refusal::Defect { problem: problem.into() })
}

/// Reads the single message of a response.
pub(crate) async fn message(parts: &Parts, body: Body, of: MessageDescriptor) -> Result<DynamicMessage, Failure> {
    if let Some(failure) = failure(&parts.headers) {
        return Err(failure);
    }
    let whole = body.collect().await.map_err(|status| Failure::Status(Box::new(status)))?;
    if let Some(failure) = whole.trailers().and_then(failure) {
        return Err(failure);
    }
    let mut frames = Frames::default();
    frames.push(&whole.to_bytes());
    let bytes = frames.next().map_err(defect)?.ok_or_else(|| defect("the answer contains no message"))?;
    DynamicMessage::decode(of, bytes).map_err(|error| defect(format!("the answer does not decode: {error}")))
}

/// Writes a message as JSON text.
pub(crate) fn json(message: &DynamicMessage) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::with_capacity(512);
    let mut writer = serde_json::Serializer::with_formatter(&mut text, Compact);
    message.serialize_with_options(&mut writer, &FORM).map_err(|error| unwritable(&error))?;
    Ok(text)
}

/// Writes the JSON of a message, with the additional fields of the path's dialect.
pub(crate) fn json_of(binding: &Binding, message: &DynamicMessage, words: &[Words]) -> Result<Vec<u8>, Failure> {
    let Some(spoken) = binding.spoken.as_ref().filter(|spoken| !spoken.answers.is_empty()) else {
        return json(message);
    };
    let answer = message.serialize_with_options(serde_json::value::Serializer, &FORM);
    let mut answer = answer.map_err(|error| unwritable(&error))?;
    spoken.answered(message, &mut answer, words);
    let mut text = Vec::with_capacity(512);
    let mut writer = serde_json::Serializer::with_formatter(&mut text, Compact);
    answer.serialize(&mut writer).map_err(|error| unwritable(&error))?;
    Ok(text)
}

fn unwritable(error: &serde_json::Error) -> Failure {
    defect(format!("the answer cannot be written as JSON: {error}"))
}

/// Creates a JSON response, compressed if the caller accepts it and the text is large enough.
pub(crate) fn whole(text: impl Into<Bytes>, pack: bool) -> http::Response<Body> {
    let text = text.into();
    let large = text.len() >= gzip::FROM_BYTES;
    let packed = if pack && large { gzip::pack(&text) } else { None };
    let encoding = packed.is_some().then_some(HeaderValue::from_static("gzip"));
    let mut answer = http::Response::new(Body::new(Full::new(packed.unwrap_or(text))));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if large {
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    }
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, encoding);
    }
    answer
}

/// Reports whether the caller seems to be a person: it accepts text or HTML but not JSON.
pub(crate) fn wants_text(headers: &HeaderMap) -> bool {
    let accepted: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let any = |kind: &str| accepted.iter().any(|value| value.to_ascii_lowercase().contains(kind));
    (any("text/plain") || any("text/html") || any("text/*")) && !any("application/json")
}

/// Copies an rpc's initial metadata, without the headers of gRPC and of framing.
pub(crate) fn copy_metadata(from: &HeaderMap, to: &mut HeaderMap) {
    let framing = |name: &HeaderName| {
        name.as_str().starts_with("grpc-")
            || ["content-type", "content-length", "te", "trailer"].contains(&name.as_str())
    };
    to.extend(from.iter().filter(|(name, _)| !framing(name)).map(|(name, value)| (name.clone(), value.clone())));
}
