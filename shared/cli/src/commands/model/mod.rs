//! `kimberly model`: downloads a model from a hub, and checks one.

mod check;
mod download;
mod hub;
mod pull;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CliResult;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Fetch a model from the Hugging Face hub into the data folder; run again, it goes on where it was cut
    Pull(pull::Args),
    /// Open a model's folder, embed a sentence, and say what the model is
    Check(check::Args),
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.action {
            Action::Pull(args) => args.run(context).await,
            Action::Check(args) => args.run(context),
        }
    }
}
