//! Checks an audit from end to end.

use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(
    entered: Entered<v1::VerifyAuditRequest, Option<UserId>>,
) -> Result<v1::VerifyAuditResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let noted = request.expected.map(|head| convert::audit::noted(&head)).transpose()?;
    Ok(convert::audit::verdict(&app.verify_audit(&super::of(user, &system), noted).await?))
}
