//! `kimberly audit`

mod checkpoint;
pub(in crate::commands) mod export;
mod lines;
mod list;
mod offline;
mod public_key;
mod statement;
mod verify;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CliResult;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List what was done, newest first
    List(list::Args),
    /// Check that nothing was changed, taken out or moved; tells where if something was
    Verify(verify::Args),
    /// Sign where the audit stands now, to keep elsewhere: it proves later that nothing before was changed or cut off
    Checkpoint(checkpoint::Args),
    /// Show what signatures of this server are checked with
    PublicKey(public_key::Args),
    /// Write all entries as JSON lines, with what it takes to check them anywhere
    Export(export::Args),
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            Command::List(args) => args.run(context).await,
            Command::Verify(args) => args.run(context).await,
            Command::Checkpoint(args) => args.run(context).await,
            Command::PublicKey(args) => args.run(context).await,
            Command::Export(args) => args.run(context).await,
        }
    }
}

/// Returns the owner of the audit: the user, or "" for the system.
fn of(context: &Context, system: bool) -> String {
    if system { String::new() } else { context.user.clone() }
}
