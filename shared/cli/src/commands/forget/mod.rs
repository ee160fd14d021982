//! `kimberly forget`: memories by their ids, or those of low salience.

mod ids;
mod protect;
mod recover;
mod salience;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CliResult;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    named: ids::Named,
}

#[derive(Subcommand)]
enum Command {
    /// List memories of low salience that may be forgotten
    Candidates(Box<salience::Args>),
    /// Archive them; `recover` restores them
    Run(Box<salience::Run>),
    /// Restore forgotten memories
    Recover(recover::Args),
    /// Protect memories from being archived or erased by the system
    Protect(protect::Args),
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            None => self.named.run(context).await,
            Some(Command::Candidates(args)) => args.list(context).await,
            Some(Command::Run(args)) => args.run(context).await,
            Some(Command::Recover(args)) => args.run(context).await,
            Some(Command::Protect(args)) => args.run(context).await,
        }
    }
}
