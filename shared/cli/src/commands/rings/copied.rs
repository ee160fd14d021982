//! `kimberly rings copied`

use serde_json::json;

use super::OnHere;
use crate::context::Context;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    on: OnHere,
}

impl Args {
    pub(super) fn run(self, context: &Context) -> CliResult {
        let (location, _) = self.on.find()?;
        let keys = location.note_copy().map_err(|error| CliError::failed(error.to_string()))?;
        let ids: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let said = format!(
            "recorded: the copy of {location} contains {}; `kimberly doctor` warns when it lacks keys of the ring",
            ids.join(", ")
        );
        context.out.answer(|| json!({"ring": location.ring().as_str(), "copied": ids}), || said)
    }
}
