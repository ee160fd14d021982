//! Signs the current head of an audit.

use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(
    entered: Entered<v1::CreateAuditCheckpointRequest, Option<UserId>>,
) -> Result<v1::CreateAuditCheckpointResponse> {
    let Entered { user, app, system, .. } = entered;
    let signer = system.signer.clone().ok_or(Error::SigningOff)?;
    let public_key = convert::audit::public_key(&*signer);
    let made = app.checkpoint_audit(&super::of(user, &system), &*signer).await?;
    Ok(v1::CreateAuditCheckpointResponse {
        log: made.checkpoint.log.clone(),
        head: Some(convert::audit::head(made.checkpoint.head)),
        made_at: Some(convert::time::wire_timestamp(made.checkpoint.at)),
        statement: made.to_text(),
        key_id: made.key_id,
        public_key,
    })
}
