//! `kimberly core`: text blocks that are part of every prompt of an assistant.

mod change;
mod list;

use clap::Subcommand;
use tonic::Status;

use crate::context::Context;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The namespace of the blocks, such as an application's name
    #[arg(long, global = true, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the text for every prompt
    Show,
    /// List the blocks, and the remaining space
    List,
    /// Add a block: system, persona, human, facts, goals, scratch, or one of your own
    Add(change::Add),
    /// Change a block
    Set(change::Set),
    /// Remove a block; `kimberly restore` restores it
    Remove(change::Remove),
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let namespace = self.namespace;
        match self.command {
            Command::Show => list::show(context, namespace).await,
            Command::List => list::list(context, namespace).await,
            Command::Add(args) => args.run(context, namespace).await,
            Command::Set(args) => args.run(context, namespace).await,
            Command::Remove(args) => args.run(context, namespace).await,
        }
    }
}

/// Converts the error of a call that names a block.
fn refused() -> impl FnOnce(Status) -> CliError {
    let advice = "`kimberly core list` shows labels; `kimberly core add LABEL TEXT` adds a block";
    CliError::advising("MEMORY_NOT_FOUND", advice)
}
