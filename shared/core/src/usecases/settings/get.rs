//! Reads what a user set, what applies, and where each value comes from.

use crate::error::Result;
use crate::ids::UserId;
use crate::settings::{EffectiveSettings, StoredSettings};
use crate::usecases::App;

/// Settings as the user set them, and as they apply.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsView {
    /// What the user set, with its revision, which is the etag.
    pub stored: StoredSettings,
    /// What applies, with warnings.
    pub effective: EffectiveSettings,
}

impl App {
    /// Returns the settings of a user; those of an unknown user are the server's.
    pub async fn get_settings(&self, user: &UserId) -> Result<SettingsView> {
        let read = self.vaults.read(user, |reader| Box::pin(async move { reader.settings().await }));
        Ok(self.view(read.await?))
    }

    pub(super) fn view(&self, stored: StoredSettings) -> SettingsView {
        let effective = EffectiveSettings::resolve(&stored.settings, &self.defaults);
        SettingsView { stored, effective }
    }
}
