//! Checks a user's audit from end to end.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::VerifyAuditRequest>) -> Result<v1::VerifyAuditResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let noted = request.expected.map(|head| convert::audit::noted(&head)).transpose()?;
    Ok(convert::audit::verdict(&app.verify_audit(&user, noted).await?))
}
