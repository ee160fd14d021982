//! Takes a file in, piece by piece: one is written before the next is read, so that a sender is slowed down to what the
//! disk takes.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kimberly_core::attachments::Attachment;
use kimberly_core::bounds::MAX_ATTACHMENT_PIECE_BYTES;
use kimberly_core::usecases::attachments::Upload;
use kimberly_core::{Error, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::upload_attachment_request::Message;
use tonic::{Request, Status, Streaming};
use tracing::Instrument as _;

use crate::access::Beginning;
use crate::calls::Calls;
use crate::convert::attachment::{attachment, upload};
use crate::front::Held;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, status};

/// How long the first message may take: until it is here, the stream has no place and no user who answers for it.
const START_WITHIN: Duration = Duration::from_secs(10);

pub(super) fn handle(
    api: &Api,
    request: Request<Streaming<v1::UploadAttachmentRequest>>,
) -> Messages<v1::UploadAttachmentResponse> {
    let (beginning, running) = api.begin_stream(request.extensions());
    let held = request.extensions().get::<Arc<Held>>().cloned();
    let calls = api.calls.clone();
    messages(Uploading {
        calls,
        beginning,
        running,
        held,
        requests: request.into_inner(),
        open: Open(None),
        done: false,
    })
}

struct Uploading {
    calls: Calls,
    beginning: Beginning,
    running: Running,
    /// The room of the request, kept until the stream has a place of its own.
    held: Option<Arc<Held>>,
    requests: Streaming<v1::UploadAttachmentRequest>,
    open: Open,
    done: bool,
}

/// An upload that leaves nothing when it is dropped.
struct Open(Option<Upload>);

impl Drop for Open {
    fn drop(&mut self) {
        // The caller went away, or the process stops: what this does not come to is done by the job that looks for it.
        if let (Some(upload), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(upload.abandon());
        }
    }
}

impl Source for Uploading {
    type Message = v1::UploadAttachmentResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(None);
        }
        let user = self.begin().await?;
        let uploaded = self.take_all(&user).await;
        let uploaded = match uploaded {
            Ok(uploaded) => uploaded,
            Err(failed) => {
                if let Some(upload) = self.open.0.take() {
                    upload.abandon().await;
                }
                return Err(failed);
            }
        };
        Ok(Some(v1::UploadAttachmentResponse { attachment: Some(attachment(uploaded)) }))
    }
}

impl Uploading {
    /// Opens the upload that the first message is about.
    async fn begin(&mut self) -> Result<UserId, Status> {
        let first = self.running.wait(tokio::time::timeout(START_WITHIN, self.requests.next())).await?;
        let first = first.map_err(|_elapsed| status::deadline_exceeded(START_WITHIN))?;
        let first = first.transpose().map_err(in_our_words)?;
        let Some(Message::Start(start)) = first.and_then(|request| request.message) else {
            return Err(status::status(out_of_order("the first message must be `start`")));
        };
        let begun = self.beginning.of_user(&start, &mut self.running)?;
        self.held = None;
        let input = upload(start).map_err(status::status)?;
        let _turn = self.running.wait(self.calls.write_turn(begun.user.as_str())).await??;
        let open = begun.app.begin_upload(&begun.user, input).await.map_err(status::status)?;
        self.open.0 = Some(open);
        Ok(begun.user)
    }

    /// Writes every piece in the time that there is, and makes an attachment of them.
    async fn take_all(&mut self, user: &UserId) -> Result<Attachment, Status> {
        let left = self.open.0.as_ref().map(Upload::left).unwrap_or_default();
        let pieces = tokio::time::timeout(Duration::from_micros(left.0.unsigned_abs()), self.take_pieces(user));
        pieces.await.map_err(|_elapsed| status::status(Error::UploadGone))??;
        let _turn = self.running.wait(self.calls.write_turn(user.as_str())).await??;
        let Some(open) = self.open.0.take() else { return Err(status::internal()) };
        // To its end, whether or not the caller still waits: cut between its steps, it would leave its bytes to a job.
        let finished = tokio::spawn(open.finish().in_current_span()).await;
        finished.map_err(|_| status::internal())?.map_err(status::status)
    }

    async fn take_pieces(&mut self, user: &UserId) -> Result<(), Status> {
        while let Some(received) = self.running.wait(self.requests.next()).await? {
            let piece = match received.map_err(in_our_words)?.message {
                Some(Message::Piece(piece)) => piece,
                Some(Message::Start(_)) => {
                    let twice = "`start` came twice; it is the first message and no other";
                    return Err(status::status(out_of_order(twice)));
                }
                None => return Err(status::status(out_of_order("a message is neither `start` nor a piece"))),
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

/// Why a message could not be read.
fn in_our_words(failed: Status) -> Status {
    status::refused_by_transport(&failed).unwrap_or(failed)
}

fn out_of_order(expected: &str) -> Error {
    Error::StreamOrder { expected: expected.to_owned() }
}
