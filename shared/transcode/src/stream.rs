//! Writes the response of a streaming rpc: JSON lines or server-sent events.
//!
//! An error after the start becomes a last line or event, `{"error": Status}`. If the caller disconnects, the response
//! is dropped, and the rpc with it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use prost_reflect::{DynamicMessage, MessageDescriptor};
use serde_json::json;
use tonic::Status;
use tonic::body::Body;

use crate::answer::{self, Failure};
use crate::frame::Frames;
use crate::transcoder::Transcoder;

/// An idle event stream sends a comment at this interval, so that proxies keep it open.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// The format of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One line per message.
    Lines,
    /// One event per message.
    Events,
}

impl Form {
    /// Returns the format that a caller accepts.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let events = accepted.any(|value| value.to_ascii_lowercase().contains("text/event-stream"));
        if events { Self::Events } else { Self::Lines }
    }

    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            Self::Lines => "application/x-ndjson",
            Self::Events => "text/event-stream",
        }
    }

    fn message(self, json: &[u8]) -> Bytes {
        match self {
            Self::Lines => [json, b"\n"].concat().into(),
            Self::Events => [b"data: ", json, b"\n\n"].concat().into(),
        }
    }

    fn error(self, json: &[u8]) -> Bytes {
        match self {
            Self::Lines => self.message(json),
            Self::Events => [b"event: error\n", self.message(json).as_ref()].concat().into(),
        }
    }
}

struct Running {
    transcoder: Arc<Transcoder>,
    form: Form,
    of: MessageDescriptor,
    body: Body,
    frames: Frames,
    ended: bool,
}

/// Creates the response of an rpc that started to stream.
pub(crate) fn answer(
    transcoder: Arc<Transcoder>,
    form: Form,
    of: MessageDescriptor,
    body: Body,
) -> http::Response<Body> {
    let running = Running { transcoder, form, of, body, frames: Frames::default(), ended: false };
    let pieces = stream::unfold(running, async |mut running| {
        let piece = running.next().await?;
        Some((Ok::<_, Status>(Frame::data(piece)), running))
    });
    let mut answer = http::Response::new(Body::new(StreamBody::new(pieces)));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(form.content_type()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

impl Running {
    /// Returns the next chunk of the response, or `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        match self.message().await {
            Ok(Some(piece)) => Some(piece),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(failure) => {
                self.ended = true;
                let status = self.transcoder.status_of(failure);
                let error = json!({"error": self.transcoder.statuses.json(&status)});
                Some(self.form.error(error.to_string().as_bytes()))
            }
        }
    }

    async fn message(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            if let Some(bytes) = self.frames.next().map_err(answer::defect)? {
                let message = DynamicMessage::decode(self.of.clone(), bytes);
                let message = message.map_err(|error| answer::defect(format!("a message does not decode: {error}")))?;
                return Ok(Some(self.form.message(&answer::json(&message)?)));
            }
            let arriving = tokio::time::timeout(SIGN_OF_LIFE, self.body.frame());
            let arrived = match (arriving.await, self.form) {
                (Ok(arrived), _) => arrived,
                (Err(_), Form::Events) => return Ok(Some(Bytes::from_static(b":\n\n"))),
                (Err(_), Form::Lines) => continue,
            };
            let Some(frame) = arrived else { return Ok(None) };
            let frame = frame.map_err(|status| Failure::Status(Box::new(status)))?;
            if let Some(failure) = frame.trailers_ref().and_then(answer::failure) {
                return Err(failure);
            }
            if let Some(data) = frame.data_ref() {
                self.frames.push(data);
            }
        }
    }
}
