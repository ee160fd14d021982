//! Revokes a key.

use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use super::name;
use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::RevokeKeyRequest, Option<UserId>>) -> Result<v1::RevokeKeyResponse> {
    let Entered { message: request, app, system, .. } = entered;
    let revoked = app.revoke_key(&*system.auth.credentials, &name(&request.name)?).await?;
    system.auth.forget(&revoked.credential);
    Ok(v1::RevokeKeyResponse { credential: Some(convert::credential::credential(revoked)) })
}
