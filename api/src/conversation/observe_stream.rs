//! Receives a conversation, message by message. Messages are gathered into pieces, and a piece is stored and answered
//! before more is read. This slows senders down to the speed of the disk. A stream of any length needs the memory of
//! one piece.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kimberly_core::access::Caller;
use kimberly_core::bounds::MAX_BATCH_BYTES;
use kimberly_core::extraction::Mode;
use kimberly_core::usecases::{App, ObserveInput, ObserveStream};
use kimberly_core::{Error, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::observe_stream_request::Part;
use prost::Message as _;
use tonic::{Code, Request, Status, Streaming};

use super::observe::{extraction, with_extracted};
use crate::access::Beginning;
use crate::front::Held;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, convert, status, trace_context};

/// Maximum time for the first message. Until it arrives, the stream has no permit and counts for no user.
const START_WITHIN: Duration = Duration::from_secs(10);
/// Bytes kept per message until the stream ends, to count how often a message was sent.
const BYTES_PER_MESSAGE: usize = 24;

pub(super) fn handle(
    api: &Api,
    request: Request<Streaming<v1::ObserveStreamRequest>>,
) -> Messages<v1::ObserveStreamResponse> {
    let (beginning, running) = api.begin_stream(request.extensions());
    let held = request.extensions().get::<Arc<Held>>().cloned();
    let traceparent = trace_context::traceparent(request.metadata());
    // Reads nothing yet: some clients send nothing before they have received the response headers.
    messages(Observing {
        api: api.clone(),
        beginning,
        running,
        held,
        traceparent,
        requests: request.into_inner(),
        open: None,
    })
}

struct Observing {
    api: Api,
    beginning: Beginning,
    running: Running,
    /// The request's share of `front::room`, kept until the stream has its own permit.
    held: Option<Arc<Held>>,
    traceparent: Option<String>,
    requests: Streaming<v1::ObserveStreamRequest>,
    open: Option<Open>,
}

/// A stream whose first message was accepted.
struct Open {
    user: UserId,
    app: App,
    caller: Arc<Caller>,
    mode: Mode,
    stream: ObserveStream,
    /// The memory reserved for the stream, and the bytes of messages in the current piece.
    held: Option<Held>,
    bytes: usize,
    /// A message that did not fit into the current piece.
    waiting: Option<v1::Message>,
    /// Whether the sender has finished.
    is_done: bool,
}

impl Source for Observing {
    type Message = v1::ObserveStreamResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        let Some(open) = &mut self.open else {
            return self.begin().await.map(Some);
        };
        while !open.stream.is_full()
            && let Some(message) = received(&self.running, &mut self.requests, open).await?
        {
            let bytes = message.encoded_len();
            if !open.has_room(bytes)? {
                open.waiting = Some(message);
                break;
            }
            open.add(message, bytes)?;
        }
        if open.stream.is_empty() {
            return Ok(None);
        }
        open.store(&self.api, &self.running).await.map(Some)
    }
}

/// Receives the next message. Returns `None` when the sender has finished.
async fn received(
    running: &Running,
    requests: &mut Streaming<v1::ObserveStreamRequest>,
    open: &mut Open,
) -> Result<Option<v1::Message>, Status> {
    if let Some(message) = open.waiting.take() {
        return Ok(Some(message));
    }
    if open.is_done {
        return Ok(None);
    }
    let next = running.wait(requests.next()).await?.transpose();
    match next.map_err(|failed| status::in_our_words(open.named(failed)))? {
        None => {
            open.is_done = true;
            Ok(None)
        }
        Some(v1::ObserveStreamRequest { part: Some(Part::Message(message)) }) => Ok(Some(message)),
        Some(_) => Err(status::status(Error::out_of_order("only messages may follow `start`"))),
    }
}

impl Observing {
    /// Opens the stream described by the first message.
    async fn begin(&mut self) -> Result<v1::ObserveStreamResponse, Status> {
        let first = self.running.wait(tokio::time::timeout(START_WITHIN, self.requests.next())).await?;
        let first = first.map_err(|_elapsed| status::deadline_exceeded(START_WITHIN))?;
        let first = first.transpose().map_err(status::in_our_words)?;
        let Some(Part::Start(mut start)) = first.and_then(|request| request.part) else {
            return Err(status::status(Error::out_of_order("the first message must be `start`")));
        };
        let begun = self.beginning.of_user(&mut start, &mut self.running)?;
        let held = self.held.take().map(|held| held.of_stream());
        let mode = extraction(start.extraction).map_err(status::status)?;
        let options = ObserveInput {
            session_id: start.session_id,
            namespace: begun.caller.namespace(start.namespace),
            sensitive: start.sensitive,
            keep_system: start.keep_system,
            extraction: mode,
            traceparent: self.traceparent.take(),
            ..ObserveInput::default()
        };
        let (user, app, caller) = (begun.user, begun.app, begun.caller);
        let stream = app.open_observe_stream(&user, options).map_err(status::status)?;
        self.open = Some(Open { user, app, caller, mode, stream, held, bytes: 0, waiting: None, is_done: false });
        Ok(v1::ObserveStreamResponse::default())
    }
}

impl Open {
    /// Adds to a transport error which message could not be read.
    fn named(&self, failed: Status) -> Status {
        if !failed.details().is_empty()
            || !matches!(failed.code(), Code::Internal | Code::OutOfRange | Code::ResourceExhausted)
        {
            return failed;
        }
        let (path, taken) = (self.stream.path(), self.stream.taken());
        let message = format!("{path}: {}; the first {taken} messages of the stream are stored", failed.message());
        Status::with_metadata(failed.code(), message, failed.metadata().clone())
    }

    /// Reserves memory for a message of this size in the current piece. Returns whether it fits. The first message of a
    /// piece fails if there is no memory for it.
    fn has_room(&self, bytes: usize) -> Result<bool, Status> {
        let fits = self.bytes + bytes <= MAX_BATCH_BYTES;
        match &self.held {
            Some(held) if self.stream.is_empty() => held.grow(bytes + BYTES_PER_MESSAGE).map(|()| true),
            Some(held) => Ok(fits && held.grows(bytes + BYTES_PER_MESSAGE)),
            None => Ok(fits || self.stream.is_empty()),
        }
    }

    fn add(&mut self, message: v1::Message, bytes: usize) -> Result<(), Status> {
        self.bytes += bytes;
        let message = convert::conversation::one_message(&self.stream.path(), message);
        let added = message.and_then(|message| self.stream.add(message));
        added.map_err(|error| status::status(self.stream.ended_by(error)))
    }

    /// Stores the piece. Once started, this completes whatever happens to the stream. Waits for extraction without
    /// holding a permit for writes.
    async fn store(&mut self, api: &Api, running: &Running) -> Result<v1::ObserveStreamResponse, Status> {
        let turn = running.wait(api.calls.write_turn(self.user.as_str())).await??;
        let observed = self.app.observe_piece(&self.user, &mut self.stream).await;
        drop(turn);
        let observed = observed.map_err(|error| status::status(self.stream.ended_by(error)))?;
        if let Some(held) = &self.held {
            held.shrink(self.bytes);
        }
        self.bytes = 0;
        let extracted = with_extracted(api, &self.user, &self.caller, self.mode, observed);
        let piece = running.wait(extracted).await?.map_err(status::status)?;
        Ok(v1::ObserveStreamResponse { piece: Some(piece), taken: convert::int64(self.stream.taken() as u64) })
    }
}
