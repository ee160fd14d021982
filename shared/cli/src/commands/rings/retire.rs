//! `kimberly rings retire`

use kimberly_crypto::Removed;
use serde_json::json;

use super::OnHere;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::input;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    on: OnHere,
    /// Destroy the removed keys: backups of data/keys from before the rotation become unreadable
    #[arg(long)]
    destroy: bool,
    /// Do not ask before keys are destroyed
    #[arg(long, requires = "destroy")]
    yes: bool,
}

impl Args {
    pub(super) fn run(self, context: &Context) -> CliResult {
        let (location, data) = self.on.find()?;
        let ring = location.ring();
        if self.destroy && !self.yes {
            context.out.note(&format!(
                "backups of data/keys from before the rotation, and other data folders that use {location}, become \
                 permanently unreadable without the old {ring} keys; type destroy to continue"
            ));
            if input::line()? != "destroy" {
                return Err(CliError::usage("nothing was removed"));
            }
        }
        let removed =
            location.remove_old_keys(&data, self.destroy).map_err(|error| CliError::failed(error.to_string()))?;
        let ids: Vec<String> = removed.keys.iter().map(ToString::to_string).collect();
        let kept = removed.kept.as_ref().map(|path| path.display().to_string());
        context.out.answer(
            || json!({"ring": ring.as_str(), "removed": ids, "kept": kept, "destroyed": removed.destroyed}),
            || said(&removed, &location.to_string()),
        )
    }
}

fn said(removed: &Removed, location: &str) -> String {
    let ids: Vec<String> = removed.keys.iter().map(ToString::to_string).collect();
    match (&removed.kept, removed.destroyed) {
        (Some(kept), _) => format!(
            "{} removed from {location} and stored in {}: keep that file as long as backups of data/keys from before \
             the rotation, which need it",
            ids.join(", "),
            kept.display()
        ),
        (None, false) if ids.is_empty() => format!("{location} holds one key; there is none to remove"),
        (None, _) if ids.is_empty() => "the previously removed keys are destroyed".to_owned(),
        (None, _) => format!("{} removed from {location} and destroyed", ids.join(", ")),
    }
}
