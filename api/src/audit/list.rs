//! Lists entries of an audit, newest first.

use kimberly_core::usecases::audit::ListAuditInput;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(
    entered: Entered<v1::ListAuditEntriesRequest, Option<UserId>>,
) -> Result<v1::ListAuditEntriesResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let input = ListAuditInput {
        actor: convert::text(request.actor),
        action: convert::text(request.action),
        subject: convert::text(request.subject),
        page: convert::page(request.page_size, request.page_token),
    };
    let page = app.list_audit(&super::of(user, &system), input).await?;
    let entries = page.entries.into_iter().map(convert::audit::entry).collect();
    Ok(v1::ListAuditEntriesResponse { entries, next_page_token: page.next })
}
