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
    /// List entries, newest first
    List(list::Args),
    /// Verify that no entry was changed, removed or moved; otherwise says where
    Verify(verify::Args),
    /// Sign the current head, to store elsewhere: proves later that no entry before it was changed or truncated
    Checkpoint(checkpoint::Args),
    /// Show the public key of this server's signatures
    PublicKey(public_key::Args),
    /// Write all entries as JSON lines that can be verified anywhere
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
