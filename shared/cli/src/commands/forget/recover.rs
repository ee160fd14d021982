//! `kimberly forget recover`

use crate::commands::restore;
use crate::context::Context;
use crate::error::CliResult;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memories' ids; `-` reads them from stdin
    #[arg(required = true)]
    ids: Vec<String>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        restore::restore(context, self.ids, false).await
    }
}
