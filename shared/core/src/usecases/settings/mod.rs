//! A user's settings: get and update; one file each.

mod get;
mod update;

pub use get::SettingsView;
pub use update::{SettingsField, SettingsPatch, UpdateSettingsInput};
