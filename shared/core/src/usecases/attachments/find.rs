//! Finds an attachment.

use crate::attachments::Attachment;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::AttachmentQuery;
use crate::usecases::App;

/// Returns the first attachment that matches, even if its memories are withheld.
pub(super) async fn first(app: &App, user: &UserId, query: AttachmentQuery) -> Result<Option<Attachment>> {
    let read = app.vaults.read(user, move |reader| {
        let query = query.clone();
        Box::pin(async move { reader.every_attachment(&query).await })
    });
    Ok(read.await?.into_iter().next())
}
