//! Lists attachments, oldest first.

use kimberly_core::usecases::attachments::ListAttachmentsInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::attachment::attachment;

pub(super) async fn handle(entered: Entered<v1::ListAttachmentsRequest>) -> Result<v1::ListAttachmentsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let memory = Some(request.memory_id).filter(|id| !id.is_empty());
    let memory = memory.map(|id| MemoryId::parse("memory_id", &id)).transpose()?;
    let page = convert::page(request.page_size, request.page_token);
    let page = app.list_attachments(&user, ListAttachmentsInput { memory, page }).await?;
    let attachments = page.attachments.into_iter().map(attachment).collect();
    Ok(v1::ListAttachmentsResponse { attachments, next_page_token: page.next })
}
