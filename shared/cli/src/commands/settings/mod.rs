//! `kimberly settings`

mod change;
mod show;

use clap::Subcommand;
use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::json;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show the effective values and their origins (the default)
    Show,
    /// Set values, such as `long_term_quota=4MiB grace=60d preset=task-focused`
    #[command(after_help = change::KEYS)]
    Set {
        /// Name and value
        #[arg(required = true, value_name = "KEY=VALUE")]
        values: Vec<String>,
    },
    /// Reset values to the server's
    #[command(after_help = change::KEYS)]
    Reset {
        /// Names; `all` stands for all of them
        #[arg(required = true, value_name = "KEY")]
        keys: Vec<String>,
    },
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let change = match self.command.unwrap_or(Command::Show) {
            Command::Show => return show::run(context).await,
            Command::Set { values } => change::set(&values)?,
            Command::Reset { keys } => change::reset(&keys)?,
        };
        let request = v1::UpdateSettingsRequest {
            user_id: context.user.clone(),
            user_settings: Some(change.settings),
            update_mask: Some(prost_types::FieldMask { paths: change.paths }),
            ..Default::default()
        };
        let answer = context.connect().await?.settings().update_settings(request).await?.into_inner();
        let held = v1::GetSettingsResponse {
            user_settings: answer.user_settings,
            effective: answer.effective,
            warnings: answer.warnings,
            etag: answer.etag,
        };
        context.out.answer(|| json::of(&held), || show::rows(&held))
    }
}
