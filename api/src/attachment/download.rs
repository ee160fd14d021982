//! Streams the bytes of an attachment.

use kimberly_core::usecases::attachments::Download;
use kimberly_core::{AttachmentId, Error, UserId};
use kimberly_proto::v1;
use tonic::{Request, Status};

use crate::access::EnteredStream;
use crate::convert::attachment::attachment;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, convert, status};

pub(super) async fn handle(
    api: &Api,
    request: Request<v1::DownloadAttachmentRequest>,
) -> Result<Messages<v1::DownloadAttachmentResponse>, Status> {
    let EnteredStream { message: request, user, app, running, .. } = api.enter_stream(request).await?;
    let begin = async {
        let id = AttachmentId::parse("id", &request.id)?;
        let wrong = |_| Error::invalid("offset", format!("is {}; 0 or more is allowed", request.offset));
        app.download(&user, id, u64::try_from(request.offset).map_err(wrong)?).await
    };
    let _turn = running.wait(api.calls.read_turn(user.as_str())).await??;
    let download = running.wait(begin).await?.map_err(status::status)?;
    Ok(messages(Downloading { api: api.clone(), running, user, download, told: false }))
}

struct Downloading {
    api: Api,
    running: Running,
    user: UserId,
    download: Download,
    /// Whether the first response was sent, which carries the attachment's description.
    told: bool,
}

impl Source for Downloading {
    type Message = v1::DownloadAttachmentResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        let _turn = self.running.wait(self.api.calls.read_turn(self.user.as_str())).await??;
        let offset = convert::int64(self.download.offset);
        let piece = self.running.wait(self.download.next()).await?.map_err(status::status)?;
        let first = !std::mem::replace(&mut self.told, true);
        let attachment = first.then(|| attachment(self.download.attachment.clone()));
        Ok(match piece {
            Some(piece) => Some(v1::DownloadAttachmentResponse { attachment, offset, piece }),
            // The first response describes the attachment even if no bytes follow.
            None if first => Some(v1::DownloadAttachmentResponse { attachment, offset, piece: Vec::new() }),
            None => None,
        })
    }
}
