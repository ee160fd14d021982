//! Replaces the secret of a key.

use kimberly_core::access::{Grant, LOCAL_ADMIN};
use kimberly_core::usecases::keys::{DEFAULT_OVERLAP, RotateKeyInput};
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;

use super::{name, no_random};
use crate::access::{Entered, System};
use crate::auth::random_secret;
use crate::convert;

pub(super) async fn handle(
    entered: Entered<v1::RotateKeyRequest, Option<UserId>>,
    shown: Option<[u8; 32]>,
) -> Result<v1::RotateKeyResponse> {
    let Entered { message: request, app, system, caller, .. } = entered;
    let name = name(&request.name)?;
    if name.as_str() == LOCAL_ADMIN {
        return if caller.grant.covers(&Grant::everything()) { local_admin(&system).await } else { Err(Error::Denied) };
    }
    let overlap =
        convert::time::optional_span(request.overlap).map_err(|problem| Error::invalid("overlap", problem))?;
    let input = RotateKeyInput {
        name,
        overlap: overlap.unwrap_or(DEFAULT_OVERLAP),
        random_secret: random_secret().map_err(no_random)?,
        shown,
    };
    let renewed = app.rotate_key(&*system.auth.credentials, input).await?;
    system.auth.forget(&renewed.listed.credential);
    let key = renewed.key.map(|key| key.reveal()).unwrap_or_default();
    Ok(v1::RotateKeyResponse { credential: Some(convert::credential::credential(renewed.listed)), key })
}

/// Replaces the account's key in its file. No response contains it.
async fn local_admin(system: &System) -> Result<v1::RotateKeyResponse> {
    let renewed = system.auth.renew_local_admin().await?;
    Ok(v1::RotateKeyResponse { credential: Some(convert::credential::credential(renewed)), key: String::new() })
}
