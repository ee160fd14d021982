//! Returns the description of an attachment.

use kimberly_core::{AttachmentId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::attachment::attachment;

pub(super) async fn handle(entered: Entered<v1::GetAttachmentRequest>) -> Result<v1::GetAttachmentResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let found = app.get_attachment(&user, AttachmentId::parse("id", &request.id)?).await?;
    Ok(v1::GetAttachmentResponse { attachment: Some(attachment(found)) })
}
