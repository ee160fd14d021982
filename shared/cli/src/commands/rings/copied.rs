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
        let (place, _) = self.on.find()?;
        let keys = place.note_copy().map_err(|error| CliError::failed(error.to_string()))?;
        let ids: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let said = format!(
            "noted: the copy of {place} holds {}; `kimberly doctor` says when the ring has keys that it lacks",
            ids.join(", ")
        );
        context.out.answer(|| json!({"ring": place.ring().as_str(), "copied": ids}), || said)
    }
}
