//! Sets or resets the settings that the mask names.

use kimberly_core::Result;
use kimberly_core::usecases::settings::{SettingsPatch, UpdateSettingsInput};
use kimberly_proto::v1;

use super::warnings;
use crate::Api;
use crate::access::Entered;
use crate::convert::settings::{user_settings, wire_effective, wire_settings};

pub(super) async fn handle(
    api: &Api,
    entered: Entered<v1::UpdateSettingsRequest>,
) -> Result<v1::UpdateSettingsResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let values = user_settings(request.user_settings.unwrap_or_default())?;
    let patch = SettingsPatch::new(values, &request.update_mask.unwrap_or_default().paths)?;
    let input = UpdateSettingsInput { patch, etag: request.etag, request_id: request.request_id };
    let view = app.update_settings(&*system.registry, &user, input).await?;
    Ok(v1::UpdateSettingsResponse {
        user_settings: Some(wire_settings(&view.stored.settings)),
        effective: Some(wire_effective(&view.effective)),
        warnings: warnings(api, &view),
        etag: view.stored.revision.to_string(),
    })
}
