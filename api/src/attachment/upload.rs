//! Receives a file, piece by piece.

use kimberly_core::time::Span;
use kimberly_core::usecases::App;
use kimberly_core::usecases::attachments::Upload;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::upload_attachment_request::Message;
use tonic::{Request, Streaming};

use super::receive::{Begun, Incoming, Said, receive};
use crate::Api;
use crate::convert::attachment::{attachment, upload};
use crate::streams::Messages;

pub(super) fn handle(
    api: &Api,
    request: Request<Streaming<v1::UploadAttachmentRequest>>,
) -> Messages<v1::UploadAttachmentResponse> {
    receive::<Upload>(api, request)
}

impl Incoming for Upload {
    type Request = v1::UploadAttachmentRequest;
    type Start = v1::AttachmentStart;
    type Answer = v1::UploadAttachmentResponse;

    fn said(request: Self::Request) -> Option<Said<Self::Start>> {
        request.message.map(|message| match message {
            Message::Start(start) => Said::Start(start),
            Message::Piece(piece) => Said::Piece(piece),
        })
    }

    async fn begin(app: &App, user: &UserId, start: Self::Start) -> Result<Begun<Self, Self::Answer>> {
        app.begin_upload(user, upload(start)?).await.map(Begun::Open)
    }

    fn left(&self) -> Span {
        Self::left(self)
    }

    async fn write(&mut self, piece: &[u8]) -> Result<()> {
        Self::write(self, piece).await
    }

    async fn finish(self) -> Result<Self::Answer> {
        let uploaded = Self::finish(self).await?;
        Ok(v1::UploadAttachmentResponse { attachment: Some(attachment(uploaded)) })
    }

    async fn abandon(self) {
        Self::abandon(self).await;
    }
}
