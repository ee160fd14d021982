//! `kimberly playbook`

use clap::Subcommand;
use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::filter::FilterArgs;
use crate::ids::Kind;
use crate::{ids, input, json, text, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Find procedures for a situation; among equals, the more successful first
    Find(Box<Find>),
    /// Count one use of a procedure
    Used {
        /// The playbook's id
        id: String,
        /// It failed
        #[arg(long)]
        failed: bool,
    },
}

#[derive(clap::Args)]
struct Find {
    /// The situation in words; `-` reads it from stdin
    situation: String,
    /// At most this many, 1 to 100
    #[arg(short = 'n', long, default_value_t = 5)]
    limit: i32,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            Command::Find(asked) => find(context, *asked).await,
            Command::Used { id, failed } => used(context, id, !failed).await,
        }
    }
}

async fn find(context: &Context, asked: Find) -> CliResult {
    let request = v1::FindPlaybooksRequest {
        user_id: context.user.clone(),
        situation: input::text(asked.situation)?,
        filter: Some(asked.filter.to_proto()),
        limit: asked.limit,
    };
    let answer = context.connect().await?.records().find_playbooks(request).await?.into_inner();
    context.out.answer(
        || json::of(&answer),
        || {
            if answer.playbooks.is_empty() {
                "no playbook for that; `kimberly list --kind playbook` shows what there is".to_owned()
            } else {
                view::playbooks(&answer.playbooks)
            }
        },
    )
}

async fn used(context: &Context, id: String, success: bool) -> CliResult {
    let client = context.connect().await?;
    let id = ids::one(context, &client, Kind::Memory, id).await?;
    let request = v1::RecordPlaybookUseRequest {
        user_id: context.user.clone(),
        id: id.clone(),
        success,
        request_id: String::new(),
    };
    let answer = client.records().record_playbook_use(request).await?.into_inner();
    context.out.answer(
        || json::of(&answer),
        || format!("{id}  used {}, {} well", text::count(answer.used, "time", "times"), answer.succeeded),
    )
}
