//! Reads what a user set, what holds, and where each value comes from.

use crate::error::Result;
use crate::ids::UserId;
use crate::settings::{EffectiveSettings, StoredSettings};
use crate::usecases::App;

/// Settings as set and as they hold.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsView {
    /// What the user set, with its revision: the etag.
    pub stored: StoredSettings,
    /// What holds, with warnings.
    pub effective: EffectiveSettings,
}

impl App {
    /// The settings of a user; those of an unknown user are the server's.
    pub async fn get_settings(&self, user: &UserId) -> Result<SettingsView> {
        let read = self.vaults.read(user, |reader| Box::pin(async move { reader.settings().await }));
        Ok(self.view(read.await?))
    }

    pub(super) fn view(&self, stored: StoredSettings) -> SettingsView {
        let effective = EffectiveSettings::resolve(&stored.settings, &self.defaults);
        SettingsView { stored, effective }
    }
}
