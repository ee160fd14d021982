//! The shared part of uploads and imports: a `start` message, then pieces, then one response. One piece is written
//! before the next is read, which slows senders down to the speed of the disk.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kimberly_core::bounds::MAX_ATTACHMENT_PIECE_BYTES;
use kimberly_core::time::Span;
use kimberly_core::usecases::App;
use kimberly_core::{Error, Result as CoreResult, UserId};
use tonic::{Request, Status, Streaming};
use tracing::Instrument as _;

use crate::access::Beginning;
use crate::calls::{Calls, OfUser};
use crate::front::Held;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, status};

/// Maximum time for the first message. Until it arrives, the stream has no permit and counts for no user.
const START_WITHIN: Duration = Duration::from_secs(10);

/// The content of a message.
pub(super) enum Said<S> {
    /// The first message, which describes the file.
    Start(S),
    /// The next bytes.
    Piece(Vec<u8>),
}

/// The result of a `start` message.
pub(super) enum Begun<K, A> {
    /// The bytes are needed.
    Open(K),
    /// The bytes are not needed; this is the response.
    Done(A),
}

/// Bytes that are being written to a vault. Dropping it leaves files that [`abandon`](Self::abandon) would remove.
pub(super) trait Incoming: Sized + Send + 'static {
    /// The type of the stream's messages.
    type Request: Send + 'static;
    /// The type of the first message.
    type Start: OfUser + Send;
    /// The type of the response.
    type Answer: Send + 'static;

    /// Returns the content of a message, if it has any.
    fn said(request: Self::Request) -> Option<Said<Self::Start>>;
    /// Starts to receive the bytes, or responds at once if none are needed.
    fn begin(
        app: &App,
        user: &UserId,
        start: Self::Start,
    ) -> impl Future<Output = CoreResult<Begun<Self, Self::Answer>>> + Send;
    /// Returns the time left to send the bytes.
    fn left(&self) -> Span;
    /// Writes the next bytes.
    fn write(&mut self, piece: &[u8]) -> impl Future<Output = CoreResult<()>> + Send;
    /// Completes the file after all bytes have arrived.
    fn finish(self) -> impl Future<Output = CoreResult<Self::Answer>> + Send;
    /// Removes the bytes received so far.
    fn abandon(self) -> impl Future<Output = ()> + Send;
}

/// Receives a file and returns the stream with the single response.
pub(super) fn receive<K: Incoming>(api: &Api, request: Request<Streaming<K::Request>>) -> Messages<K::Answer> {
    let (beginning, running) = api.begin_stream(request.extensions());
    let held = request.extensions().get::<Arc<Held>>().cloned();
    let (calls, requests) = (api.calls.clone(), request.into_inner());
    let open = Open::<K>(None);
    messages(Receiving { calls, beginning, running, held, requests, open, done: false })
}

struct Receiving<K: Incoming> {
    calls: Calls,
    beginning: Beginning,
    running: Running,
    /// The request's share of `front::room`, kept until the stream has its own permit.
    held: Option<Arc<Held>>,
    requests: Streaming<K::Request>,
    open: Open<K>,
    done: bool,
}

/// A file being received. Abandoned on drop unless taken out first.
struct Open<K: Incoming>(Option<K>);

impl<K: Incoming> Drop for Open<K> {
    fn drop(&mut self) {
        // The caller disconnected or the process stops. If the process ends before this is done, a job removes the
        // bytes.
        if let (Some(open), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(open.abandon());
        }
    }
}

impl<K: Incoming> Source for Receiving<K> {
    type Message = K::Answer;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(None);
        }
        let (user, answer) = self.begin().await?;
        if answer.is_some() {
            return Ok(answer);
        }
        match self.take_all(&user).await {
            Ok(answer) => Ok(Some(answer)),
            Err(failed) => {
                if let Some(open) = self.open.0.take() {
                    open.abandon().await;
                }
                Err(failed)
            }
        }
    }
}

impl<K: Incoming> Receiving<K> {
    /// Handles the first message: opens the file, or returns the response.
    async fn begin(&mut self) -> Result<(UserId, Option<K::Answer>), Status> {
        let first = self.running.wait(tokio::time::timeout(START_WITHIN, self.requests.next())).await?;
        let first = first.map_err(|_elapsed| status::deadline_exceeded(START_WITHIN))?;
        let first = first.transpose().map_err(status::in_our_words)?;
        let Some(Said::Start(mut start)) = first.and_then(K::said) else {
            return Err(status::status(Error::out_of_order("the first message must be `start`")));
        };
        let begun = self.beginning.of_user(&mut start, &mut self.running)?;
        self.held = None;
        let _turn = self.running.wait(self.calls.write_turn(begun.user.as_str())).await??;
        match K::begin(&begun.app, &begun.user, start).await.map_err(status::status)? {
            Begun::Done(answer) => Ok((begun.user, Some(answer))),
            Begun::Open(open) => {
                self.open.0 = Some(open);
                Ok((begun.user, None))
            }
        }
    }

    /// Writes all pieces within the time limit, then completes the file.
    async fn take_all(&mut self, user: &UserId) -> Result<K::Answer, Status> {
        let left = self.open.0.as_ref().map(K::left).unwrap_or_default();
        let pieces = tokio::time::timeout(Duration::from_micros(left.0.unsigned_abs()), self.take_pieces(user));
        pieces.await.map_err(|_elapsed| status::status(Error::UploadGone))??;
        let _turn = self.running.wait(self.calls.write_turn(user.as_str())).await??;
        let Some(open) = self.open.0.take() else { return Err(status::internal()) };
        // Spawned, so that it completes even if the caller disconnects: cut between its steps, it would leave its bytes
        // to a job.
        let finished = tokio::spawn(open.finish().in_current_span()).await;
        finished.map_err(|_| status::internal())?.map_err(status::status)
    }

    async fn take_pieces(&mut self, user: &UserId) -> Result<(), Status> {
        while let Some(received) = self.running.wait(self.requests.next()).await? {
            let piece = match K::said(received.map_err(status::in_our_words)?) {
                Some(Said::Piece(piece)) => piece,
                Some(Said::Start(_)) => {
                    let twice = "`start` came twice; it is the first message and no other";
                    return Err(status::status(Error::out_of_order(twice)));
                }
                None => return Err(status::status(Error::out_of_order("a message is neither `start` nor a piece"))),
            };
            if piece.len() > MAX_ATTACHMENT_PIECE_BYTES {
                let problem = format!("has {} bytes; at most {MAX_ATTACHMENT_PIECE_BYTES} are allowed", piece.len());
                return Err(status::status(Error::invalid("piece", problem)));
            }
            let Some(open) = &mut self.open.0 else { break };
            let _turn = self.running.wait(self.calls.write_turn(user.as_str())).await??;
            open.write(&piece).await.map_err(status::status)?;
        }
        Ok(())
    }
}
