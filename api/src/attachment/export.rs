//! Streams all attachments with their bytes.

use kimberly_core::UserId;
use kimberly_core::usecases::attachments::{AttachmentExport, ExportedAttachment};
use kimberly_proto::v1;
use tonic::{Request, Status};

use crate::access::EnteredStream;
use crate::convert::attachment::attachment;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, status};

pub(super) async fn handle(
    api: &Api,
    request: Request<v1::ExportAttachmentsRequest>,
) -> Result<Messages<v1::ExportAttachmentsResponse>, Status> {
    let EnteredStream { message: request, user, app, running, .. } = api.enter_stream(request).await?;
    let export = app.export_attachments(&user, &request.cursor).map_err(status::status)?;
    Ok(messages(Exporting { api: api.clone(), running, user, export }))
}

struct Exporting {
    api: Api,
    running: Running,
    user: UserId,
    export: AttachmentExport,
}

impl Source for Exporting {
    type Message = v1::ExportAttachmentsResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        let _turn = self.running.wait(self.api.calls.read_turn(self.user.as_str())).await??;
        let step = self.running.wait(self.export.next()).await?.map_err(status::status)?;
        let none = v1::ExportAttachmentsResponse::default;
        Ok(step.map(|step| match step {
            ExportedAttachment::Begins(begun) => {
                v1::ExportAttachmentsResponse { attachment: Some(attachment(begun)), ..none() }
            }
            ExportedAttachment::Piece(piece) => v1::ExportAttachmentsResponse { piece, ..none() },
            ExportedAttachment::Ends(cursor) => v1::ExportAttachmentsResponse { cursor, ..none() },
        }))
    }
}
