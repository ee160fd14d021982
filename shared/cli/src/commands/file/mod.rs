//! `kimberly file`: memories with names, read and edited in place.

mod edit;
mod list;
mod rename;
mod show;
mod versions;

use clap::Subcommand;
use tonic::Status;

use crate::context::Context;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The namespace of the names, such as an application's name
    #[arg(long, global = true, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List names: all, or those with a prefix
    List(list::Args),
    /// Show the memory with a name
    Show(show::Args),
    /// Replace a text that occurs exactly once in a memory
    Replace(edit::Replace),
    /// Insert lines into a memory
    Insert(edit::Insert),
    /// Append a text to a memory, on a new line
    Append(edit::Text),
    /// Replace the whole text of a memory
    Write(edit::Text),
    /// List the versions of a memory
    Versions(versions::Versions),
    /// Show how two versions of a memory differ
    Diff(versions::Diff),
    /// Restore a version; a second time undoes that
    Undo(versions::Undo),
    /// Erase the text of a version permanently
    Redact(versions::Redact),
    /// Rename a memory
    Rename(rename::Args),
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let namespace = self.namespace;
        match self.command {
            Command::List(args) => args.run(context, namespace).await,
            Command::Show(args) => args.run(context, namespace).await,
            Command::Replace(args) => args.run(context, namespace).await,
            Command::Insert(args) => args.run(context, namespace).await,
            Command::Append(args) => args.append(context, namespace).await,
            Command::Write(args) => args.write(context, namespace).await,
            Command::Versions(args) => args.run(context, namespace).await,
            Command::Diff(args) => args.run(context, namespace).await,
            Command::Undo(args) => args.run(context, namespace).await,
            Command::Redact(args) => args.run(context, namespace).await,
            Command::Rename(args) => args.run(context, namespace).await,
        }
    }
}

/// Converts the error of a call that names a memory, which other commands make.
fn refused() -> impl FnOnce(Status) -> CliError {
    let advice = "`kimberly file list` shows names; `kimberly remember TEXT --name NAME` stores a new memory";
    CliError::advising("MEMORY_NOT_FOUND", advice)
}
