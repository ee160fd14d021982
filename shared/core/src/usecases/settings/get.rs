//! Reads a user's own settings, the effective settings and the origin of each value.

use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::settings::{EffectiveSettings, StoredSettings};
use crate::usecases::App;

/// A user's settings, as set and as effective.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsView {
    /// The user's own settings, with their revision, which is the etag.
    pub stored: StoredSettings,
    /// The effective settings, with warnings.
    pub effective: EffectiveSettings,
}

impl App {
    /// Returns the settings of a user; those of an unknown user are the server's.
    #[boxed]
    pub async fn get_settings(&self, user: &UserId) -> Result<SettingsView> {
        let read = self.vaults.read(user, |reader| Box::pin(async move { reader.settings().await }));
        Ok(self.view(read.await?))
    }

    pub(super) fn view(&self, stored: StoredSettings) -> SettingsView {
        let effective = EffectiveSettings::resolve(&stored.settings, &self.defaults);
        SettingsView { stored, effective }
    }
}
