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
    /// Download a model from the Hugging Face hub into the data folder; resumes an interrupted download
    Pull(pull::Args),
    /// Open a model's folder, embed a sentence, and describe the model
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
