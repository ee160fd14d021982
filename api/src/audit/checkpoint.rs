//! Signs where an audit stands.

use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(
    entered: Entered<v1::CreateAuditCheckpointRequest, Option<UserId>>,
) -> Result<v1::CreateAuditCheckpointResponse> {
    let Entered { user, app, system, .. } = entered;
    let signer = system.signer.clone().ok_or(Error::SigningOff)?;
    let signed = app.checkpoint_audit(&super::of(user, &system), &*signer).await?;
    let public_key = convert::audit::public_key(&*signer);
    Ok(v1::CreateAuditCheckpointResponse {
        log: signed.checkpoint.log.clone(),
        head: Some(convert::audit::head(signed.checkpoint.head)),
        made_at: Some(convert::time::wire_timestamp(signed.checkpoint.at)),
        statement: signed.to_text(),
        key_id: signed.key_id,
        public_key,
    })
}
