//! Verifies an audit from start to end. A user's audit is also verified against its anchors in the system's audit.

use kimberly_core::damage::SharedFile;
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(
    entered: Entered<v1::VerifyAuditRequest, Option<UserId>>,
) -> Result<v1::VerifyAuditResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let noted = request.expected.map(|head| convert::audit::noted(&head)).transpose()?;
    let verdict = match &user {
        Some(user) => app.verify_anchored_audit(user, noted, (&*system.audit, &*system.purges)).await?,
        // Checked separately: verifying the chain reads only entries, and only those this process has not read yet.
        None if !system.quarantine.registry_is_whole().await? => {
            return Err(Error::SharedFileDamaged(SharedFile::Registry));
        }
        None => app.verify_audit(&super::of(None, &system), noted).await?,
    };
    Ok(convert::audit::verdict(&verdict))
}
