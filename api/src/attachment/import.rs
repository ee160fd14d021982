//! Imports an exported attachment unchanged.

use kimberly_core::time::Span;
use kimberly_core::usecases::App;
use kimberly_core::usecases::attachments::{AttachmentImport, AttachmentImported, ImportBegun};
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::import_attachment_request::Message;
use tonic::{Request, Streaming};

use super::receive::{Begun, Incoming, Said, receive};
use crate::Api;
use crate::convert::attachment::record;
use crate::streams::Messages;

pub(super) fn handle(
    api: &Api,
    request: Request<Streaming<v1::ImportAttachmentRequest>>,
) -> Messages<v1::ImportAttachmentResponse> {
    receive::<AttachmentImport>(api, request)
}

impl Incoming for AttachmentImport {
    type Request = v1::ImportAttachmentRequest;
    type Start = v1::ImportAttachmentStart;
    type Answer = v1::ImportAttachmentResponse;

    fn said(request: Self::Request) -> Option<Said<Self::Start>> {
        request.message.map(|message| match message {
            Message::Start(start) => Said::Start(start),
            Message::Piece(piece) => Said::Piece(piece),
        })
    }

    async fn begin(app: &App, user: &UserId, start: Self::Start) -> Result<Begun<Self, Self::Answer>> {
        Ok(match app.import_attachment(user, record(start.attachment.unwrap_or_default())?).await? {
            ImportBegun::Open(import) => Begun::Open(*import),
            ImportBegun::Done(outcome) => Begun::Done(answer(outcome)),
        })
    }

    fn left(&self) -> Span {
        Self::left(self)
    }

    async fn write(&mut self, piece: &[u8]) -> Result<()> {
        Self::write(self, piece).await
    }

    async fn finish(self) -> Result<Self::Answer> {
        Self::finish(self).await.map(answer)
    }

    async fn abandon(self) {
        Self::abandon(self).await;
    }
}

fn answer(outcome: AttachmentImported) -> v1::ImportAttachmentResponse {
    let outcome = match outcome {
        AttachmentImported::Stored => v1::AttachmentImport::Stored,
        AttachmentImported::Known => v1::AttachmentImport::Known,
        AttachmentImported::NoMemory => v1::AttachmentImport::NoMemory,
    };
    v1::ImportAttachmentResponse { outcome: outcome.into() }
}
