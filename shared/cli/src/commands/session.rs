//! `kimberly session`

use clap::Subcommand;
use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, text};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// End a session: its short-term memories move to the archive
    End {
        /// The session
        session: String,
    },
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let Command::End { session } = self.command;
        let request =
            v1::EndSessionRequest { user_id: context.user.clone(), session_id: session, request_id: String::new() };
        let ended = context.connect().await?.memories().end_session(request).await?.into_inner();
        context.out.answer(
            || json::of(&ended),
            || {
                format!(
                    "ended; {} ({}) archived",
                    text::count(ended.archived, "short-term memory", "short-term memories"),
                    text::bytes(ended.archived_bytes)
                )
            },
        )
    }
}
