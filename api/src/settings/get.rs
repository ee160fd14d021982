//! Returns the user's settings, the effective settings, and the origin of each value.

use kimberly_core::Result;
use kimberly_proto::v1;

use super::warnings;
use crate::Api;
use crate::access::Entered;
use crate::convert::settings::{wire_effective, wire_settings};

pub(super) async fn handle(api: &Api, entered: Entered<v1::GetSettingsRequest>) -> Result<v1::GetSettingsResponse> {
    let Entered { user, app, .. } = entered;
    let view = app.get_settings(&user).await?;
    Ok(v1::GetSettingsResponse {
        user_settings: Some(wire_settings(&view.stored.settings)),
        effective: Some(wire_effective(&view.effective)),
        warnings: warnings(api, &view),
        etag: view.stored.revision.to_string(),
    })
}
