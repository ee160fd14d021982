//! `SettingsService`: one file per rpc.

mod get;
mod update;

use kimberly_core::usecases::settings::SettingsView;
use kimberly_proto::v1;
use kimberly_proto::v1::settings_service_server::SettingsService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`SettingsService`].
#[derive(Clone, Debug)]
pub(crate) struct Settings(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl SettingsService for Settings {
    async fn get_settings(&self, request: Request<v1::GetSettingsRequest>) -> Answer<v1::GetSettingsResponse> {
        reply(get::handle(&self.0, self.0.enter(request).await?).await)
    }

    async fn update_settings(&self, request: Request<v1::UpdateSettingsRequest>) -> Answer<v1::UpdateSettingsResponse> {
        reply(update::handle(&self.0, self.0.enter(request).await?).await)
    }
}

/// Collects the warnings of the user's settings and of the process's configuration, without duplicates.
fn warnings(api: &Api, view: &SettingsView) -> Vec<String> {
    let mut warnings = view.effective.warnings.clone();
    warnings.extend(api.warnings.iter().filter(|warning| !view.effective.warnings.contains(warning)).cloned());
    warnings
}
