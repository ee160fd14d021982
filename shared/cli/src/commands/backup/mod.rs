//! `kimberly backup`: copies the data folder while everything runs, and restores it: `docs/guides/back-up.md`.

mod check;
mod create;
mod files;
mod manifest;
mod mirror;
mod opened;
mod restore;
mod vault;

use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::rings::configuration;
use crate::context::Context;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Copy all data to a new folder, while Kimberly runs
    Create(create::Args),
    /// Compare every file of a backup with its hash
    Check(check::Args),
    /// Restore a backup into the data folder; with --vault only the user's vault, if it is in quarantine
    Restore(restore::Args),
}

/// The configured data folder, which contains the vaults.
fn data_folder(config: Option<&Path>) -> CliResult<PathBuf> {
    let config = configuration(config)?;
    match config.postgres.url {
        None => Ok(config.data_dir),
        Some(url) => Err(CliError::failed(format!(
            "the vaults are in {url} and not in the data folder: back that up with pg_basebackup or pg_dump (docs/postgres.md)"
        ))),
    }
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            Command::Create(args) => args.run(context).await,
            Command::Check(args) => args.run(context),
            Command::Restore(args) => args.run(context).await,
        }
    }
}
