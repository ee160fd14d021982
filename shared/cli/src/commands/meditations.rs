//! `kimberly meditations`

use clap::Subcommand;
use kimberly_proto::v1;

use super::meditate;
use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, view};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List runs, newest first (the default)
    List {
        /// At most this many, 1 to 1,000
        #[arg(short = 'n', long, default_value_t = 20)]
        limit: i32,
    },
    /// Show a run and all of its decisions
    Show {
        /// The run's id
        id: String,
    },
    /// Follow a run until it ends
    Watch {
        /// The run's id
        id: String,
    },
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command.unwrap_or(Command::List { limit: 20 }) {
            Command::List { limit } => list(context, limit).await,
            Command::Show { id } => show(context, id).await,
            Command::Watch { id } => {
                let client = context.connect().await?;
                let id = ids::one(context, &client, Kind::Meditation, id).await?;
                meditate::watch(context, &client, id).await
            }
        }
    }
}

async fn list(context: &Context, page_size: i32) -> CliResult {
    let request = v1::ListMeditationsRequest { user_id: context.user.clone(), page_size, page_token: String::new() };
    let page = context.connect().await?.meditations().list_meditations(request).await?.into_inner();
    context.out.answer(
        || json::of(&page),
        || {
            if page.meditations.is_empty() {
                "no meditation yet".to_owned()
            } else {
                view::meditations(&page.meditations)
            }
        },
    )
}

async fn show(context: &Context, id: String) -> CliResult {
    let client = context.connect().await?;
    let id = ids::one(context, &client, Kind::Meditation, id).await?;
    let mut client = client.meditations();
    let (mut decisions, mut page_token) = (Vec::new(), String::new());
    let answer = loop {
        let user_id = context.user.clone();
        let request = v1::GetMeditationRequest { user_id, id: id.clone(), page_size: 1_000, page_token };
        let page = client.get_meditation(request).await?.into_inner();
        decisions.extend(page.decisions);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break v1::GetMeditationResponse { decisions, next_page_token: page_token, ..page };
        }
    };
    let run = answer.meditation.clone().unwrap_or_default();
    context.out.answer(
        || json::of(&answer),
        || format!("{}\n{}\n{}", view::decisions(&answer.decisions), view::tiers(&run), view::run(&run)),
    )
}
