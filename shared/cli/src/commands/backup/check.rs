//! `kimberly backup check`

use std::path::PathBuf;

use serde_json::json;

use super::files;
use super::manifest::Manifest;
use crate::context::Context;
use crate::error::CliResult;
use crate::text;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The backup's folder
    folder: PathBuf,
}

impl Args {
    pub(super) fn run(self, context: &Context) -> CliResult {
        let manifest = Manifest::read(&self.folder)?;
        for file in &manifest.files {
            files::verify(&self.folder.join(&file.path), file)?;
        }
        context.out.answer(
            || json!({"folder": self.folder, "files": manifest.files.len(), "whole": true, "leftOut": manifest.left_out}),
            || {
                let more = match manifest.left_out.len() {
                    0 => String::new(),
                    some => format!("; {} omitted when it was created", text::count(some, "vault was", "vaults were")),
                };
                format!("all {} files are as they were backed up{more}", manifest.files.len())
            },
        )
    }
}
