//! `kimberly model check`: runs the embedder's program, since only the embedder knows models.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::roles;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model's folder
    folder: PathBuf,
}

impl Args {
    pub(crate) fn run(self, context: &Context) -> CliResult {
        let output = Command::new(roles::program()?).args(["embedder", "check"]).arg(&self.folder).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(CliError::failed(said.trim().trim_start_matches("kimberly-embedder: ").to_owned()));
        }
        let report = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        context.out.answer(|| json!({ "report": report }), || report.clone())
    }
}
